package dev.sluice.kinesis.call;

import dev.sluice.kinesis.log.ShardReader;
import dev.sluice.kinesis.log.Streams;
import dev.sluice.kinesis.shard.Account;
import dev.sluice.kinesis.shard.Consumer;
import dev.sluice.kinesis.shard.ErrorType;
import dev.sluice.kinesis.shard.KinesisException;
import dev.sluice.kinesis.shard.Shard;
import dev.sluice.kinesis.shard.StreamChange;
import dev.sluice.kinesis.shard.StreamState;
import dev.sluice.kinesis.wire.Action;
import dev.sluice.kinesis.wire.Answer;
import dev.sluice.kinesis.wire.AnswerWriter;
import dev.sluice.kinesis.wire.Input;
import dev.sluice.kinesis.wire.StreamNames;
import dev.sluice.kinesis.wire.StreamNames.ConsumerName;
import java.io.IOException;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;

/**
 * Consumers that have records pushed, and their subscriptions. Which subscriptions there are is
 * this instance's own knowledge: a second one of the same consumer elsewhere isn't noticed.
 */
final class ConsumerCalls {
  private static final int PAGE = 100;

  /** How long a subscription is safe from being taken over. */
  private static final long SAFE_MILLIS = 5_000;

  private final Streams streams;
  private final ShardReader reader;
  private final Positions positions;
  private final Account account;
  private final StreamNames names;
  private final Tokens tokens;
  private final Executor work;
  private final ScheduledExecutorService timer;
  private final Clock clock;
  private final AnswerMemory memory;
  private final CallMeters meters;

  /** The running one of each consumer and shard. */
  private final Map<Subscriber, ShardSubscription> running = new ConcurrentHashMap<>();

  private record Subscriber(String consumerArn, String shardId) {}

  ConsumerCalls(
      Streams streams,
      ShardReader reader,
      Positions positions,
      Account account,
      Tokens tokens,
      Executor work,
      ScheduledExecutorService timer,
      Clock clock,
      AnswerMemory memory,
      CallMeters meters) {
    this.streams = streams;
    this.reader = reader;
    this.positions = positions;
    this.account = account;
    this.names = new StreamNames(account);
    this.tokens = tokens;
    this.work = work;
    this.timer = timer;
    this.clock = clock;
    this.memory = memory;
    this.meters = meters;
  }

  void addTo(Map<Action, Operation> operations) {
    operations.put(Action.REGISTER_STREAM_CONSUMER, (input, caller) -> register(input));
    operations.put(Action.DEREGISTER_STREAM_CONSUMER, (input, caller) -> deregister(input));
    operations.put(Action.DESCRIBE_STREAM_CONSUMER, (input, caller) -> describe(input));
    operations.put(Action.LIST_STREAM_CONSUMERS, (input, caller) -> list(input));
  }

  private CompletableFuture<Answer> register(Input input) {
    String stream = names.stream(input.text("StreamARN"));
    String name = input.text("ConsumerName");
    if (input.has("Tags")) {
      throw TagCalls.notOfConsumers();
    }
    return streams
        .changeConsumers(
            stream, now -> StreamChange.registerConsumer(account, now, name, clock.millis()))
        .thenApply(
            now -> {
              Consumer consumer = find(now, name);
              return out -> {
                out.object("Consumer");
                describe(out, stream, consumer, "CREATING");
                out.end();
              };
            });
  }

  private Consumer find(StreamState stream, String name) {
    return stream.consumers().stream()
        .filter(consumer -> consumer.name().equals(name))
        .findAny()
        .orElseThrow(() -> account.noConsumer(name));
  }

  private Consumer find(StreamState stream, ConsumerName name) {
    Consumer consumer = find(stream, name.name());
    if (name.createdSeconds() != Shard.NONE
        && name.createdSeconds() != consumer.created() / 1_000) {
      throw account.noConsumer(name.name());
    }
    return consumer;
  }

  /** Named by its ARN, or by the stream's and its name, which leaves open when it was created. */
  private ConsumerName consumer(Input input) {
    String arn = input.text("ConsumerARN");
    if (arn != null) {
      return names.consumer(arn);
    }
    String streamArn = input.text("StreamARN");
    String name = input.text("ConsumerName");
    if (streamArn == null || name == null) {
      throw new KinesisException(
          ErrorType.INVALID_ARGUMENT,
          "Either both Stream ARN and Consumer Name or Consumer ARN must be provided.");
    }
    return new ConsumerName(names.stream(streamArn), name, Shard.NONE);
  }

