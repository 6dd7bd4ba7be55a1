package dev.sluice.kinesis.log;

import dev.sluice.kinesis.shard.Account;
import dev.sluice.kinesis.shard.KinesisException;
import dev.sluice.kinesis.shard.Resharding;
import dev.sluice.kinesis.shard.Shard;
import dev.sluice.kinesis.shard.StreamChange;
import dev.sluice.kinesis.shard.StreamState;
import dev.sluice.kinesis.shard.StreamState.Mode;
import dev.sluice.kinesis.shard.StreamState.Status;
import dev.sluice.kinesis.table.StreamTable;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The streams of all instances, and what is done to them. A change is accepted once the table has
 * it; what it takes (topics, markers, partitions) goes on behind, and the stream is CREATING,
 * UPDATING or DELETING until then. What an instance began and didn't finish, another finishes.
 * Thread-safe; started and closed once.
 */
public final class Streams implements AutoCloseable {
  /** When another instance finishes what one has begun. */
  public static final Duration TAKE_OVER = Duration.ofSeconds(10);

  private static final Logger LOG = LoggerFactory.getLogger(Streams.class);
  private static final Duration API_TIMEOUT = Duration.ofSeconds(10);
  private static final Duration RECONNECT_AT_MOST = Duration.ofMillis(500);

  /** When topics of others are looked at again, for there may be more, or they may have changed. */
  private static final Duration LOOK_SOON = Duration.ofSeconds(1);

  private static final Duration LOOK_AGAIN = Duration.ofMinutes(5);
  private static final Duration CLOSE_AT_MOST = Duration.ofSeconds(5);

  private final StreamTable table;
  private final ShardWriter writer;
  private final Account account;
  private final Clock clock;
  private final Duration takeOver;
  private final Map<String, String> others;
  private final Admin admin;
  private final StreamTopics topics;

  /** Streams that this instance has begun to change, and hasn't finished. */
  private final Set<String> begun = ConcurrentHashMap.newKeySet();

  /** Streams that this instance is finishing. */
  private final Set<String> finishing = ConcurrentHashMap.newKeySet();

  private final ExecutorService finishers =
      Executors.newCachedThreadPool(daemon("sluice-kinesis-streams"));
  private final ScheduledExecutorService watch =
      Executors.newSingleThreadScheduledExecutor(daemon("sluice-kinesis-watch"));

  /**
   * Needs no broker to be there yet.
   *
   * @param kafka client settings: {@code bootstrap.servers}, and security where needed
   * @param prefix of every topic
   * @param replication copies of each topic; -1 for the broker's default
   * @param takeOver how long something unfinished is left to the instance that began it; {@link
   *     #TAKE_OVER}
   * @param others topics that others make, by the names of the streams that stand for them once
   *     they are there
   */
  public Streams(
      Map<String, Object> kafka,
      String prefix,
      short replication,
      StreamTable table,
      ShardWriter writer,
      Account account,
      Clock clock,
      Duration takeOver,
      Map<String, String> others) {
    this.table = table;
    this.writer = writer;
    this.account = account;
    this.clock = clock;
    this.takeOver = takeOver;
    this.others = Map.copyOf(others);
    Map<String, Object> settings = new HashMap<>(kafka);
    settings.put(AdminClientConfig.CLIENT_ID_CONFIG, "sluice-kinesis-streams");
    settings.put(AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, (int) API_TIMEOUT.toMillis());
    settings.put(
        AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG, (int) API_TIMEOUT.dividedBy(2).toMillis());
    settings.put(AdminClientConfig.RECONNECT_BACKOFF_MAX_MS_CONFIG, RECONNECT_AT_MOST.toMillis());
    settings.put(AdminClientConfig.ENABLE_METRICS_PUSH_CONFIG, false);
    this.admin = Admin.create(settings);
    this.topics = new StreamTopics(admin, prefix, replication);
  }

  private static ThreadFactory daemon(String name) {
    return work -> {
      Thread thread = new Thread(work, name);
      thread.setDaemon(true);
      return thread;
    };
  }

  /** Begins to look for what others left unfinished, and for topics of others. */
  public void start() {
    if (!others.isEmpty()) {
      lookAtOthers(Duration.ZERO);
    }
    long period = Math.max(1, Math.min(takeOver.toMillis(), 1_000));
    var unused = watch.scheduleAtFixedRate(this::look, period, period, TimeUnit.MILLISECONDS);
  }

