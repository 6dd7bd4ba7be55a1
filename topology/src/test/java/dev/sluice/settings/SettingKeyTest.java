package dev.sluice.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.contract.RoomState;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SettingKeyTest {
  @Test
  void theDefaultsAreThoseOfTheContract() {
    assertThat(SettingKey.all().stream().map(key -> key.name() + " " + key.defaultJson()))
        .containsExactly(
            "admission.capacity \"auto\"",
            "admission.instances 1",
            "admission.sessions-per-instance 200",
            "admission.max-sessions 1000",
            "admission.session-timeout \"30s\"",
            "admission.max-session \"10m\"",
            "admission.max-per-session 5",
            "admission.keep-ended \"1h\"",
            "admission.pace \"unlimited\"",
            "admission.state \"OPEN\"",
            "hot.window \"5s\"",
            "hot.threshold 5000",
            "hot.release-ratio 0.5",
            "hot.hold \"3s\"",
            "hot.ttl \"10s\"",
            "push.hot-mode \"INTERVAL\"",
            "push.hot-interval \"1s\"",
            "push.hot-probability 0.02",
            "join.window \"5s\"",
            "join.threshold 1000",
            "room.keep-events 1000",
            "room.keep-for \"10m\"",
            "replay.max-concurrent 20",
            "replay.max-per-session 3",
            "replay.queue-timeout \"30s\"");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "admission.capacity | 0",
        "admission.capacity | 1000000",
        "admission.capacity | \"auto\"",
        "admission.instances | 0",
        "admission.session-timeout | \"250ms\"",
        "admission.session-timeout | \"24h\"",
        "admission.keep-ended | \"5m\"",
        "admission.pace | \"250/s\"",
        "admission.pace | \"0.5/s\"",
        "admission.pace | \"unlimited\"",
        "admission.state | \"DRAINING\"",
        "hot.window | \"60s\"",
        "hot.window | \"5000ms\"",
        "hot.release-ratio | 1",
        "hot.hold | \"0s\"",
        "push.hot-mode | \"PROBABILITY\"",
        "push.hot-probability | 0",
        "push.hot-probability | 1.0",
      })
  void whatIsAllowedIsAcceptedAndItsTextKept(String name, String json) throws Exception {
    assertThat(SettingKey.require(name).check("  " + json + "\n").json()).isEqualTo(json);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "admission.capacity | -1",
        "admission.capacity | 1000001",
        "admission.capacity | 1.5",
        "admission.capacity | 2e2",
        "admission.capacity | 99999999999999999999999",
        "admission.capacity | \"200\"",
        "admission.capacity | \"AUTO\"",
        "admission.capacity | true",
        "admission.capacity | null",
        "admission.capacity | [200]",
        "admission.capacity | {}",
        "admission.capacity | 200 200",
        "admission.capacity | auto",
        "admission.capacity | ''",
        "admission.instances | -1",
        "admission.session-timeout | 30",
        "admission.session-timeout | \"30\"",
        "admission.session-timeout | \"30 s\"",
        "admission.session-timeout | \"-30s\"",
        "admission.session-timeout | \"99ms\"",
        "admission.session-timeout | \"25h\"",
        "admission.session-timeout | \"1d\"",
        "admission.session-timeout | \"9999999999999s\"",
        "admission.pace | \"0/s\"",
        "admission.pace | \"250\"",
        "admission.pace | \"250/m\"",
        "admission.pace | \"1000001/s\"",
        "admission.pace | 250",
        "admission.state | \"open\"",
        "admission.state | OPEN",
        "hot.window | \"1500ms\"",
        "hot.window | \"0s\"",
        "hot.window | \"61s\"",
        "hot.threshold | 0",
        "hot.threshold | -5",
        "hot.threshold | 1000000001",
        "hot.threshold | 5e3",
        "hot.threshold | 0.5",
        "hot.threshold | NaN",
        "hot.threshold | \"5000\"",
        "join.threshold | 0",
        "join.threshold | -1",
        "hot.release-ratio | 0",
        "hot.release-ratio | 1.01",
        "hot.release-ratio | \"0.5\"",
        "hot.release-ratio | 1e999999999",
        "push.hot-probability | -0.1",
      })
  void anythingElseIsRefusedSayingWhatIsAllowed(String name, String json) throws Exception {
    SettingKey<?> key = SettingKey.require(name);

    assertThatThrownBy(() -> key.check(json))
        .isInstanceOf(BadSettingException.class)
        .hasMessageStartingWith(name + " must be " + key.allowed());
  }

  @Test
  void aLongTextIsRefusedUnread() {
    assertThatThrownBy(() -> SettingKey.ADMISSION_STATE.check("\"" + "x".repeat(1_000_000)))
        .hasMessageEndingWith("the value given is longer than 256 characters");
    assertThatThrownBy(() -> SettingKey.ADMISSION_STATE.check(null))
        .hasMessageEndingWith("the value given is missing");
  }

  @Test
  void valuesMeanWhatTheySay() throws Exception {
    assertThat(SettingKey.ADMISSION_CAPACITY.parse("7")).isEqualTo(new Capacity(7));
    assertThat(SettingKey.ADMISSION_CAPACITY.parse("\"auto\"").isAuto()).isTrue();
    assertThat(SettingKey.ADMISSION_STATE.parse("\"CLOSED\"")).isEqualTo(RoomState.CLOSED);
    assertThat(SettingKey.ADMISSION_SESSION_TIMEOUT.parse("\"5m\""))
        .isEqualTo(Duration.ofMinutes(5));
    assertThat(SettingKey.ADMISSION_PACE.parse("\"250/s\"").intervalMicros()).isEqualTo(4_000);
    assertThat(SettingKey.ADMISSION_PACE.parse("\"3/s\"").intervalMicros()).isEqualTo(333_333);
    assertThat(SettingKey.ADMISSION_PACE.parse("\"0.001/s\"").intervalMicros())
        .isEqualTo(1_000_000_000);
    assertThat(SettingKey.ADMISSION_PACE.parse("\"1000000/s\"").intervalMicros()).isEqualTo(1);
    assertThat(SettingKey.ADMISSION_PACE.parse("\"250/s\"").perSecond()).isEqualTo(250);
    assertThat(SettingKey.ADMISSION_PACE.defaultValue().perSecond()).isZero();
    assertThat(SettingKey.HOT_RELEASE_RATIO.parse("0.25")).isEqualTo(0.25);
  }

  @Test
  void onlyAdmissionSettingsDecideAdmission() {
    List<String> deciding =
        SettingKey.all().stream()
            .filter(SettingKey::decidesAdmission)
            .map(SettingKey::name)
            .toList();

    assertThat(deciding).hasSize(10).allMatch(name -> name.startsWith("admission."));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "admission.capacity",
        "admission.capacity@room=lobby",
        "hot.threshold@country=KR",
        "hot.threshold@app=my-app:2.0_1"
      })
  void anAddressIsReadAsItIsWritten(String text) throws Exception {
    assertThat(SettingAddress.parse(text)).hasToString(text);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "'' | the record has no key; it must be the name of a setting",
        "Admission.capacity | there is no setting \"Admission.capacity\"",
        "admission.capacity@ | after @ must stand room=, country= or app= and a name, not \"\"",
        "admission.capacity@lobby |"
            + " after @ must stand room=, country= or app= and a name, not \"lobby\"",
        "admission.capacity@=lobby |"
            + " after @ must stand room=, country= or app= and a name, not \"=lobby\"",
        "admission.capacity@global=x |"
            + " after @ must stand room=, country= or app= and a name, not \"global=x\"",
        "admission.capacity@room= |"
            + " the name of the room must be 1 to 128 characters of A-Z a-z 0-9 . _ : -",
        "admission.capacity@room=a=b |"
            + " the name of the room must be 1 to 128 characters of A-Z a-z 0-9 . _ : -",
        "admission.capacity@app=a |"
            + " admission.capacity can be set for everything or a room, not for app=a",
        "replay.max-concurrent@room=a |"
            + " replay.max-concurrent can be set for everything only, not for room=a",
      })
  void anAddressThatIsNoneIsRefusedInWords(String text, String words) {
    assertThatThrownBy(() -> SettingAddress.parse(text))
        .isInstanceOf(BadSettingException.class)
        .hasMessage(words);
  }
}
