package dev.sluice.contract;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.Arrays;
import java.util.List;
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
  void anEventIsReadAsItWasWritten(@ForAll("events") RoomEvent event) throws Exception {
    assertThat(RoomEventJson.read(RoomEventJson.write(event))).isEqualTo(event);
  }

  @Property
  void aMembershipIsReadAsItWasWritten(@ForAll("memberships") Membership membership)
      throws Exception {
    assertThat(MembershipJson.read(membership.roomId(), MembershipJson.write(membership)))
        .isEqualTo(membership);
  }

  @Property
  void aCountIsReadAsItWasWritten(@ForAll("counts") RoomCount count) throws Exception {
    assertThat(RoomCountJson.read(count.roomId(), RoomCountJson.write(count))).isEqualTo(count);
  }

  @Property
  void aVerdictIsReadAsItWasWritten(@ForAll("verdicts") HotVerdict verdict) throws Exception {
    assertThat(HotVerdictJson.read(verdict.roomId(), HotVerdictJson.write(verdict)))
        .isEqualTo(verdict);
  }

  @Property
  void aMarkIsReadAsItWasWritten(@ForAll("ids") String producer, @ForAll long tenth) {
    SumMark mark = new SumMark(producer, tenth);

    assertThat(SumMark.fromHeader(mark.toHeader())).isEqualTo(mark);
  }

  @Property
  void anyMarkIsReadOrNone(@ForAll byte[] header) {
    SumMark mark = SumMark.fromHeader(header);

    assertThat(mark == null || Ids.isValid(mark.producer())).isTrue();
  }

  @Property
  void aDamagedRecordOfARoomIsReadOrRefused(
      @ForAll("ofRooms") byte[] value, @ForAll int where, @ForAll byte what) {
    byte[] damaged = value.clone();
    damaged[Math.floorMod(where, damaged.length)] = what;

    assertRefusedOrRead("lobby", damaged);
  }

  @Property
  void aRecordOfARoomThatIsCutIsRefused(@ForAll("ofRooms") byte[] value, @ForAll int where) {
    assertRefusedOrRead("lobby", Arrays.copyOf(value, Math.floorMod(where, value.length)));
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

  private interface Reader {
    Object read() throws InvalidRecordException;
  }

  private static void assertRefusedOrRead(String key, byte[] value) {
    List<Reader> readers =
        List.of(
            () -> CommandJson.read(key, value),
            () -> OutcomeJson.read(key, value),
            () -> RoomEventJson.read(value),
            () -> MembershipJson.read(key, value),
            () -> RoomCountJson.read(key, value),
            () -> HotVerdictJson.read(key, value));
    for (Reader reader : readers) {
      try {
        assertThat(reader.read()).isNotNull();
      } catch (InvalidRecordException e) {
        assertThat(e.getMessage()).isNotBlank().hasSizeLessThan(300);
      }
    }
  }

  @Provide
  Arbitrary<RoomEvent> events() {
    return Combinators.combine(
            Arbitraries.of(EventKind.class),
            ids(),
            ids().injectNull(0.3),
            countries(),
            apps(),
            payloads().injectNull(0.2))
        .as(RoomEvent::new);
  }

  @Provide
  Arbitrary<Membership> memberships() {
    return Combinators.combine(ids(), ids(), Arbitraries.of(true, false), countries(), apps())
        .as(Membership::new);
  }

  @Provide
  Arbitrary<RoomCount> counts() {
    Arbitrary<RoomSum.Cell> cell =
        Combinators.combine(
                Arbitraries.of(EventKind.class),
                countries(),
                apps(),
                Arbitraries.longs()
                    .between(0, RoomCountJson.MAX_COUNT)
                    .list()
                    .ofMaxSize(RoomSum.TENTHS))
            .as(RoomSum.Cell::new);
    Arbitrary<RoomCount> sum =
        Combinators.combine(
                ids(), ids(), Arbitraries.longs(), Arbitraries.longs(), cell.list().ofMaxSize(20))
            .as(RoomSum::new);
    Arbitrary<RoomCount> audience =
        Combinators.combine(ids(), ids(), Arbitraries.integers().greaterOrEqual(0))
            .as(Audience::new);
    return Arbitraries.oneOf(sum, audience);
  }

  @Provide
  Arbitrary<HotVerdict> verdicts() {
    Arbitrary<String> because =
        Arbitraries.oneOf(
            Arbitraries.just(HotVerdict.ROOM),
            ids().map(app -> "app=" + app),
            Arbitraries.just("country=KR"));
    return Combinators.combine(
            ids(),
            because,
            Arbitraries.longs().greaterOrEqual(0),
            Arbitraries.longs().greaterOrEqual(1),
            Arbitraries.integers().between(1, 60),
            times(),
            times())
        .as(HotVerdict::new);
  }

  @Provide
  Arbitrary<byte[]> ofRooms() {
    return Arbitraries.oneOf(
        events().map(RoomEventJson::write),
        memberships().map(MembershipJson::write),
        counts().map(RoomCountJson::write),
        verdicts().map(HotVerdictJson::write));
  }

  private static Arbitrary<String> countries() {
    return Arbitraries.strings().withCharRange('A', 'Z').ofLength(2).injectNull(0.3);
  }

  private static Arbitrary<String> apps() {
    return ids().map(id -> id.substring(0, Math.min(id.length(), 64))).injectNull(0.3);
  }

  /** JSON of every kind, with and without spaces within. */
  private static Arbitrary<String> payloads() {
    Arbitrary<String> texts =
        Arbitraries.strings()
            .ofMaxLength(40)
            .filter(text -> UTF_8.newEncoder().canEncode(text))
            .map(text -> JsonScalar.string(text).json());
    Arbitrary<String> scalars =
        Arbitraries.oneOf(
            texts,
            Arbitraries.longs().map(String::valueOf),
            Arbitraries.of("0", "-0", "1.50", "1e9", "-2.5E-3", "true", "false"));
    return Arbitraries.lazyOf(
        () -> scalars,
        () -> scalars,
        () -> payloads().list().ofMaxSize(3).map(all -> "[" + String.join(", ", all) + " ]"),
        () ->
            Combinators.combine(texts, payloads())
                .as((name, value) -> "{ " + name + ":" + value + "}"));
  }

  @Provide
  Arbitrary<Command> commands() {
    Arbitrary<Long> ticket = Arbitraries.longs().greaterOrEqual(1);
    Arbitrary<String> session = ids().injectNull(0.5);
    return Arbitraries.oneOf(
        Combinators.combine(ids(), ids(), ids()).as(Command.Enter::new),
        Combinators.combine(ids(), ids(), ticket, session).as(Command.Leave::new),
        Combinators.combine(ids(), ids(), ticket, session).as(Command.Heartbeat::new),
        Combinators.combine(ids(), ids(), ticket, session).as(Command.Complete::new),
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

  @Provide
  static Arbitrary<String> ids() {
    return Arbitraries.strings()
        .withCharRange('a', 'z')
        .withCharRange('A', 'Z')
        .numeric()
        .withChars("._:-")
        .ofMinLength(1)
        .ofMaxLength(Ids.MAX_LENGTH);
  }
}
