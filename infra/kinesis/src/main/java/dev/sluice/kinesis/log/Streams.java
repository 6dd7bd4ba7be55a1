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
  private static final Duration CLOSE_AT_MOST = Duration.ofSeconds(5);

  private final StreamTable table;
  private final ShardWriter writer;
  private final Account account;
  private final Clock clock;
  private final Duration takeOver;
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
   */
  public Streams(
      Map<String, Object> kafka,
      String prefix,
      short replication,
      StreamTable table,
      ShardWriter writer,
      Account account,
      Clock clock,
      Duration takeOver) {
    this.table = table;
    this.writer = writer;
    this.account = account;
    this.clock = clock;
    this.takeOver = takeOver;
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

  /** Begins to look for what others left unfinished. */
  public void start() {
    long period = Math.max(1, Math.min(takeOver.toMillis(), 1_000));
    var unused = watch.scheduleAtFixedRate(this::look, period, period, TimeUnit.MILLISECONDS);
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
    StreamState stream = table.stream(name);
    if (stream == null) {
      throw account.noStream(name);
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
    StreamTable.Change create =
        present ->
            StreamChange.create(
                account, present, name, mode, shards, maxRecordKiB, tags, clock.millis());
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
   *     KinesisException}
   */
  public CompletableFuture<StreamState> change(String name, UnaryOperator<StreamState> decision) {
    return accept(
        name,
        present -> {
          if (present == null) {
            throw account.noStream(name);
          }
          return decision.apply(present);
        });
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
      case CREATING -> {
        topics.create(stream);
        yield conclude(stream, StreamChange::finished);
      }
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