  private void lookAtOthers(Duration delay) {
    try {
      var unused =
          watch.schedule(
              () -> finishers.execute(this::lookAtOthers), delay.toMillis(), TimeUnit.MILLISECONDS);
    } catch (RejectedExecutionException e) {
      LOG.debug("Closing");
    }
  }

  private void lookAtOthers() {
    boolean all = true;
    try {
      table.ready().get();
      for (Map.Entry<String, String> other : others.entrySet()) {
        all &= hasOther(other.getKey(), other.getValue());
      }
    } catch (ExecutionException | RuntimeException e) {
      all = false;
      LOG.warn("Topics of others aren't streams yet: {}", words(e));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return;
    }
    lookAtOthers(all ? LOOK_AGAIN : LOOK_SOON);
  }

  /** Has the table say of a topic of others what it is like; false if there is none yet. */
  private boolean hasOther(String name, String topic)
      throws ExecutionException, InterruptedException {
    Optional<StreamTopics.Facts> facts = topics.look(topic);
    if (facts.isEmpty()) {
      return false;
    }
    int partitions = facts.get().partitions();
    int hours = facts.get().retentionHours();
    StreamTable.Change change =
        present -> StreamChange.ofOthers(present, name, topic, partitions, hours, clock.millis());
    StreamState seen = table.stream(name);
    StreamState now =
        seen != null && seen.equals(change.apply(seen)) ? seen : table.change(name, change).join();
    if (!now.isOfOthers()) {
      LOG.warn("Topic {} isn't a stream, since a stream {} was created before", topic, name);
    }
    return true;
  }

  /**
   * All streams as they are after this call began, by name.
   *
   * @return completed on a thread that must not be kept
   */
  public CompletableFuture<Collection<StreamState>> newest() {
    return table.readToEnd().thenApply(read -> table.streams());
  }

  /**
   * A stream as it is after this call began.
   *
   * @return completed on a thread that must not be kept; fails with {@link KinesisException} if
   *     there is none
   */
  public CompletableFuture<StreamState> newest(String name) {
    return table.readToEnd().thenApply(read -> get(name));
  }

  /**
   * A stream that takes and gives records, as it was a moment ago; only if there was none then, as
   * it is now, since another instance may just have created it.
   *
   * @return if not complete already, completed on a thread that must not be kept; fails with {@link
   *     KinesisException} if there is none
   */
  public CompletableFuture<StreamState> serving(String name) {
    StreamState seen = table.stream(name);
    if (isServing(seen)) {
      return CompletableFuture.completedFuture(seen);
    }
    return newest(name)
        .thenApply(
            stream -> {
              if (!isServing(stream)) {
                throw account.noStream(name);
              }
              return stream;
            });
  }

  private static boolean isServing(StreamState stream) {
    return stream != null
        && (stream.status() == Status.ACTIVE || stream.status() == Status.UPDATING);
  }

  /**
   * A stream as it was a moment ago.
   *
   * @throws KinesisException if there is none
   */
  public StreamState get(String name) {
    return require(name, table.stream(name));
  }

  private StreamState require(String name, StreamState stream) {
    if (stream == null) {
      throw others.containsKey(name)
          ? KinesisException.unavailable("Topic %s isn't there yet.".formatted(others.get(name)))
          : account.noStream(name);
    }
    return stream;
  }

  /**
   * Creates a stream.
   *
   * @param shards ignored in mode ON_DEMAND
   * @return the stream, CREATING; fails with {@link KinesisException}
   */
  public CompletableFuture<StreamState> create(
      String name, Mode mode, int shards, int maxRecordKiB, Map<String, String> tags) {
    if (others.containsKey(name)) {
      return CompletableFuture.failedFuture(account.streamExists(name));
    }
    StreamTable.Change create =
        present ->
            StreamChange.after(
                table.lastSecond(name),
                StreamChange.create(
                    account,
                    present,
                    table.streams(),
                    name,
                    mode,
                    shards,
                    maxRecordKiB,
                    tags,
                    clock.millis()));
    StreamState wanted;
    try {
      wanted = create.apply(table.stream(name));
    } catch (KinesisException e) {
      return CompletableFuture.failedFuture(e);
    }
    return topics.check(wanted).thenCompose(possible -> accept(name, create));
  }

  /**
   * Changes a stream as {@link StreamChange} or {@link Resharding} decides.
   *
   * @param decision a function of the stream as it is then; may be asked again
   * @return the stream, changed, though what that takes may still go on; fails with {@link
   *     KinesisException}, also if it is a stream of others
   */
  public CompletableFuture<StreamState> change(String name, UnaryOperator<StreamState> decision) {
    return changeConsumers(
        name,
        present -> {
          if (present.isOfOthers()) {
            throw account.isOfOthers(present);
          }
          return decision.apply(present);
        });
  }

