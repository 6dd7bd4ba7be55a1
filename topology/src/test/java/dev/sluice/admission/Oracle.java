package dev.sluice.admission;

import dev.sluice.contract.CommandJson;
import dev.sluice.contract.InvalidRecordException;
import dev.sluice.contract.Topics;
import dev.sluice.query.PersonView;
import dev.sluice.query.WaitingSnapshot;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/**
 * A machine in memory that is fed with one partition of the log and nothing else: what it says is
 * what anyone must have been told.
 */
public final class Oracle {
  private final AdmissionMachine machine;
  private final AdmissionReader reader;
  private final List<ConsumerRecord<byte[], byte[]>> log;
  private int next;

  private Oracle(int partition, List<ConsumerRecord<byte[], byte[]>> log) {
    AdmissionState state = new AdmissionState(partition, new EndedInMemory(), RestingRooms.NONE);
    machine = new AdmissionMachine(state);
    reader = new AdmissionReader(state);
    this.log = log;
  }

  /** Reads a partition of the log as it is now, and has applied none of it. */
  public static Oracle of(Map<String, Object> kafka, Topics topics, int partition) {
    Map<String, Object> settings = new HashMap<>(kafka);
    try (KafkaConsumer<byte[], byte[]> consumer =
        new KafkaConsumer<>(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
      TopicPartition entries = new TopicPartition(topics.entries(), partition);
      consumer.assign(List.of(entries));
      consumer.seekToBeginning(List.of(entries));
      long end = consumer.endOffsets(List.of(entries)).get(entries);
      List<ConsumerRecord<byte[], byte[]>> log = new ArrayList<>();
      while (consumer.position(entries) < end) {
        consumer.poll(Duration.ofMillis(100)).forEach(log::add);
      }
      return new Oracle(partition, log);
    }
  }

  /** How many records the log held. */
  public long end() {
    return log.size();
  }

  /** Applies the log up to and including {@code offset}. */
  public Oracle upTo(long offset) {
    for (; next < log.size() && log.get(next).offset() <= offset; next++) {
      apply(log.get(next));
    }
    return this;
  }

  private void apply(ConsumerRecord<byte[], byte[]> record) {
    String room = record.key() == null ? null : new String(record.key(), StandardCharsets.UTF_8);
    Step step;
    try {
      step =
          machine.apply(
              record.offset(), record.timestamp(), CommandJson.read(room, record.value()));
    } catch (InvalidRecordException e) {
      step = machine.applyInvalid(record.offset(), record.timestamp(), room, null, e.getMessage());
    }
    if (!(step instanceof Step.Applied)) {
      throw new IllegalStateException("offset " + record.offset() + ": " + step);
    }
  }

  public Optional<PersonView> person(String roomId, String requestId) {
    return reader.person(roomId, requestId, 0);
  }

  public WaitingSnapshot waiting(String roomId) {
    return reader.waiting(roomId, 0);
  }
}
