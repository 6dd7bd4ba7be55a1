package dev.sluice.kinesis.http;

import dev.sluice.kinesis.call.AnswerMemory;
import dev.sluice.kinesis.call.CallMeters;
import dev.sluice.kinesis.call.Caller;
import dev.sluice.kinesis.call.Operation;
import dev.sluice.kinesis.call.Operations;
import dev.sluice.kinesis.call.Subscription;
import dev.sluice.kinesis.shard.ErrorType;
import dev.sluice.kinesis.shard.KinesisException;
import dev.sluice.kinesis.wire.Action;
import dev.sluice.kinesis.wire.Answer;
import dev.sluice.kinesis.wire.Input;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/** Keeps what is put and gives it back; every other action answers nothing. */
final class FakeOperations {
  static final String ARN = "arn:aws:kinesis:us-east-1:000000000000:stream/a";
  static final long ARRIVAL = 1_700_000_000_123L;

  static final AnswerMemory MEMORY = new AnswerMemory(64 << 20);
  static final CallMeters METERS = new CallMeters(new SimpleMeterRegistry());

  final List<Input> records = new CopyOnWriteArrayList<>();
  final List<Caller> callers = new CopyOnWriteArrayList<>();
  final AtomicInteger closed = new AtomicInteger();

  /** What subscriptions give in turn, and then {@link #more}. */
  final ConcurrentLinkedQueue<CompletableFuture<Answer>> events = new ConcurrentLinkedQueue<>();

  /** Gives the end of a subscription, unless a test has more. */
  volatile Supplier<CompletableFuture<Answer>> more = () -> answer(null);

  /** What DescribeLimits does. */
  volatile Operation limits = (input, caller) -> answer(Answer.NOTHING);

  Operations operations() {
    Map<Action, Operation> all = new EnumMap<>(Action.class);
    for (Action action : Action.values()) {
      all.put(action, (input, caller) -> answer(Answer.NOTHING));
    }
    all.remove(Action.SUBSCRIBE_TO_SHARD);
    all.put(Action.PUT_RECORD, this::putRecord);
    all.put(Action.PUT_RECORDS, this::putRecords);
    all.put(Action.GET_RECORDS, (input, caller) -> getRecords());
    all.put(Action.DESCRIBE_LIMITS, (input, caller) -> limits.call(input, caller));
    all.put(
        Action.DELETE_STREAM,
        (input, caller) ->
            CompletableFuture.failedFuture(
                new KinesisException(
                    ErrorType.RESOURCE_NOT_FOUND,
                    "Stream " + input.text("StreamName") + " under account 0 not found.")));
    return new Operations(all, this::subscribe);
  }

  private CompletableFuture<Answer> putRecord(Input input, Caller caller) {
    callers.add(caller);
    records.add(input);
    return answer(out -> out.text("ShardId", "shardId-0").text("SequenceNumber", "1"));
  }

  private CompletableFuture<Answer> putRecords(Input input, Caller caller) {
    callers.add(caller);
    records.addAll(input.structures("Records"));
    return answer(
        out -> {
          out.number("FailedRecordCount", 0).array("Records");
          for (Input record : input.structures("Records")) {
            out.object()
                .text("ShardId", "shardId-0")
                .text("SequenceNumber", String.valueOf(record.blob("Data").length))
                .end();
          }
          out.end();
        });
  }

  private CompletableFuture<Answer> getRecords() {
    return answer(
        out -> {
          out.array("Records");
          for (Input record : records) {
            out.object()
                .text("SequenceNumber", "1")
                .time("ApproximateArrivalTimestamp", ARRIVAL)
                .blob("Data", record.blob("Data"))
                .text("PartitionKey", record.text("PartitionKey"))
                .end();
          }
          out.end().text("NextShardIterator", "next").number("MillisBehindLatest", 0);
        });
  }

  private CompletableFuture<Subscription> subscribe(Input input, Caller caller) {
    if (input.text("ShardId").equals("busy")) {
      throw new KinesisException(ErrorType.RESOURCE_IN_USE, "Another is here.");
    }
    return CompletableFuture.completedFuture(
        new Subscription() {
          @Override
          public CompletableFuture<Answer> next() {
            CompletableFuture<Answer> event = events.poll();
            return event == null ? more.get() : event;
          }

          @Override
          public void close() {
            closed.incrementAndGet();
          }
        });
  }

  static Answer event(String sequenceNumber) {
    return out ->
        out.array("Records")
            .object()
            .text("SequenceNumber", sequenceNumber)
            .time("ApproximateArrivalTimestamp", ARRIVAL)
            .blob("Data", new byte[] {1, 2, 3})
            .text("PartitionKey", "k")
            .end()
            .end()
            .text("ContinuationSequenceNumber", sequenceNumber)
            .number("MillisBehindLatest", 0);
  }

  static CompletableFuture<Answer> answer(Answer answer) {
    return CompletableFuture.completedFuture(answer);
  }
}
