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

  /** When a shard that had nothing new is looked at again; twice as long each time that follows. */
  private static final Duration PAUSE = Duration.ofMillis(50);

  private static final Duration PAUSE_AT_MOST = Duration.ofMillis(400);

  private static final int RECORDS = 1_000;
  private static final int EVENT_BYTES = 1 << 20;

  /** As they were read, and as they are written. */
  private static final int COPIES = 3;

  private final Streams streams;
  private final ShardReader reader;
  private final Positions positions;
  private final Executor work;
  private final ScheduledExecutorService timer;
  private final Clock clock;
  private final StreamState begunOn;
  private final int number;
  private final long begun;
  private final AnswerMemory memory;
  private final CallMeters meters;
  private final Consumer<ShardSubscription> ended;

  /** One event is made at a time, each after the one before; the executor orders them. */
  private long offset;

  private SequenceNumber continuation;
  private Duration pause = PAUSE;

  /** Of {@link #memory}, for the event that is being written. Guarded by this. */
  private long held;

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
      AnswerMemory memory,
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
    this.memory = memory;
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
    hold(0);
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

  /** Looks whether there is something, which keeps no thread, and reads only then. */
  private void look(CompletableFuture<Answer> event, long due) {
    if (closed || event.isDone()) {
      return;
    }
    try {
      StreamState stream = present();
      Shard shard = positions.shard(stream, number);
      var unused =
          reader
              .hasNews(stream, shard, offset)
              .whenComplete(
                  (hasNews, failure) -> {
                    if (failure == null && !hasNews && System.nanoTime() < due && !isOver()) {
                      lookLater(event, due);
                    } else {
                      read(event, due);
                    }
                  });
    } catch (RuntimeException e) {
      event.completeExceptionally(e);
    }
  }

  private void lookLater(CompletableFuture<Answer> event, long due) {
    Duration now = pause;
    Duration twice = now.multipliedBy(2);
    pause = twice.compareTo(PAUSE_AT_MOST) < 0 ? twice : PAUSE_AT_MOST;
    var unused = timer.schedule(() -> look(event, due), now.toMillis(), TimeUnit.MILLISECONDS);
  }

  /** Reads, once there is a thread and memory for an event. */
  private void read(CompletableFuture<Answer> event, long due) {
    if (!memory.tryTake((long) EVENT_BYTES * COPIES)) {
      lookLater(event, due);
      return;
    }
    hold((long) EVENT_BYTES * COPIES);
    try {
      work.execute(() -> readNow(event));
    } catch (KinesisException busy) {
      hold(0);
      lookLater(event, due);
    }
  }

  private void readNow(CompletableFuture<Answer> event) {
    try {
      if (isOver()) {
        complete(event, null);
        return;
      }
      StreamState stream = present();
      Shard shard = positions.shard(stream, number);
      Batch batch = reader.read(stream, shard, offset, RECORDS, EVENT_BYTES);
      offset = batch.next();
      atEnd = batch.atEnd();
      if (!batch.records().isEmpty()) {
        continuation = batch.records().get(batch.records().size() - 1).sequenceNumber();
        pause = PAUSE;
      }
      long bytes = batch.bytes() * COPIES;
      memory.occupy(bytes);
      hold(bytes);
      meters.moved(Direction.OUT, stream.name(), batch.records().size(), batch.bytes());
      complete(event, event(stream, shard, batch, continuation.toString()));
    } catch (RuntimeException e) {
      event.completeExceptionally(e);
    }
  }

  /** What has been given isn't kept. */
  private void complete(CompletableFuture<Answer> event, Answer answer) {
    awaited = null;
    event.complete(answer);
  }

  private StreamState present() {
    StreamState stream = streams.get(begunOn.name());
    if (!stream.isSame(begunOn)) {
      throw new KinesisException(ErrorType.RESOURCE_NOT_FOUND, "The stream was deleted.");
    }
    return stream;
  }

  /** Has so much of the memory instead of what it had; nothing once it is closed. */
  private synchronized void hold(long bytes) {
    memory.release(held);
    held = bytes;
    if (closed) {
      memory.release(held);
      held = 0;
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
    hold(0);
    ended.accept(this);
  }
}
