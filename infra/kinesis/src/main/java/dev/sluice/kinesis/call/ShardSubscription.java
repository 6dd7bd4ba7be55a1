package dev.sluice.kinesis.call;

import dev.sluice.kinesis.call.CallMeters.Direction;
import dev.sluice.kinesis.log.ShardReader;
import dev.sluice.kinesis.log.ShardReader.Batch;
import dev.sluice.kinesis.log.Streams;
import dev.sluice.kinesis.shard.ErrorType;
import dev.sluice.kinesis.shard.KinesisException;
import dev.sluice.kinesis.shard.SequenceNumber;
import dev.sluice.kinesis.shard.Shard;
import dev.sluice.kinesis.shard.StreamState;
import dev.sluice.kinesis.wire.Answer;
import java.time.Clock;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** The records of a shard as events, for five minutes or until the shard ends. */
final class ShardSubscription implements Subscription {
  /** How long it lasts. */
  static final Duration LASTS = Duration.ofMinutes(5);

  /** An event comes so often at least, with no records if there are none. */
  private static final Duration EVENT_WITHIN = Duration.ofSeconds(4);

  /** When a shard that had nothing new is looked at again. */
  private static final Duration PAUSE = Duration.ofMillis(100);

  private static final int RECORDS = 1_000;

  private final Streams streams;
  private final ShardReader reader;
  private final Positions positions;
  private final Executor work;
  private final ScheduledExecutorService timer;
  private final Clock clock;
  private final StreamState begunOn;
  private final int number;
  private final long begun;
  private final CallMeters meters;
  private final Consumer<ShardSubscription> ended;

  /** One event is made at a time, each after the one before; the executor orders them. */
  private long offset;

  private SequenceNumber continuation;
  private boolean first = true;
  private volatile boolean atEnd;

  /** Why it ends early; null while it doesn't. */
  private volatile KinesisException end;

  private volatile boolean closed;
  private volatile CompletableFuture<Answer> awaited;

  /**
   * @param ended hears once that it has closed
   */
  ShardSubscription(
      Streams streams,
      ShardReader reader,
      Positions positions,
      Executor work,
      ScheduledExecutorService timer,
      Clock clock,
      StreamState stream,
      Shard shard,
      long offset,
      CallMeters meters,
      Consumer<ShardSubscription> ended) {
    this.streams = streams;
    this.reader = reader;
    this.positions = positions;
    this.work = work;
    this.timer = timer;
    this.clock = clock;
    this.begunOn = stream;
    this.number = shard.number();
    this.offset = offset;
    this.begun = clock.millis();
    this.continuation = SequenceNumber.of(shard, offset - 1, begun);
    this.meters = meters;
    this.ended = ended;
  }

  /** In milliseconds since the epoch. */
  long begun() {
    return begun;
  }

  /** Ends it with a refusal as its last event. */
  void end(KinesisException why) {
    end = why;
    CompletableFuture<Answer> event = awaited;
    if (event != null) {
      event.completeExceptionally(why);
    }
  }

  @Override
  public CompletableFuture<Answer> next() {
    CompletableFuture<Answer> event = new CompletableFuture<>();
    awaited = event;
    if (end != null) {
      event.completeExceptionally(end);
    } else if (atEnd || isOver()) {
      event.complete(null);
    } else {
      long due = first ? 0 : EVENT_WITHIN.toNanos();
      first = false;
      look(event, System.nanoTime() + due);
    }
    return event;
  }

  private boolean isOver() {
    return clock.millis() - begun >= LASTS.toMillis();
  }

  private void look(CompletableFuture<Answer> event, long due) {
    if (closed || event.isDone()) {
      return;
    }
    try {
      work.execute(() -> read(event, due));
    } catch (KinesisException busy) {
      lookLater(event, due);
    }
  }

  private void lookLater(CompletableFuture<Answer> event, long due) {
    var unused = timer.schedule(() -> look(event, due), PAUSE.toMillis(), TimeUnit.MILLISECONDS);
  }

  private void read(CompletableFuture<Answer> event, long due) {
    try {
      if (isOver()) {
        event.complete(null);
        return;
      }
      StreamState stream = streams.get(begunOn.name());
      if (!stream.isSame(begunOn)) {
        throw new KinesisException(ErrorType.RESOURCE_NOT_FOUND, "The stream was deleted.");
      }
      Shard shard = positions.shard(stream, number);
      Batch batch = reader.read(stream, shard, offset, RECORDS);
      offset = batch.next();
      atEnd = batch.atEnd();
      boolean empty = batch.records().isEmpty();
      if (!empty) {
        continuation = batch.records().get(batch.records().size() - 1).sequenceNumber();
      }
      if (empty && !atEnd && System.nanoTime() < due) {
        lookLater(event, due);
      } else {
        meters.moved(Direction.OUT, stream.name(), batch.records().size(), batch.bytes());
        event.complete(event(stream, shard, batch, continuation.toString()));
      }
    } catch (RuntimeException e) {
      event.completeExceptionally(e);
    }
  }

  private static Answer event(StreamState stream, Shard shard, Batch batch, String continuation) {
    return out -> {
      ReadCalls.records(out, stream, batch.records());
      out.text("ContinuationSequenceNumber", batch.atEnd() ? null : continuation)
          .number("MillisBehindLatest", batch.millisBehindLatest());
      if (batch.atEnd()) {
        Descriptions.children(out, stream.children(shard));
      }
    };
  }

  @Override
  public void close() {
    closed = true;
    ended.accept(this);
  }
}
