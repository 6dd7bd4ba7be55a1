package dev.sluice.settings;

import static dev.sluice.settings.SettingScope.Kind.APP;
import static dev.sluice.settings.SettingScope.Kind.COUNTRY;
import static dev.sluice.settings.SettingScope.Kind.GLOBAL;
import static dev.sluice.settings.SettingScope.Kind.ROOM;

import dev.sluice.contract.InvalidRecordException;
import dev.sluice.contract.JsonRecord;
import dev.sluice.contract.JsonScalar;
import dev.sluice.contract.RoomState;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * A setting that can be changed while Sluice runs: its name, the values it allows, its default and
 * the scopes it has. Immutable; the constants here are all there are.
 *
 * @param <T> what its value means to the program
 */
public final class SettingKey<T> {
  /** Longest JSON text of a value, in characters. */
  public static final int MAX_VALUE_LENGTH = 256;

  public static final SettingKey<Capacity> ADMISSION_CAPACITY =
      new SettingKey<>(
          "admission.capacity",
          SettingType.capacity(1_000_000),
          "\"auto\"",
          EnumSet.of(GLOBAL, ROOM),
          "People active in a room at most; auto is instances x sessions-per-instance, at most"
              + " max-sessions. 0 admits nobody.");
  public static final SettingKey<Integer> ADMISSION_INSTANCES =
      new SettingKey<>(
          "admission.instances",
          SettingType.whole(0, 10_000),
          "1",
          EnumSet.of(GLOBAL, ROOM),
          "Instances of the protected service.");
  public static final SettingKey<Integer> ADMISSION_SESSIONS_PER_INSTANCE =
      new SettingKey<>(
          "admission.sessions-per-instance",
          SettingType.whole(1, 1_000_000),
          "200",
          EnumSet.of(GLOBAL),
          "People one instance of the protected service can take.");
  public static final SettingKey<Integer> ADMISSION_MAX_SESSIONS =
      new SettingKey<>(
          "admission.max-sessions",
          SettingType.whole(1, 1_000_000),
          "1000",
          EnumSet.of(GLOBAL),
          "The most that an automatic capacity comes to.");
  public static final SettingKey<Duration> ADMISSION_SESSION_TIMEOUT =
      new SettingKey<>(
          "admission.session-timeout",
          SettingType.duration("100ms", "24h"),
          "\"30s\"",
          EnumSet.of(GLOBAL, ROOM),
          "How long an admitted person keeps the place without a heartbeat.");
  public static final SettingKey<Duration> ADMISSION_MAX_SESSION =
      new SettingKey<>(
          "admission.max-session",
          SettingType.duration("100ms", "168h"),
          "\"10m\"",
          EnumSet.of(GLOBAL, ROOM),
          "How long an admitted person keeps the place in all.");
  public static final SettingKey<Integer> ADMISSION_MAX_PER_SESSION =
      new SettingKey<>(
          "admission.max-per-session",
          SettingType.whole(1, 1_000_000),
          "5",
          EnumSet.of(GLOBAL, ROOM),
          "Places one session may hold in one room, waiting or active.");
  public static final SettingKey<Duration> ADMISSION_KEEP_ENDED =
      new SettingKey<>(
          "admission.keep-ended",
          SettingType.duration("100ms", "720h"),
          "\"1h\"",
          EnumSet.of(GLOBAL),
          "How long people are remembered after they completed, left or expired.");
  public static final SettingKey<Pace> ADMISSION_PACE =
      new SettingKey<>(
          "admission.pace",
          SettingType.pace(),
          "\"unlimited\"",
          EnumSet.of(GLOBAL, ROOM),
          "Admissions a second at most in a room.");
  public static final SettingKey<RoomState> ADMISSION_STATE =
      new SettingKey<>(
          "admission.state",
          SettingType.word(RoomState.class),
          "\"OPEN\"",
          EnumSet.of(GLOBAL, ROOM),
          "Who may enter a room and who is admitted.");

