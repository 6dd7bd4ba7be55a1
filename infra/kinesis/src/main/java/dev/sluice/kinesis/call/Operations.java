package dev.sluice.kinesis.call;

import dev.sluice.kinesis.log.EntryWriter;
import dev.sluice.kinesis.log.ShardReader;
import dev.sluice.kinesis.log.Streams;
import dev.sluice.kinesis.shard.Account;
import dev.sluice.kinesis.wire.Action;
import java.time.Clock;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;

/** What is done for each action. Immutable. */
public final class Operations {
  private final Map<Action, Operation> operations;
  private final SubscribeOperation subscribe;

  public Operations(Map<Action, Operation> operations, SubscribeOperation subscribe) {
    this.operations = new EnumMap<>(operations);
    this.subscribe = subscribe;
  }

  /**
   * All that there are, on streams in Kafka.
   *
   * @param secret that iterators and tokens are signed with, the same for all instances
   * @param work on whose threads answers are made, and reads block; may refuse with {@link
   *     dev.sluice.kinesis.shard.KinesisException}
   * @param timer for what subscriptions wait for; does nothing long
   * @param memory for records that are read
   * @param throttle whether shards are limited as AWS limits them
   */
  public static Operations on(
      Streams streams,
      EntryWriter writer,
      ShardReader reader,
      Account account,
      byte[] secret,
      Executor work,
      ScheduledExecutorService timer,
      Clock clock,
      AnswerMemory memory,
      boolean throttle,
      CallMeters meters) {
    Tokens tokens = new Tokens(secret, clock);
    ShardRates rates = throttle ? new ShardRates(System::nanoTime) : null;
    Positions positions = new Positions(reader, account, clock);
    ConsumerCalls consumers =
        new ConsumerCalls(
            streams, reader, positions, account, tokens, work, timer, clock, memory, meters);
    Map<Action, Operation> all = new EnumMap<>(Action.class);
    new StreamCalls(streams, account, tokens, work, clock).addTo(all);
    new ShardCalls(streams, account, tokens, work, clock).addTo(all);
    new PutCalls(streams, writer, account, work, rates, meters).addTo(all);
    new ReadCalls(streams, reader, positions, account, tokens, work, memory, rates, meters)
        .addTo(all);
    new TagCalls(streams, account, work).addTo(all);
    consumers.addTo(all);
    return new Operations(all, consumers::subscribe);
  }

  /** The operation of an action other than SubscribeToShard; null if there is none. */
  public Operation of(Action action) {
    return operations.get(action);
  }

  public SubscribeOperation subscribe() {
    return subscribe;
  }
}
