package dev.sluice.kinesis.table;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.kinesis.shard.KinesisException;
import dev.sluice.kinesis.shard.Shard;
import dev.sluice.kinesis.shard.StreamState;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.TopicConfig;
import org.apache.kafka.common.errors.TopicExistsException;
import org.apache.kafka.common.errors.WakeupException;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The streams, as all instances share them. A view follows the topic; a change is decided on the
 * newest state and written only if nobody else has changed anything meanwhile: whoever changes owns
 * the transactional id, and takes it from whom had it before. Thread-safe; started and closed once.
 */
public final class StreamTable implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(StreamTable.class);

  /** For a stream of thousands of shards. */
  private static final int MAX_DOCUMENT_BYTES = 8 << 20;

  /** A tombstone that were forgotten would leave a stream in the view of who missed it. */
  private static final Duration FOR_EVER = Duration.ofDays(36_500);

  /** Header of a tombstone: the second in which the last shard of the stream began. */
  private static final String LAST_SECOND = "last-second";

  private static final Duration POLL = Duration.ofMillis(200);
  private static final Duration API_TIMEOUT = Duration.ofSeconds(5);
  private static final Duration RECONNECT_AT_MOST = Duration.ofMillis(500);
  private static final Duration PAUSE_AFTER_FAILURE = Duration.ofMillis(500);
  private static final Duration CLOSE_AT_MOST = Duration.ofSeconds(5);

  /** After which an instance that went silent in a transaction no longer holds back readers. */
  private static final Duration TRANSACTION_TIMEOUT = Duration.ofSeconds(10);

  private static final Duration CHANGE_WITHIN = Duration.ofSeconds(15);
  private static final int PAUSE_AT_MOST_MILLIS = 40;

  private final Map<String, Object> kafka;
  private final TopicPartition partition;
  private final short replication;
  private final Admin admin;
  private final EndOffset end;
  private final KafkaConsumer<byte[], byte[]> consumer;
  private final Thread follower;
  private final CompletableFuture<Void> ready = new CompletableFuture<>();
  private final CountDownLatch closing = new CountDownLatch(1);
  private final ConcurrentSkipListMap<String, Seen> view = new ConcurrentSkipListMap<>();

  /** Of streams removed, by name: the second in which the last shard began. */
  private final Map<String, Long> lastSeconds = new ConcurrentHashMap<>();

  private final ExecutorService changer =
      Executors.newSingleThreadExecutor(
          work -> {
            Thread thread = new Thread(work, "sluice-kinesis-table-writer");
            thread.setDaemon(true);
            return thread;
          });

  /** Everything before it is in the view. Written by the follower, under {@code waiters}. */
  private volatile long position = -1;

  private boolean begun;

  private final List<Waiter> waiters = new ArrayList<>();
  private final List<Watch> watches = new ArrayList<>();

  /** The changer's alone; null until it is needed and after it was fenced. */
  private KafkaProducer<byte[], byte[]> producer;

  /** A stream, and when this instance saw it become what it is. */
  private record Seen(StreamState stream, long nanos) {}

  private record Waiter(long position, CompletableFuture<Void> reached) {}

  private record Watch(
      String name, Predicate<StreamState> condition, CompletableFuture<StreamState> met) {}

  /** What becomes of a stream. May be called again, with a newer state. */
  public interface Change {
    /**
     * @param present null if there is no such stream
     * @return the next state; {@code present} to change nothing; null to remove the stream
     * @throws KinesisException to refuse
     */
    StreamState apply(StreamState present);
  }

  /**
   * Needs no broker to be there yet.
   *
   * @param kafka client settings: {@code bootstrap.servers}, and security where needed
   * @param topic of the table, created if it isn't there
   * @param replication copies of the topic; -1 for the broker's default
   */
  public StreamTable(Map<String, Object> kafka, String topic, short replication) {
    this.kafka = Map.copyOf(kafka);
    this.partition = new TopicPartition(topic, 0);
    this.replication = replication;
    this.admin = Admin.create(adminSettings());
    this.end = new EndOffset(admin, partition, IsolationLevel.READ_COMMITTED);
    this.consumer = new KafkaConsumer<>(consumerSettings());
    this.follower = new Thread(this::follow, "sluice-kinesis-table");
    follower.setDaemon(true);
  }

  private Map<String, Object> adminSettings() {
    Map<String, Object> settings = new HashMap<>(kafka);
    settings.put(AdminClientConfig.CLIENT_ID_CONFIG, "sluice-kinesis-table-end");
    settings.put(AdminClientConfig.RECONNECT_BACKOFF_MAX_MS_CONFIG, RECONNECT_AT_MOST.toMillis());
    settings.put(AdminClientConfig.ENABLE_METRICS_PUSH_CONFIG, false);
    return settings;
  }

  private Map<String, Object> consumerSettings() {
    Map<String, Object> settings = new HashMap<>(kafka);
    settings.put(ConsumerConfig.CLIENT_ID_CONFIG, "sluice-kinesis-table");
    settings.put(ConsumerConfig.ISOLATION_LEVEL_CONFIG, "read_committed");
    settings.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
    settings.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest");
    settings.put(ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG, false);
    settings.put(ConsumerConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, (int) API_TIMEOUT.toMillis());
    settings.put(ConsumerConfig.REQUEST_TIMEOUT_MS_CONFIG, (int) API_TIMEOUT.toMillis());
    settings.put(ConsumerConfig.RECONNECT_BACKOFF_MAX_MS_CONFIG, RECONNECT_AT_MOST.toMillis());
    settings.put(ConsumerConfig.ENABLE_METRICS_PUSH_CONFIG, false);
    settings.put(ConsumerConfig.KEY_DESERIALIZER_CLASS_CONFIG, ByteArrayDeserializer.class);
    settings.put(ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG, ByteArrayDeserializer.class);
    return settings;
  }

  private Map<String, Object> producerSettings() {
    Map<String, Object> settings = new HashMap<>(kafka);
    settings.put(ProducerConfig.CLIENT_ID_CONFIG, "sluice-kinesis-table-writer");
    settings.put(ProducerConfig.TRANSACTIONAL_ID_CONFIG, partition.topic());
    settings.put(ProducerConfig.TRANSACTION_TIMEOUT_CONFIG, (int) TRANSACTION_TIMEOUT.toMillis());
    settings.put(ProducerConfig.MAX_BLOCK_MS_CONFIG, API_TIMEOUT.toMillis());
    settings.put(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, (int) API_TIMEOUT.toMillis());
    settings.put(ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG, (int) API_TIMEOUT.toMillis());
    settings.put(ProducerConfig.LINGER_MS_CONFIG, 0);
    settings.put(ProducerConfig.MAX_REQUEST_SIZE_CONFIG, MAX_DOCUMENT_BYTES);
    settings.put(ProducerConfig.RECONNECT_BACKOFF_MAX_MS_CONFIG, RECONNECT_AT_MOST.toMillis());
    settings.put(ProducerConfig.ENABLE_METRICS_PUSH_CONFIG, false);
    settings.put(ProducerConfig.KEY_SERIALIZER_CLASS_CONFIG, ByteArraySerializer.class);
    settings.put(ProducerConfig.VALUE_SERIALIZER_CLASS_CONFIG, ByteArraySerializer.class);
    return settings;
  }

  /** Starts to follow the topic; returns at once. */
  public void start() {
    follower.start();
  }

  /** Completes once what stood in the topic at the start is in the view; never fails. */
  public CompletableFuture<Void> ready() {
    return ready.copy();
  }

  /** A stream as it was a moment ago, or null. */
  public StreamState stream(String name) {
    Seen seen = view.get(name);
    return seen == null ? null : seen.stream;
  }

  /** All streams as they were a moment ago, by name. */
  public Collection<StreamState> streams() {
    List<StreamState> streams = new ArrayList<>(view.size());
    view.values().forEach(seen -> streams.add(seen.stream));
    return Collections.unmodifiableList(streams);
  }

  /**
   * The second since the epoch in which the last shard began of the last stream of a name that was
   * removed, as far as was known a moment ago; {@link Shard#NONE} if none was.
   */
  public long lastSecond(String name) {
    return lastSeconds.getOrDefault(name, (long) Shard.NONE);
  }

  /** How long ago this instance saw a stream become what it is; zero if there is none. */
  public Duration age(String name) {
    Seen seen = view.get(name);
    return seen == null ? Duration.ZERO : Duration.ofNanos(System.nanoTime() - seen.nanos);
  }

  /**
   * Completes once the view has everything that was committed before this call. One question to the
   * broker serves all who wait.
   *
   * @return completed on a client's thread, which must not be kept; fails with {@link
   *     KinesisException} when Kafka is away
   */
  public CompletableFuture<Void> readToEnd() {
    return end.ask().thenCompose(this::reached);
  }

  private CompletableFuture<Void> waitFor(long wanted) {
    CompletableFuture<Void> reached = new CompletableFuture<>();
    synchronized (waiters) {
      if (position >= wanted) {
        reached.complete(null);
      } else {
        waiters.add(new Waiter(wanted, reached));
      }
    }
    return reached;
  }

  private CompletableFuture<Void> reached(long wanted) {
    if (position >= wanted) {
      return CompletableFuture.completedFuture(null);
    }
    return waitFor(wanted)
        .orTimeout(API_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS)
        .exceptionally(
            late -> {
              throw KinesisException.unavailable("The table of streams can't be read.");
            });
  }

  /**
   * Completes once the view of a stream meets a condition, with what it was then (null if there is
   * no such stream). Never fails.
   *
   * @param condition tested on the follower's thread; gets null if there is no such stream
   * @return completed on the follower's thread, which must not be kept
   */
  public CompletableFuture<StreamState> when(String name, Predicate<StreamState> condition) {
    Watch watch = new Watch(name, condition, new CompletableFuture<>());
    synchronized (watches) {
      watches.removeIf(old -> old.met.isDone());
      watches.add(watch);
    }
    look(watch);
    return watch.met;
  }

  private void look(Watch watch) {
    StreamState now = stream(watch.name);
    if (watch.condition.test(now)) {
      watch.met.complete(now);
    }
  }

  private void follow() {
    try {
      while (closing.getCount() > 0) {
        try {
          if (!begun) {
            begin();
            begun = true;
          }
          take();
        } catch (WakeupException e) {
          LOG.debug("Woken up to close");
        } catch (RuntimeException | ExecutionException e) {
          if (closing.getCount() > 0) {
            LOG.warn("{} goes on after: {}", follower.getName(), e.toString());
            pause(PAUSE_AFTER_FAILURE);
          }
        } catch (InterruptedException e) {
          closing.countDown();
        }
      }
    } finally {
      consumer.close(CloseOptions.timeout(Duration.ZERO));
    }
  }

  private void begin() throws ExecutionException, InterruptedException {
    createTopic();
    List<TopicPartition> assigned = List.of(partition);
    consumer.assign(assigned);
    consumer.seekToBeginning(assigned);
    consumer.position(partition);
    var unused =
        waitFor(consumer.endOffsets(assigned).get(partition)).thenRun(() -> ready.complete(null));
  }

  private void createTopic() throws ExecutionException, InterruptedException {
    Map<String, String> configs =
        Map.of(
            TopicConfig.CLEANUP_POLICY_CONFIG,
            TopicConfig.CLEANUP_POLICY_COMPACT,
            TopicConfig.MESSAGE_TIMESTAMP_TYPE_CONFIG,
            "LogAppendTime",
            TopicConfig.DELETE_RETENTION_MS_CONFIG,
            Long.toString(FOR_EVER.toMillis()),
            TopicConfig.MAX_MESSAGE_BYTES_CONFIG,
            Integer.toString(MAX_DOCUMENT_BYTES));
    try {
      admin
          .createTopics(List.of(new NewTopic(partition.topic(), 1, replication).configs(configs)))
          .all()
          .get();
    } catch (ExecutionException e) {
      if (!(e.getCause() instanceof TopicExistsException)) {
        throw e;
      }
    }
  }

  private void take() {
    for (ConsumerRecord<byte[], byte[]> record : consumer.poll(POLL)) {
      take(record);
    }
    long now = consumer.position(partition);
    if (now == position) {
      return;
    }
    List<Waiter> there = new ArrayList<>();
    synchronized (waiters) {
      position = now;
      for (Iterator<Waiter> all = waiters.iterator(); all.hasNext(); ) {
        Waiter waiter = all.next();
        if (waiter.position <= now) {
          there.add(waiter);
          all.remove();
        }
      }
    }
    there.forEach(waiter -> waiter.reached.complete(null));
    List<Watch> watching;
    synchronized (watches) {
      watches.removeIf(watch -> watch.met.isDone());
      watching = List.copyOf(watches);
    }
    watching.forEach(this::look);
  }

  private void take(ConsumerRecord<byte[], byte[]> record) {
    String name = new String(record.key(), UTF_8);
    if (record.value() == null) {
      Header second = record.headers().lastHeader(LAST_SECOND);
      if (second != null) {
        lastSeconds.put(name, ByteBuffer.wrap(second.value()).getLong());
      }
      view.remove(name);
      return;
    }
    try {
      view.put(name, new Seen(StreamJson.read(record.value()), System.nanoTime()));
    } catch (StreamJson.UnreadableException e) {
      LOG.error("Passed over {} in {}: {}", name, partition.topic(), e.getMessage());
    }
  }

  /**
   * Changes a stream. Changes of this instance are made one after the other.
   *
   * @return the state it is in then (null if removed), which the view has already; fails with
   *     {@link KinesisException}: what the change threw, or, when Kafka is away or others changed
   *     the table all the time, that it is unavailable, and then the change may be made all the
   *     same
   */
  public CompletableFuture<StreamState> change(String name, Change change) {
    try {
      return CompletableFuture.supplyAsync(() -> changeNow(name, change), changer)
          .exceptionallyCompose(failure -> CompletableFuture.failedFuture(cause(failure)));
    } catch (RejectedExecutionException e) {
      return CompletableFuture.failedFuture(KinesisException.unavailable("Shutting down."));
    }
  }

  private static Throwable cause(Throwable failure) {
    return failure instanceof CompletionException && failure.getCause() != null
        ? failure.getCause()
        : failure;
  }

  private StreamState changeNow(String name, Change change) {
    long giveUp = System.nanoTime() + CHANGE_WITHIN.toNanos();
    Attempt attempt = new Attempt(name, change);
    while (true) {
      try {
        return attempt.run();
      } catch (KafkaException | ExecutionException e) {
        LOG.debug("The change of {} is tried again after: {}", name, e.toString());
        forgetProducer();
        if (System.nanoTime() > giveUp) {
          throw KinesisException.unavailable("The table of streams can't be written.");
        }
        pause(Duration.ofMillis(ThreadLocalRandom.current().nextInt(PAUSE_AT_MOST_MILLIS)));
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw KinesisException.unavailable("Shutting down.");
      }
      if (closing.getCount() == 0) {
        throw KinesisException.unavailable("Shutting down.");
      }
    }
  }

  /** One change, tried until nobody came between. */
  private final class Attempt {
    private final String name;
    private final Change change;

    /** What may have been written, though its commit failed. */
    private StreamState written;

    private boolean unsure;

    Attempt(String name, Change change) {
      this.name = name;
      this.change = change;
    }

    StreamState run() throws ExecutionException, InterruptedException {
      if (producer == null) {
        // Ends or aborts what another instance has under way.
        producer = new KafkaProducer<>(producerSettings());
        producer.initTransactions();
      }
      await(readToEnd());
      StreamState present = stream(name);
      if (unsure && Objects.equals(present, written)) {
        return present;
      }
      StreamState next = change.apply(present);
      if (Objects.equals(next, present)) {
        return present;
      }
      producer.beginTransaction();
      Future<RecordMetadata> sent =
          producer.send(
              new ProducerRecord<>(
                  partition.topic(),
                  partition.partition(),
                  name.getBytes(UTF_8),
                  next == null ? null : StreamJson.write(next),
                  next == null ? lastSecondOf(present) : List.of()));
      written = next;
      unsure = true;
      producer.commitTransaction();
      // Committed isn't yet readable; a fence counts on it.
      await(reached(sent.get().offset() + 1));
      return next;
    }
  }

  /** What its tombstone keeps, for a later stream of the name. */
  private static List<Header> lastSecondOf(StreamState removed) {
    long second = removed.shards().stream().mapToLong(Shard::createdSeconds).max().orElseThrow();
    return List.of(
        new RecordHeader(LAST_SECOND, ByteBuffer.allocate(Long.BYTES).putLong(second).array()));
  }

  private static void await(CompletableFuture<Void> done) {
    try {
      done.join();
    } catch (CompletionException e) {
      if (e.getCause() instanceof KinesisException refusal) {
        throw refusal;
      }
      throw e;
    }
  }

  private void forgetProducer() {
    if (producer != null) {
      producer.close(Duration.ZERO);
      producer = null;
    }
  }

  private void pause(Duration pause) {
    try {
      if (closing.await(pause.toMillis(), TimeUnit.MILLISECONDS)) {
        LOG.debug("Closing");
      }
    } catch (InterruptedException e) {
      closing.countDown();
    }
  }

  /** Stops; returns within some seconds. Changes that have not begun fail. */
  @Override
  public void close() {
    closing.countDown();
    changer.shutdown();
    // First, since the others may wait for its answers.
    admin.close(Duration.ZERO);
    if (follower.getState() == Thread.State.NEW) {
      consumer.close(CloseOptions.timeout(Duration.ZERO));
    } else {
      consumer.wakeup();
    }
    try {
      follower.join(CLOSE_AT_MOST.toMillis());
      if (changer.awaitTermination(CLOSE_AT_MOST.toMillis(), TimeUnit.MILLISECONDS)) {
        forgetProducer();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
