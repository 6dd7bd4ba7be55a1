package dev.sluice.api;

import static dev.sluice.api.ApiUnderTest.name;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.api.InMemoryTopology.LogMode;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class HerdTest {
  @Test
  void calls_above_the_limit_are_told_at_once_to_come_again_and_the_places_come_back() {
    try (ApiUnderTest api = ApiUnderTest.start("sluice.api.max-in-flight=8")) {
      api.topology.log(LogMode.HANGS);
      List<CompletableFuture<Http.Answer>> held = enter(api, 8);
      await()
          .until(
              () -> api.http.get("/actuator/prometheus").raw().body(),
              body -> body.contains("sluice_calls 8"));

      Http.Answer refused = api.http.post("/api/admission/enter", name("herd", "late"));

      assertThat(refused.status()).isEqualTo(503);
      assertThat(refused.text("type")).isEqualTo("urn:sluice:problem:busy");
      assertThat(api.http.get("/health/live").status()).isEqualTo(200);
      api.topology.log(LogMode.STORES);
      assertThat(held).allMatch(call -> call.join().status() == 503);
      assertThat(enter(api, 8)).allMatch(call -> call.join().status() == 200);
    }
  }

  private static List<CompletableFuture<Http.Answer>> enter(ApiUnderTest api, int count) {
    return IntStream.range(0, count)
        .mapToObj(i -> api.http.sendAsync("POST", "/api/admission/enter", name("herd", "u-" + i)))
        .toList();
  }
}
