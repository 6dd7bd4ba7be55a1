package dev.sluice.kinesis.call;

import dev.sluice.kinesis.log.Streams;
import dev.sluice.kinesis.shard.Account;
import dev.sluice.kinesis.shard.ErrorType;
import dev.sluice.kinesis.shard.HashKey;
import dev.sluice.kinesis.shard.KinesisException;
import dev.sluice.kinesis.shard.Resharding;
import dev.sluice.kinesis.shard.Shard;
import dev.sluice.kinesis.shard.ShardFilter;
import dev.sluice.kinesis.shard.StreamState;
import dev.sluice.kinesis.wire.Action;
import dev.sluice.kinesis.wire.Answer;
import dev.sluice.kinesis.wire.Input;
import dev.sluice.kinesis.wire.StreamNames;
import java.time.Clock;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;

/** What is asked of a stream's shards. Thread-safe. */
final class ShardCalls {
  private static final int PAGE = 1_000;

  /** What says which shards a first page has; a further page is the same list's. */
  private static final List<String> OF_FIRST_PAGE =
      List.of("StreamName", "ShardFilter", "ExclusiveStartShardId", "StreamCreationTimestamp");

  private final Streams streams;
  private final Account account;
  private final StreamNames names;
  private final Tokens tokens;
  private final Executor work;
  private final Clock clock;

  ShardCalls(Streams streams, Account account, Tokens tokens, Executor work, Clock clock) {
    this.streams = streams;
    this.account = account;
    this.names = new StreamNames(account);
    this.tokens = tokens;
    this.work = work;
    this.clock = clock;
  }

  void addTo(Map<Action, Operation> operations) {
    operations.put(Action.LIST_SHARDS, (input, caller) -> list(input));
    operations.put(Action.SPLIT_SHARD, (input, caller) -> split(input));
    operations.put(Action.MERGE_SHARDS, (input, caller) -> merge(input));
    operations.put(Action.UPDATE_SHARD_COUNT, (input, caller) -> updateCount(input));
  }

  private CompletableFuture<Answer> list(Input input) {
    int limit = input.number("MaxResults", PAGE);
    String token = input.text("NextToken");
    Token from = token == null ? first(input) : next(input, token);
    return streams.newest(from.stream()).thenApplyAsync(stream -> list(stream, from, limit), work);
  }

  /**
   * Where the first page begins.
   *
   * @return created is 0 if the input names no time
   */
  private Token first(Input input) {
    String stream = names.stream(input);
    int after = Shard.NONE;
    String type = "FROM_TRIM_HORIZON";
    long time = 0;
    Input filter = input.structure("ShardFilter");
    if (filter != null) {
      type = filter.text("Type");
      if (type.equals("AFTER_SHARD_ID")) {
        after = number(stream, filter, "ShardId", type);
      } else if (type.endsWith("_TIMESTAMP")) {
        if (!filter.has("Timestamp")) {
          throw lacks("Timestamp", type);
        }
        time = filter.time("Timestamp");
      }
    }
    if (input.has("ExclusiveStartShardId")) {
      after = Math.max(after, number(stream, input, "ExclusiveStartShardId", type));
    }
    Long created = input.time("StreamCreationTimestamp");
    return new Token(stream, created == null ? 0 : created, after, time, type);
  }

  private int number(String stream, Input input, String field, String type) {
    String id = input.text(field);
    if (id == null) {
      throw lacks(field, type);
    }
    int number = Shard.number(id);
    if (number == Shard.NONE) {
      throw account.noShard(stream, id);
    }
    return number;
  }

  private static KinesisException lacks(String field, String type) {
    return new KinesisException(
        ErrorType.INVALID_ARGUMENT,
        "%s must be provided in a ShardFilter of type %s.".formatted(field, type));
  }

