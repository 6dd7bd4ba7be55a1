package dev.sluice.kinesis.call;

import dev.sluice.kinesis.shard.ErrorType;
import dev.sluice.kinesis.wire.Action;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * The figures of calls as meters. Only streams that are there are named: what callers make up would
 * else fill the memory. Thread-safe.
 */
public final class CallMeters {
  private static final String OK = "OK";
  private static final String NONE = "none";

  private final MeterRegistry registry;
  private final Map<CallKey, Timer> calls = new ConcurrentHashMap<>();
  private final Map<FlowKey, Flow> flows = new ConcurrentHashMap<>();

  /** Which way records go. */
  enum Direction {
    IN,
    OUT
  }

  private record CallKey(Action action, String stream, String result) {}

  private record FlowKey(String stream, Direction direction) {}

  private record Flow(Counter records, Counter bytes) {}

  public CallMeters(MeterRegistry registry) {
    this.registry = registry;
  }

  /**
   * A call has been answered; a subscription, begun.
   *
   * @param refusal null if it was done
   */
  public void answered(Action action, Caller caller, ErrorType refusal, long nanos) {
    calls
        .computeIfAbsent(
            new CallKey(
                action,
                caller == null || caller.stream() == null ? NONE : caller.stream(),
                refusal == null ? OK : refusal.text()),
            this::timer)
        .record(nanos, TimeUnit.NANOSECONDS);
  }

  private Timer timer(CallKey key) {
    return Timer.builder("sluice.kinesis.calls")
        .description("Calls and how long their answers took")
        .tag("operation", key.action().title())
        .tag("stream", key.stream())
        .tag("result", key.result())
        .register(registry);
  }

  void moved(Direction direction, String stream, long records, long bytes) {
    if (records == 0) {
      return;
    }
    Flow flow = flows.computeIfAbsent(new FlowKey(stream, direction), this::flow);
    flow.records().increment((double) records);
    flow.bytes().increment((double) bytes);
  }

  private Flow flow(FlowKey key) {
    return new Flow(
        counter("records", "Records put (in) and given to readers (out)", null, key),
        counter("data", "Data of records put (in) and given to readers (out)", "bytes", key));
  }

  private Counter counter(String name, String description, String unit, FlowKey key) {
    return Counter.builder("sluice.kinesis." + name)
        .description(description)
        .baseUnit(unit)
        .tag("stream", key.stream())
        .tag("direction", key.direction() == Direction.IN ? "in" : "out")
        .register(registry);
  }
}