  /** As {@link #change}, but only who is registered, which streams of others have too. */
  public CompletableFuture<StreamState> changeConsumers(
      String name, UnaryOperator<StreamState> decision) {
    return accept(name, present -> decision.apply(require(name, present)));
  }

  private CompletableFuture<StreamState> accept(String name, StreamTable.Change change) {
    return table
        .change(name, change)
        .thenApply(
            stream -> {
              if (isUnfinished(stream)) {
                begun.add(name);
                finish(name);
              }
              return stream;
            });
  }

  private static boolean isUnfinished(StreamState stream) {
    return stream != null && stream.status() != Status.ACTIVE;
  }

  private void look() {
    for (StreamState stream : table.streams()) {
      String name = stream.name();
      if (isUnfinished(stream)
          && (begun.contains(name) || table.age(name).compareTo(takeOver) >= 0)) {
        finish(name);
      }
    }
  }

  /** Finishes a stream in the background, unless that is under way. */
  private void finish(String name) {
    if (!finishing.add(name)) {
      return;
    }
    try {
      finishers.execute(
          () -> {
            boolean finished = false;
            try {
              finished = finishNow(name);
            } finally {
              finishing.remove(name);
            }
            // Changed again just before this stopped to be under way.
            if (finished && begun.contains(name) && isUnfinished(table.stream(name))) {
              finish(name);
            }
          });
    } catch (RejectedExecutionException e) {
      LOG.debug("Closing; {} is left to others", name);
    }
  }

  private boolean finishNow(String name) {
    try {
      StreamState stream = table.stream(name);
      while (isUnfinished(stream)) {
        stream = step(stream);
        if (!isUnfinished(stream)) {
          begun.remove(name);
          stream = table.stream(name);
        }
      }
      return true;
    } catch (ExecutionException | RuntimeException e) {
      LOG.warn("Stream {} isn't finished yet: {}", name, words(e));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return false;
  }

  private static String words(Throwable failure) {
    return failure.getCause() == null ? failure.toString() : failure.getCause().toString();
  }

  /** The next step of an unfinished stream. Others may make the same one; the table takes one. */
  private StreamState step(StreamState stream) throws ExecutionException, InterruptedException {
    return switch (stream.status()) {
      case ACTIVE -> stream;
      case CREATING -> create(stream);
      case UPDATING -> {
        if (stream.resharding() != null) {
          yield reshard(stream);
        }
        topics.configure(stream);
        yield conclude(stream, StreamChange::finished);
      }
      case DELETING -> {
        topics.delete(stream);
        yield conclude(stream, same -> null);
      }
    };
  }

  /** Without a topic for ever, a stream could neither be used nor deleted; so it goes. */
  private StreamState create(StreamState stream) throws ExecutionException, InterruptedException {
    try {
      topics.create(stream);
    } catch (ExecutionException e) {
      if (!StreamTopics.isForGood(e.getCause())) {
        throw e;
      }
      StreamState next = conclude(stream, same -> null);
      LOG.warn("Stream {} is removed, since it can't have a topic: {}", stream.name(), words(e));
      return next;
    }
    return conclude(stream, StreamChange::finished);
  }

  private StreamState reshard(StreamState stream) throws ExecutionException, InterruptedException {
    Resharding step = stream.resharding();
    topics.grow(stream, step.partitions(stream));
    List<CompletableFuture<Long>> written = new ArrayList<>();
    for (Shard parent : step.parents(stream)) {
      written.add(writer.mark(stream, parent));
    }
    List<Long> markers = new ArrayList<>();
    for (CompletableFuture<Long> marker : written) {
      markers.add(marker.get());
    }
    return conclude(stream, same -> Resharding.closed(same, markers, clock.millis()));
  }

  /** Ends a step, unless somebody has or the stream is another now. */
  private StreamState conclude(StreamState stream, UnaryOperator<StreamState> end) {
    try {
      return table
          .change(stream.name(), present -> stream.equals(present) ? end.apply(present) : present)
          .join();
    } catch (CompletionException e) {
      throw e.getCause() instanceof KinesisException refusal ? refusal : e;
    }
  }

  @Override
  public void close() {
    watch.shutdownNow();
    finishers.shutdownNow();
    try {
      if (!finishers.awaitTermination(CLOSE_AT_MOST.toMillis(), TimeUnit.MILLISECONDS)) {
        LOG.debug("Something unfinished is left to others");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    admin.close(Duration.ZERO);
  }
}
