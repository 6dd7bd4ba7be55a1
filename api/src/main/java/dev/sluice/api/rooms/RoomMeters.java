package dev.sluice.api.rooms;

import dev.sluice.hot.edge.EdgeCounters;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** The figures of the calls on rooms that this instance has answered; none is by room. */
public final class RoomMeters {
  private final Map<Call, Map<Result, Timer>> calls = new EnumMap<>(Call.class);
  private final Counter store;
  private final Counter shared;

  /** What was asked. */
  enum Call {
    EVENT,
    FETCH,
    JOIN,
    LEAVE,
    ROOM,
    HOT
  }

  /** How it ended. */
  enum Result {
    DONE,
    /** Over a limit of joins, or of calls that wait. */
    REFUSED,
    /** Nothing was stored, or nothing is known for sure. */
    AWAY,
    /** It may be stored. */
    UNSURE,
    FAILED
  }

  public RoomMeters(MeterRegistry registry, EdgeCounters edge) {
    for (Call call : Call.values()) {
      Map<Result, Timer> results = new EnumMap<>(Result.class);
      for (Result result : Result.values()) {
        results.put(
            result,
            Timer.builder("sluice.room.calls")
                .description("Calls on rooms, from their bodies to their answers")
                .tag("call", call.name().toLowerCase(Locale.ROOT))
                .tag("result", result.name().toLowerCase(Locale.ROOT))
                .register(registry));
      }
      calls.put(call, results);
    }
    this.store = reads(registry, "store");
    this.shared = reads(registry, "shared");
    Gauge.builder("sluice.edge.rooms", edge, EdgeCounters::rooms)
        .description("Rooms counted here now")
        .register(registry);
    FunctionCounter.builder("sluice.edge.shed", edge, EdgeCounters::shed)
        .description("Events not counted since there were too many rooms")
        .register(registry);
  }

  private static Counter reads(MeterRegistry registry, String from) {
    return Counter.builder("sluice.room.reads")
        .description("Readings that answered the fetches")
        .tag("from", from)
        .register(registry);
  }

  void ended(Call call, Result result, long nanos) {
    calls.get(call).get(result).record(nanos, TimeUnit.NANOSECONDS);
  }

  void readStore() {
    store.increment();
  }

  void readShared() {
    shared.increment();
  }
}