  public static final SettingKey<Duration> HOT_WINDOW =
      new SettingKey<>(
          "hot.window",
          SettingType.wholeSeconds("1s", "60s"),
          "\"5s\"",
          EnumSet.of(GLOBAL, COUNTRY, APP, ROOM),
          "How far back the events of a room are counted.");
  public static final SettingKey<Integer> HOT_THRESHOLD =
      new SettingKey<>(
          "hot.threshold",
          SettingType.whole(1, 1_000_000_000),
          "5000",
          EnumSet.of(GLOBAL, COUNTRY, APP, ROOM),
          "Events in the window above which a room is hot.");
  public static final SettingKey<Double> HOT_RELEASE_RATIO =
      new SettingKey<>(
          "hot.release-ratio",
          SettingType.decimal("0.01", "1"),
          "0.5",
          EnumSet.of(GLOBAL, ROOM),
          "Part of the threshold under which a hot room may cool.");
  public static final SettingKey<Duration> HOT_HOLD =
      new SettingKey<>(
          "hot.hold",
          SettingType.duration("0s", "10m"),
          "\"3s\"",
          EnumSet.of(GLOBAL, ROOM),
          "How long a room must stay under the release ratio before it cools.");
  public static final SettingKey<Duration> HOT_TTL =
      new SettingKey<>(
          "hot.ttl",
          SettingType.duration("1s", "1h"),
          "\"10s\"",
          EnumSet.of(GLOBAL, ROOM),
          "How long the mark of a hot room lives for other systems if it isn't renewed.");

  public static final SettingKey<HotMode> PUSH_HOT_MODE =
      new SettingKey<>(
          "push.hot-mode",
          SettingType.word(HotMode.class),
          "\"INTERVAL\"",
          EnumSet.of(GLOBAL, ROOM),
          "How the pushes of a hot room are thinned out.");
  public static final SettingKey<Duration> PUSH_HOT_INTERVAL =
      new SettingKey<>(
          "push.hot-interval",
          SettingType.duration("50ms", "1m"),
          "\"1s\"",
          EnumSet.of(GLOBAL, ROOM),
          "Least time between two pushes of a hot room.");
  public static final SettingKey<Double> PUSH_HOT_PROBABILITY =
      new SettingKey<>(
          "push.hot-probability",
          SettingType.decimal("0", "1"),
          "0.02",
          EnumSet.of(GLOBAL, ROOM),
          "Part of the pushes of a hot room that are sent.");

  public static final SettingKey<Duration> JOIN_WINDOW =
      new SettingKey<>(
          "join.window",
          SettingType.wholeSeconds("1s", "60s"),
          "\"5s\"",
          EnumSet.of(GLOBAL, ROOM),
          "How far back the joins accepted by an instance are counted.");
  public static final SettingKey<Integer> JOIN_THRESHOLD =
      new SettingKey<>(
          "join.threshold",
          SettingType.whole(1, 1_000_000_000),
          "1000",
          EnumSet.of(GLOBAL, ROOM),
          "Joins of a room that an instance accepts in the window.");

  public static final SettingKey<Integer> ROOM_KEEP_EVENTS =
      new SettingKey<>(
          "room.keep-events",
          SettingType.whole(0, 100_000),
          "1000",
          EnumSet.of(GLOBAL, ROOM),
          "The newest messages of a room that can be fetched, at most 1 MiB of them.");
  public static final SettingKey<Duration> ROOM_KEEP_FOR =
      new SettingKey<>(
          "room.keep-for",
          SettingType.duration("1s", "24h"),
          "\"10m\"",
          EnumSet.of(GLOBAL, ROOM),
          "How long a message can be fetched.");

  public static final SettingKey<Integer> REPLAY_MAX_CONCURRENT =
      new SettingKey<>(
          "replay.max-concurrent",
          SettingType.whole(1, 10_000),
          "20",
          EnumSet.of(GLOBAL),
          "Replays running at once.");
  public static final SettingKey<Integer> REPLAY_MAX_PER_SESSION =
      new SettingKey<>(
          "replay.max-per-session",
          SettingType.whole(1, 1_000),
          "3",
          EnumSet.of(GLOBAL),
          "Replays one session may have, running or queued.");
  public static final SettingKey<Duration> REPLAY_QUEUE_TIMEOUT =
      new SettingKey<>(
          "replay.queue-timeout",
          SettingType.duration("1s", "10m"),
          "\"30s\"",
          EnumSet.of(GLOBAL),
          "How long a replay may wait for its turn.");

  private static final List<SettingKey<?>> ALL =
      List.of(
          ADMISSION_CAPACITY,
          ADMISSION_INSTANCES,
          ADMISSION_SESSIONS_PER_INSTANCE,
          ADMISSION_MAX_SESSIONS,
          ADMISSION_SESSION_TIMEOUT,
          ADMISSION_MAX_SESSION,
          ADMISSION_MAX_PER_SESSION,
          ADMISSION_KEEP_ENDED,
          ADMISSION_PACE,
          ADMISSION_STATE,
          HOT_WINDOW,
          HOT_THRESHOLD,
          HOT_RELEASE_RATIO,
          HOT_HOLD,
          HOT_TTL,
          PUSH_HOT_MODE,
          PUSH_HOT_INTERVAL,
          PUSH_HOT_PROBABILITY,
          JOIN_WINDOW,
          JOIN_THRESHOLD,
          ROOM_KEEP_EVENTS,
          ROOM_KEEP_FOR,
          REPLAY_MAX_CONCURRENT,
          REPLAY_MAX_PER_SESSION,
          REPLAY_QUEUE_TIMEOUT);

