package dev.sluice.settings;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.contract.InvalidRecordException;
import dev.sluice.contract.Topics;
import dev.sluice.log.TopicReader;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.Header;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The settings in force, as one process knows them: follows {@code settings} and {@code
 * config-history}, without waiting for commits, since the gate's verdict on a record is always the
 * same. Thread-safe; started and closed once.
 */
public final class SettingsFollower implements AutoCloseable {
  /** The most attempts that {@link #history} gives. */
  public static final int MAX_HISTORY = 1_000;

  private static final Logger LOG = LoggerFactory.getLogger(SettingsFollower.class);

  /** Offsets to go back for the history; each attempt may have a commit marker beside it. */
  private static final long LOOK_BACK = 2L * MAX_HISTORY;

  private final TopicPartition config;
  private final TopicPartition settings;
  private final TopicPartition configHistory;
  private final TopicReader reader;
  private final List<Consumer<SettingsView.InForce<?>>> listeners = new CopyOnWriteArrayList<>();
  private final CompletableFuture<Void> readToEnd = new CompletableFuture<>();
  private final TreeMap<Long, SettingAttempt> attempts = new TreeMap<>();

  /** Accepted by the history and not yet seen in {@code settings}, by offset in {@code config}. */
  private final TreeMap<Long, String> announced = new TreeMap<>();

  private volatile SettingsView view = SettingsView.EMPTY;

  /** End of {@code config} at the start; all before it must have been judged. */
  private long configEnd;

  private boolean judged;
  private long settingsEnd;

  /**
   * Needs no broker to be there yet.
   *
   * @param kafka client settings: {@code bootstrap.servers}, and security where needed
   * @param gateApplicationId of the gate, whose progress tells what has been judged
   */
  public SettingsFollower(Map<String, Object> kafka, Topics topics, String gateApplicationId) {
    this.config = new TopicPartition(topics.config(), 0);
    this.settings = new TopicPartition(topics.settings(), 0);
    this.configHistory = new TopicPartition(topics.configHistory(), 0);
    Map<String, Object> consumer = new HashMap<>(kafka);
    // Only to ask for the gate's offsets; with assigned partitions nobody joins or commits.
    consumer.put(ConsumerConfig.GROUP_ID_CONFIG, gateApplicationId);
    this.reader = new TopicReader(consumer, "sluice-settings-follower", new Follow());
  }

  /** Starts to read; returns at once. */
  public void start() {
    reader.start();
  }

  /**
   * Completes once everything that stood in {@code config} at the start has been judged and is in
   * {@link #view}; never fails, and waits as long as Kafka or the gate is away.
   */
  public CompletableFuture<Void> readToEnd() {
    return readToEnd.copy();
  }

  public SettingsView view() {
    return view;
  }

  /**
   * The last attempts to change a setting, newest first.
   *
   * @param limit 1 to {@link #MAX_HISTORY}
   */
  public List<SettingAttempt> history(int limit) {
    synchronized (attempts) {
      List<SettingAttempt> newestFirst = new ArrayList<>(attempts.descendingMap().values());
      return List.copyOf(newestFirst.subList(0, Math.min(limit, newestFirst.size())));
    }
  }

  /**
   * Tells {@code listener} each change from now on, on the follower's thread; {@link #view} has it
   * already. What it throws is logged.
   */
  public void onChange(Consumer<SettingsView.InForce<?>> listener) {
    listeners.add(listener);
  }

  /** Reads both topics. */
  private final class Follow implements TopicReader.Reading {
    @Override
    public void begin(KafkaConsumer<byte[], byte[]> consumer) {
      List<TopicPartition> both = List.of(settings, configHistory);
      configEnd = consumer.endOffsets(List.of(config)).get(config);
      judged = consumer.beginningOffsets(List.of(config)).get(config) == configEnd;
      settingsEnd = Long.MAX_VALUE;
      consumer.assign(both);
      consumer.seekToBeginning(List.of(settings));
      Map<TopicPartition, Long> begin = consumer.beginningOffsets(both);
      Map<TopicPartition, Long> end = consumer.endOffsets(both);
      consumer.seek(
          configHistory, Math.max(begin.get(configHistory), end.get(configHistory) - LOOK_BACK));
    }

