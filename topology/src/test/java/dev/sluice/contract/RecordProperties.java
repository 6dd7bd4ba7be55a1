package dev.sluice.contract;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.LongRange;

/** What is written is read again, and nothing that is read can do more than be refused. */
class RecordProperties {
  @Property
  void aCommandIsReadAsItWasWritten(@ForAll("commands") Command command) throws Exception {
    String key = command instanceof Command.OfPerson person ? person.roomId() : null;

    assertThat(CommandJson.read(key, CommandJson.write(command))).isEqualTo(command);
  }

  @Property
  void anOutcomeIsReadAsItWasWritten(@ForAll("outcomes") Outcome outcome) throws Exception {
    assertThat(OutcomeJson.read(outcome.roomId(), OutcomeJson.write(outcome))).isEqualTo(outcome);
  }

  @Property
  void anyBytesAreReadOrRefused(@ForAll byte[] value) {
    assertRefusedOrRead("lobby", value);
  }

  @Property
  void aDamagedCommandIsReadOrRefused(
      @ForAll("commands") Command command, @ForAll int where, @ForAll byte what) {
    byte[] value = CommandJson.write(command);
    value[Math.floorMod(where, value.length)] = what;

    assertRefusedOrRead("lobby", value);
  }

  @Property
  void aTimeIsReadAsItWasWritten(
      @ForAll @LongRange(min = -62_167_219_200_000L, max = 253_402_300_799_999L) long millis) {
    String text = Rfc3339.format(millis);

    assertThat(text).hasSize(24);
    assertThat(Instant.parse(text)).isEqualTo(Instant.ofEpochMilli(millis));
    assertThat(Rfc3339.parse(text)).isEqualTo(millis);
  }

  @Property
  void noTimeFailsToBeWritten(@ForAll long millis) {
    assertThat(Rfc3339.parse(Rfc3339.format(millis))).isEqualTo(millis);
  }

  @Property
  void aStringIsReadAsItWasQuoted(@ForAll String text) throws Exception {
    JsonScalar quoted = JsonScalar.string(text);

    // A lone surrogate has no UTF-8; text that came from bytes has none.
    if (UTF_8.newEncoder().canEncode(text)) {
      assertThat(JsonScalar.parse(quoted.json())).isEqualTo(quoted);
    }
  }

  private static void assertRefusedOrRead(String key, byte[] value) {
    try {
      assertThat(CommandJson.read(key, value)).isNotNull();
    } catch (InvalidRecordException e) {
      assertThat(e.getMessage()).isNotBlank().hasSizeLessThan(300);
    }
    try {
      assertThat(OutcomeJson.read(key, value)).isNotNull();
    } catch (InvalidRecordException e) {
      assertThat(e.getMessage()).isNotBlank().hasSizeLessThan(300);
    }
  }

  @Provide
  Arbitrary<Command> commands() {
    Arbitrary<Long> ticket = Arbitraries.longs().greaterOrEqual(1);
    return Arbitraries.oneOf(
        Combinators.combine(ids(), ids(), ids()).as(Command.Enter::new),
        Combinators.combine(ids(), ids(), ticket).as(Command.Leave::new),
        Combinators.combine(ids(), ids(), ticket).as(Command.Heartbeat::new),
        Combinators.combine(ids(), ids(), ticket).as(Command.Complete::new),
        Arbitraries.just(new Command.Tick()),
        settings().list().ofMaxSize(20).map(Command.Configure::new),
        Arbitraries.integers().greaterOrEqual(1).map(Command.Rules::new));
  }

  @Provide
  Arbitrary<Outcome> outcomes() {
    Arbitrary<Version> version =
        Combinators.combine(
                Arbitraries.integers().between(0, 1000),
                Arbitraries.longs().greaterOrEqual(0),
                Arbitraries.integers().greaterOrEqual(0))
            .as(Version::new);
    Arbitrary<Receipt> receipt =
        Combinators.combine(
                Arbitraries.integers().between(0, 1000),
                Arbitraries.longs().greaterOrEqual(0),
                times())
            .as(Receipt::new);
    Arbitrary<String> words = Arbitraries.strings().ascii().injectNull(0.2);
    Arbitrary<Outcome> changed =
        Combinators.combine(ids(), ids(), ids(), Arbitraries.of(PersonStatus.class))
            .flatAs(
                (room, request, session, status) ->
                    Combinators.combine(
                            Arbitraries.longs(), times(), words, receipt, version, times())
                        .as(
                            (ticket, expires, reason, entry, at, time) ->
                                new Outcome.PersonChanged(
                                    room, request, session, status, ticket, expires, reason, entry,
                                    at, time)));
    Arbitrary<Outcome> rejected =
        Combinators.combine(
                ids().injectNull(0.2),
                ids().injectNull(0.2),
                Arbitraries.of(Outcome.Rejected.Reason.class),
                words,
                version,
                times())
            .as(Outcome.Rejected::new);
    Arbitrary<Outcome> progress =
        Combinators.combine(
                ids(),
                Arbitraries.integers(),
                Arbitraries.integers(),
                Arbitraries.integers(),
                Arbitraries.of(RoomState.class),
                version,
                times())
            .as(Outcome.Progress::new);
    return Arbitraries.oneOf(changed, rejected, progress);
  }

  private static Arbitrary<Long> times() {
    return Arbitraries.longs().between(0, 4_102_444_800_000L);
  }

  private static Arbitrary<AcceptedSetting> settings() {
    Arbitrary<String> values =
        Arbitraries.oneOf(
            Arbitraries.integers().map(String::valueOf),
            Arbitraries.strings().ascii().map(text -> JsonScalar.string(text).json()),
            Arbitraries.of("true", "false", "0.02"));
    return Combinators.combine(
            ids(),
            ids().injectNull(0.5),
            values.injectNull(0.2),
            Arbitraries.longs().greaterOrEqual(0))
        .as(AcceptedSetting::new);
  }

  private static Arbitrary<String> ids() {
    return Arbitraries.strings()
        .withCharRange('a', 'z')
        .withCharRange('A', 'Z')
        .numeric()
        .withChars("._:-")
        .ofMinLength(1)
        .ofMaxLength(Ids.MAX_LENGTH);
  }
}
