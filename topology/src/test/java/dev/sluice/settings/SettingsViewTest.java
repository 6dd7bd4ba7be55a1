package dev.sluice.settings;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.contract.AcceptedSetting;
import org.junit.jupiter.api.Test;

class SettingsViewTest {
  private static final SettingKey<Integer> THRESHOLD = SettingKey.HOT_THRESHOLD;

  @Test
  void theNarrowestScopeThatIsSetWins() throws Exception {
    SettingsView view = SettingsView.EMPTY;
    assertThat(view.of(THRESHOLD, "lobby", "shop", "KR")).isEqualTo(5_000);

    view = view.with(set("hot.threshold", "4", 0));
    assertThat(view.of(THRESHOLD, "lobby", "shop", "KR")).isEqualTo(4);

    view = view.with(set("hot.threshold@country=KR", "3", 1));
    assertThat(view.of(THRESHOLD, "lobby", "shop", "KR")).isEqualTo(3);

    view = view.with(set("hot.threshold@app=shop", "2", 2));
    assertThat(view.of(THRESHOLD, "lobby", "shop", "KR")).isEqualTo(2);

    view = view.with(set("hot.threshold@room=lobby", "1", 3));
    assertThat(view.of(THRESHOLD, "lobby", "shop", "KR")).isEqualTo(1);
    assertThat(view.of(THRESHOLD, "hall", "shop", "KR")).isEqualTo(2);
    assertThat(view.of(THRESHOLD, "hall")).isEqualTo(4);
    assertThat(view.of(THRESHOLD)).isEqualTo(4);
  }

  @Test
  void whatIsUnsetFallsBackToTheNextWiderScope() throws Exception {
    SettingsView view =
        SettingsView.EMPTY
            .with(set("hot.threshold", "4", 0))
            .with(set("hot.threshold@room=lobby", "1", 1))
            .with(unset("hot.threshold@room=lobby", 2));
    assertThat(view.of(THRESHOLD, "lobby")).isEqualTo(4);
    assertThat(view.at(THRESHOLD, SettingScope.room("lobby"))).isEmpty();
    assertThat(view.all()).hasSize(1);

    view = view.with(unset("hot.threshold", 3));
    assertThat(view.of(THRESHOLD, "lobby")).isEqualTo(5_000);
  }

  @Test
  void anOlderOrEqualOffsetChangesNothing() throws Exception {
    SettingsView view = SettingsView.EMPTY.with(set("hot.threshold", "4", 7));

    assertThat(view.with(set("hot.threshold", "5", 7))).isSameAs(view);
    assertThat(view.with(unset("hot.threshold", 6))).isSameAs(view);
    assertThat(view.with(unset("hot.threshold", 8)).with(set("hot.threshold", "4", 7)).all())
        .isEmpty();
  }

  @Test
  void aPartitionIsToldAllThatDecidesAdmissionAndWhatIsNotSet() throws Exception {
    assertThat(SettingsView.EMPTY.admissionSettings()).isEmpty();
    SettingsView view =
        SettingsView.EMPTY
            .with(set("admission.capacity", "4", 2))
            .with(set("admission.capacity@room=lobby", "9", 3))
            .with(unset("admission.state@room=lobby", 4))
            .with(set("hot.threshold", "4", 5))
            .upTo(8);

    assertThat(view.admissionSettings())
        .contains(
            new AcceptedSetting("admission.capacity", null, "4", 2),
            new AcceptedSetting("admission.capacity", "lobby", "9", 3),
            new AcceptedSetting("admission.state", "lobby", null, 4),
            new AcceptedSetting("admission.pace", null, null, 8))
        .hasSize(12);
    assertThat(view.offset()).isEqualTo(8);
    assertThat(view.upTo(7).offset()).isEqualTo(8);
  }

  private static SettingsView.InForce<?> set(String address, String json, long offset)
      throws BadSettingException {
    return inForce(SettingAddress.parse(address).key(), address, json, offset);
  }

  private static <T> SettingsView.InForce<T> inForce(
      SettingKey<T> key, String address, String json, long offset) throws BadSettingException {
    return new SettingsView.InForce<>(
        SettingAddress.parse(address), json, key.parse(json), offset, 0, null);
  }

  private static SettingsView.InForce<?> unset(String address, long offset)
      throws BadSettingException {
    return new SettingsView.InForce<>(SettingAddress.parse(address), null, null, offset, 0, null);
  }
}
