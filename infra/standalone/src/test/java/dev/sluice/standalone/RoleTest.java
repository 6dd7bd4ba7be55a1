package dev.sluice.standalone;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;

class RoleTest {
  @Test
  void all_is_every_role() {
    assertThat(Role.parse(List.of("all"))).containsExactlyInAnyOrder(Role.values());
  }

  @Test
  void any_subset_is_taken_in_any_case() {
    assertThat(Role.parse(List.of(" api", "Topology "))).containsOnly(Role.API, Role.TOPOLOGY);
  }

  @Test
  void an_unknown_one_is_refused_with_the_choice() {
    assertThatThrownBy(() -> Role.parse(List.of("api", "queue")))
        .isInstanceOf(StartRefusal.class)
        .hasMessage(
            "\"queue\" is no role: sluice.roles takes \"all\", or any of broker, topology, api,"
                + " notifier, kinesis");
  }

  @Test
  void none_is_refused() {
    assertThatThrownBy(() -> Role.parse(List.of(""))).isInstanceOf(StartRefusal.class);
  }
}