    @Override
    public void take(
        KafkaConsumer<byte[], byte[]> consumer, ConsumerRecords<byte[], byte[]> records) {
      for (ConsumerRecord<byte[], byte[]> record : records) {
        if (record.topic().equals(settings.topic())) {
          takeSetting(record);
        } else {
          takeAttempt(record);
        }
      }
      if (readToEnd.isDone()) {
        raiseOffset();
      } else {
        lookForTheEnd(consumer);
      }
    }

    private void lookForTheEnd(KafkaConsumer<byte[], byte[]> consumer) {
      if (!judged) {
        judged = newestAttempt() >= configEnd - 1 || committed(consumer) >= configEnd;
      }
      if (judged && settingsEnd == Long.MAX_VALUE) {
        settingsEnd = consumer.endOffsets(List.of(settings)).get(settings);
      }
      if (consumer.position(settings) >= settingsEnd && firstMissing() >= configEnd) {
        view = view.upTo(configEnd - 1);
        readToEnd.complete(null);
      }
    }

    private long committed(KafkaConsumer<byte[], byte[]> consumer) {
      OffsetAndMetadata committed = consumer.committed(Set.of(config)).get(config);
      return committed == null ? -1 : committed.offset();
    }
  }

  private void takeSetting(ConsumerRecord<byte[], byte[]> record) {
    SettingsView.InForce<?> setting;
    try {
      SettingAddress address = SettingAddress.parse(text(record.key()));
      setting =
          record.value() == null
              ? unset(address, record)
              : SettingsJson.read(address, record.value());
    } catch (BadSettingException | InvalidRecordException e) {
      // Accepted by a gate of another release.
      LOG.warn("Passed over {} of {}: {}", record.offset(), record.topic(), e.getMessage());
      return;
    }
    SettingsView changed = view.with(setting);
    if (changed == view) {
      return;
    }
    view = changed;
    for (Consumer<SettingsView.InForce<?>> listener : listeners) {
      try {
        listener.accept(setting);
      } catch (RuntimeException e) {
        LOG.error("A listener failed at {}", setting.address(), e);
      }
    }
  }

  private static SettingsView.InForce<?> unset(
      SettingAddress address, ConsumerRecord<byte[], byte[]> record) throws InvalidRecordException {
    Header offset = record.headers().lastHeader(GateTopology.OFFSET);
    Header who = record.headers().lastHeader(GateTopology.WHO);
    try {
      return new SettingsView.InForce<>(
          address,
          null,
          null,
          Long.parseLong(offset == null ? "" : text(offset.value())),
          record.timestamp(),
          who == null ? null : text(who.value()));
    } catch (NumberFormatException e) {
      throw new InvalidRecordException("the tombstone doesn't say its offset in config");
    }
  }

  private void takeAttempt(ConsumerRecord<byte[], byte[]> record) {
    try {
      SettingAttempt attempt = SettingsJson.readAttempt(record.value());
      synchronized (attempts) {
        attempts.put(attempt.offset(), attempt);
        if (attempts.size() > MAX_HISTORY) {
          attempts.pollFirstEntry();
        }
      }
      if (attempt.accepted()) {
        announced.put(attempt.offset(), attempt.setting());
      }
    } catch (InvalidRecordException e) {
      LOG.warn("Passed over {} of {}: {}", record.offset(), record.topic(), e.getMessage());
    }
  }

  /**
   * Raises the offset up to which the view is complete: as far as attempts have been heard of, but
   * not to one that was accepted and hasn't come yet.
   */
  private void raiseOffset() {
    view = view.upTo(Math.min(newestAttempt(), firstMissing() - 1));
  }

  /** The first that was accepted and isn't in the view; the two topics have no common order. */
  private long firstMissing() {
    while (!announced.isEmpty() && isInView(announced.firstEntry())) {
      announced.pollFirstEntry();
    }
    return announced.isEmpty() ? Long.MAX_VALUE : announced.firstKey();
  }

  private boolean isInView(Map.Entry<Long, String> accepted) {
    try {
      return view.offsetAt(SettingAddress.parse(accepted.getValue())) >= accepted.getKey();
    } catch (BadSettingException e) {
      // Accepted by a gate of another release.
      return true;
    }
  }

  private long newestAttempt() {
    synchronized (attempts) {
      return attempts.isEmpty() ? -1 : attempts.lastKey();
    }
  }

  private static String text(byte[] bytes) {
    return bytes == null ? null : new String(bytes, UTF_8);
  }

  /** Stops; returns once no listener is called any more, within 5 seconds. */
  @Override
  public void close() {
    reader.close();
  }
}