  private Token next(Input input, String token) {
    for (String field : OF_FIRST_PAGE) {
      if (input.has(field)) {
        throw new KinesisException(
            ErrorType.INVALID_ARGUMENT,
            "NextToken and %s cannot be provided together.".formatted(field));
      }
    }
    Token next = tokens.next(Tokens.Kind.SHARDS, token);
    String arn = input.text("StreamARN");
    if (arn != null && !names.stream(arn).equals(next.stream())) {
      throw new KinesisException(
          ErrorType.INVALID_ARGUMENT, "NextToken and StreamARN name different streams.");
    }
    return next;
  }

  private Answer list(StreamState stream, Token from, int limit) {
    // Clients may know no more than the second.
    if (from.created() != 0 && from.created() / 1_000 != stream.created() / 1_000) {
      throw account.noStream(stream.name());
    }
    long now = clock.millis();
    ShardFilter filter = filter(from);
    List<Shard> rest =
        Descriptions.shown(stream, now).stream()
            .filter(shard -> shard.number() > from.shard() && filter.has(stream, shard, now))
            .toList();
    List<Shard> page = rest.subList(0, Math.min(limit, rest.size()));
    String next =
        page.size() == rest.size()
            ? null
            : tokens.issue(
                Tokens.Kind.SHARDS,
                new Token(
                    stream.name(),
                    stream.created(),
                    page.get(page.size() - 1).number(),
                    from.value(),
                    from.word()));
    return out -> {
      Descriptions.shards(out, page);
      out.text("NextToken", next);
    };
  }

  private static ShardFilter filter(Token from) {
    return switch (from.word()) {
      case "AT_TRIM_HORIZON" -> new ShardFilter.AtTrimHorizon();
      case "AT_LATEST" -> new ShardFilter.AtLatest();
      case "AT_TIMESTAMP" -> new ShardFilter.AtTimestamp(from.value());
      case "FROM_TIMESTAMP" -> new ShardFilter.FromTimestamp(from.value());
      case "AFTER_SHARD_ID" -> new ShardFilter.AfterShard(from.shard());
      default -> new ShardFilter.FromTrimHorizon();
    };
  }

  private CompletableFuture<Answer> split(Input input) {
    String name = names.stream(input);
    HashKey at = splitPoint(input.text("NewStartingHashKey"));
    return streams
        .newest()
        .thenComposeAsync(
            all ->
                streams.change(
                    name,
                    stream -> {
                      StreamState next =
                          Resharding.split(
                              account, stream, input.text("ShardToSplit"), at, clock.millis());
                      ShardLimit.check(account, all, 1);
                      return next;
                    }),
            work)
        .thenApply(stream -> Answer.NOTHING);
  }

  /** A number that is too large is as wrong as the last one, at which no shard can be split. */
  private static HashKey splitPoint(String decimal) {
    try {
      return HashKey.parse(decimal);
    } catch (IllegalArgumentException e) {
      return HashKey.MAX;
    }
  }

  private CompletableFuture<Answer> merge(Input input) {
    return streams
        .change(
            names.stream(input),
            stream ->
                Resharding.merge(
                    account,
                    stream,
                    input.text("ShardToMerge"),
                    input.text("AdjacentShardToMerge")))
        .thenApply(stream -> Answer.NOTHING);
  }

  private CompletableFuture<Answer> updateCount(Input input) {
    String name = names.stream(input);
    int target = input.number("TargetShardCount", 0);
    AtomicInteger before = new AtomicInteger();
    return streams
        .newest()
        .thenComposeAsync(
            all -> streams.change(name, stream -> updateCount(stream, target, before, all)), work)
        .thenApply(
            stream ->
                out ->
                    out.text("StreamName", name)
                        .text("StreamARN", account.streamArn(name))
                        .number("CurrentShardCount", before.get())
                        .number("TargetShardCount", target));
  }

  private StreamState updateCount(
      StreamState stream, int target, AtomicInteger before, Collection<StreamState> all) {
    int open = stream.open().size();
    before.set(open);
    StreamState next = Resharding.updateCount(account, stream, target, clock.millis());
    ShardLimit.check(account, all, target - open);
    return next;
  }
}