  private static final Map<String, SettingKey<?>> BY_NAME =
      ALL.stream().collect(Collectors.toUnmodifiableMap(SettingKey::name, Function.identity()));

  private final String name;
  private final SettingType<T> type;
  private final Checked<T> defaultValue;
  private final Set<SettingScope.Kind> scopes;
  private final String description;

  /**
   * A value that has passed {@link #check}.
   *
   * @param json its JSON text, written one way only
   */
  public record Checked<T>(T value, String json) {}

  private SettingKey(
      String name,
      SettingType<T> type,
      String defaultJson,
      EnumSet<SettingScope.Kind> scopes,
      String description) {
    this.name = name;
    this.type = type;
    this.scopes = Set.copyOf(scopes);
    this.description = description;
    try {
      this.defaultValue = check(defaultJson);
    } catch (BadSettingException e) {
      throw new IllegalStateException(e);
    }
  }

  /** All settings, in the order of the documentation. */
  public static List<SettingKey<?>> all() {
    return ALL;
  }

  public static Optional<SettingKey<?>> named(String name) {
    return Optional.ofNullable(BY_NAME.get(name));
  }

  /**
   * @throws BadSettingException if there is no setting of that name
   */
  public static SettingKey<?> require(String name) throws BadSettingException {
    SettingKey<?> key = BY_NAME.get(name);
    if (key == null) {
      throw new BadSettingException(
          "there is no setting \"%s\"".formatted(JsonRecord.quoted(name)));
    }
    return key;
  }

  /** Such as {@code admission.capacity}. */
  public String name() {
    return name;
  }

  /** What the setting does, as a sentence. */
  public String description() {
    return description;
  }

  /** Which values are allowed, completing "must be ...". */
  public String allowed() {
    return type.allowed();
  }

  public T defaultValue() {
    return defaultValue.value();
  }

  public String defaultJson() {
    return defaultValue.json();
  }

  public Set<SettingScope.Kind> scopes() {
    return scopes;
  }

  public boolean allows(SettingScope.Kind scope) {
    return scopes.contains(scope);
  }

  /** Whether it decides admissions, so that a change reaches the machine as a command. */
  public boolean decidesAdmission() {
    return name.startsWith("admission.");
  }

  /**
   * Checks the JSON text of a value.
   *
   * @throws BadSettingException if it isn't allowed, saying what is
   */
  public Checked<T> check(String json) throws BadSettingException {
    if (json == null || json.length() > MAX_VALUE_LENGTH) {
      throw new BadSettingException(
          "%s must be %s; the value given is %s"
              .formatted(
                  name,
                  type.allowed(),
                  json == null ? "missing" : "longer than " + MAX_VALUE_LENGTH + " characters"));
    }
    JsonScalar scalar;
    try {
      scalar = JsonScalar.parse(json);
    } catch (InvalidRecordException e) {
      throw new BadSettingException(
          "%s must be %s; %s is %s"
              .formatted(name, type.allowed(), JsonRecord.quoted(json), e.getMessage()));
    }
    T value = type.reader().read(scalar);
    if (value == null) {
      throw new BadSettingException(
          "%s must be %s, not %s"
              .formatted(name, type.allowed(), JsonRecord.quoted(scalar.json())));
    }
    return new Checked<>(value, scalar.json());
  }

  /** The meaning of a value's JSON text; throws as {@link #check}. */
  public T parse(String json) throws BadSettingException {
    return check(json).value();
  }

  /** Such as {@code everything, a country or a room}. */
  String scopeWords() {
    List<String> words =
        scopes.stream()
            .sorted()
            .map(
                kind -> kind == GLOBAL ? "everything" : kind == APP ? "an app" : "a " + kind.word())
            .toList();
    return words.size() == 1
        ? words.get(0) + " only"
        : String.join(", ", words.subList(0, words.size() - 1))
            + " or "
            + words.get(words.size() - 1);
  }

  @Override
  public String toString() {
    return name;
  }
}
