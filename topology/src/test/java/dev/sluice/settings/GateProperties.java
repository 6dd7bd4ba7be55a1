package dev.sluice.settings;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.contract.JsonRecord;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.LongRange;

/** The gate has a verdict on anything, and both of its records can be read again. */
class GateProperties {
  @Property
  void anyRecordIsJudgedAndTheAttemptIsReadAsItWasWritten(
      @ForAll("keys") byte[] key,
      @ForAll("values") byte[] value,
      @ForAll byte[] who,
      @ForAll @LongRange(min = 0, max = 4_102_444_800_000L) long at,
      @ForAll @LongRange(min = 0) long offset)
      throws Exception {
    Verdict verdict = Verdict.of(key, value, who, at, offset);

    SettingAttempt attempt = verdict.attempt();
    assertThat(attempt.accepted()).isEqualTo(verdict.setting() != null);
    assertThat(attempt.accepted()).isEqualTo(attempt.reason() == null);
    byte[] written = SettingsJson.write(attempt);
    assertThat(written.length).isLessThan(JsonRecord.MAX_BYTES / 4);
    assertThat(SettingsJson.readAttempt(written)).isEqualTo(attempt);
  }

  @Property
  void whatIsAcceptedIsReadAsItWasWrittenAndAcceptedAgain(
      @ForAll("keys") byte[] key, @ForAll("values") byte[] value) throws Exception {
    SettingsView.InForce<?> setting = Verdict.of(key, value, null, 1_000, 7).setting();

    if (setting != null && !setting.isUnset()) {
      assertThat(SettingsJson.read(setting.address(), SettingsJson.write(setting)))
          .isEqualTo(setting);
      assertThat(Verdict.of(key, setting.json().getBytes(UTF_8), null, 1_000, 7).setting())
          .isEqualTo(setting);
    }
  }

  @Provide
  Arbitrary<byte[]> keys() {
    Arbitrary<String> known =
        Arbitraries.of(SettingKey.all())
            .flatMap(
                key ->
                    Arbitraries.of("", "@room=lobby", "@country=KR", "@app=shop", "@", "@room=")
                        .map(scope -> key.name() + scope));
    return Arbitraries.oneOf(known, known, known, Arbitraries.strings().ofMaxLength(600))
        .map(text -> text.getBytes(UTF_8))
        .injectNull(0.05);
  }

  @Provide
  Arbitrary<byte[]> values() {
    Arbitrary<String> scalars =
        Arbitraries.oneOf(
            Arbitraries.integers().between(-5, 2_000_000).map(String::valueOf),
            Arbitraries.of(
                "\"auto\"",
                "\"30s\"",
                "\"250ms\"",
                "\"250/s\"",
                "\"unlimited\"",
                "\"OPEN\"",
                "\"PAUSED\"",
                "\"INTERVAL\"",
                "0.5",
                "1",
                " 7 ",
                "true",
                "null",
                "[]",
                "{",
                "\"x"));
    return Arbitraries.oneOf(
            scalars.map(text -> text.getBytes(UTF_8)),
            scalars.map(text -> text.getBytes(UTF_8)),
            Arbitraries.bytes().array(byte[].class).ofMaxSize(1_000))
        .injectNull(0.1);
  }
}