  private CompletableFuture<Answer> deregister(Input input) {
    ConsumerName name = consumer(input);
    return streams
        .changeConsumers(
            name.stream(),
            now -> StreamChange.deregisterConsumer(account, now, find(now, name).name()))
        .thenApply(stream -> Answer.NOTHING);
  }

  private CompletableFuture<Answer> describe(Input input) {
    ConsumerName name = consumer(input);
    return streams
        .newest(name.stream())
        .thenApplyAsync(
            stream -> {
              Consumer consumer = find(stream, name);
              return out -> {
                out.object("ConsumerDescription");
                describe(out, stream.name(), consumer, "ACTIVE");
                out.text("StreamARN", account.streamArn(stream.name())).end();
              };
            },
            work);
  }

  private void describe(AnswerWriter out, String stream, Consumer consumer, String status)
      throws IOException {
    out.text("ConsumerName", consumer.name())
        .text("ConsumerARN", account.consumerArn(stream, consumer))
        .text("ConsumerStatus", status)
        .time("ConsumerCreationTimestamp", consumer.created());
  }

  private CompletableFuture<Answer> list(Input input) {
    String name = names.stream(input.text("StreamARN"));
    int limit = input.number("MaxResults", PAGE);
    Long created = input.time("StreamCreationTimestamp");
    String text = input.text("NextToken");
    Token token = text == null ? null : tokens.next(Tokens.Kind.CONSUMERS, text);
    if (token != null && created != null) {
      throw new KinesisException(
          ErrorType.INVALID_ARGUMENT,
          "NextToken and StreamCreationTimestamp cannot be provided together.");
    }
    if (token != null && !token.stream().equals(name)) {
      throw new KinesisException(
          ErrorType.INVALID_ARGUMENT, "NextToken and StreamARN name different streams.");
    }
    return streams
        .newest(name)
        .thenApplyAsync(
            stream -> {
              if ((created != null && created / 1_000 != stream.created() / 1_000)
                  || (token != null && token.created() != stream.created())) {
                throw account.noStream(name);
              }
              return list(stream, token == null ? "" : token.word(), limit);
            },
            work);
  }

  private Answer list(StreamState stream, String after, int limit) {
    List<Consumer> rest =
        stream.consumers().stream()
            .filter(consumer -> consumer.name().compareTo(after) > 0)
            .toList();
    List<Consumer> page = rest.subList(0, Math.min(limit, rest.size()));
    String next =
        page.size() == rest.size()
            ? null
            : tokens.issue(
                Tokens.Kind.CONSUMERS,
                new Token(stream.name(), stream.created(), 0, 0, page.get(page.size() - 1).name()));
    return out -> {
      out.array("Consumers");
      for (Consumer consumer : page) {
        out.object();
        describe(out, stream.name(), consumer, "ACTIVE");
        out.end();
      }
      out.end().text("NextToken", next);
    };
  }

  CompletableFuture<Subscription> subscribe(Input input, Caller caller) {
    String arn = input.text("ConsumerARN");
    ConsumerName name = names.consumer(arn);
    String shardId = input.text("ShardId");
    Input position = input.structure("StartingPosition");
    return streams
        .newest(name.stream())
        .thenApplyAsync(
            stream -> {
              caller.isFor(stream.name());
              Consumer consumer = find(stream, name);
              Shard shard = positions.shard(stream, shardId);
              long offset =
                  positions.offset(
                      stream,
                      shard,
                      position.text("Type"),
                      position.text("SequenceNumber"),
                      position.time("Timestamp"));
              return begin(new Subscriber(arn, shardId), stream, consumer, shard, offset);
            },
            work);
  }

  private Subscription begin(
      Subscriber subscriber, StreamState stream, Consumer consumer, Shard shard, long offset) {
    String words =
        "Another active subscription exists for this consumer: %s:%s:%s:%s"
            .formatted(account.id(), stream.name(), consumer.name(), shard.id());
    ShardSubscription mine =
        new ShardSubscription(
            streams,
            reader,
            positions,
            work,
            timer,
            clock,
            stream,
            shard,
            offset,
            memory,
            meters,
            ended -> running.remove(subscriber, ended));
    KinesisException taken = new KinesisException(ErrorType.RESOURCE_IN_USE, words);
    running.compute(
        subscriber,
        (same, other) -> {
          if (other != null) {
            if (clock.millis() - other.begun() < SAFE_MILLIS) {
              throw taken;
            }
            other.end(taken);
          }
          return mine;
        });
    return mine;
  }
}
