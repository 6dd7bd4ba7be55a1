package dev.sluice.bench.hot;

import com.alibaba.csp.sentinel.Entry;
import com.alibaba.csp.sentinel.EntryType;
import com.alibaba.csp.sentinel.SphU;
import com.alibaba.csp.sentinel.slots.block.BlockException;
import com.alibaba.csp.sentinel.slots.block.flow.param.ParamFlowRule;
import com.alibaba.csp.sentinel.slots.block.flow.param.ParamFlowRuleManager;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/** Sentinel's flow control by a hot parameter, the room, with a threshold that is never reached. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class SentinelBenchmark {
  private static final String RESOURCE = "room-events";

  /** Rooms, one of them at random for each event. */
  @Param({"1", "2000"})
  private int rooms;

  private String[] ids;

  @Setup(Level.Trial)
  public void start() {
    ids = Rooms.named(rooms);
    ParamFlowRule rule = new ParamFlowRule(RESOURCE).setParamIdx(0).setCount(1e9);
    rule.setDurationInSec(5);
    ParamFlowRuleManager.loadRules(List.of(rule));
  }

  @Benchmark
  public void count() throws BlockException {
    String room = ids[rooms == 1 ? 0 : ThreadLocalRandom.current().nextInt(rooms)];
    Entry entry = SphU.entry(RESOURCE, EntryType.IN, 1, room);
    entry.exit(1, room);
  }
}
