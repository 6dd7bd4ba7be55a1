package dev.sluice.bench.hot;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.contract.InvalidRecordException;
import dev.sluice.contract.Partitions;
import dev.sluice.contract.RoomCount;
import dev.sluice.contract.RoomCountJson;
import dev.sluice.contract.RoomSum;
import dev.sluice.contract.Topics;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/**
 * What has been counted of a room in all, by the rule of the topic: of each producer, slot, kind,
 * country, app and tenth the greatest.
 */
final class CountedSums {
  private CountedSums() {}

  static long of(String kafka, String room) throws InvalidRecordException {
    Topics topics = new Topics(Topics.DEFAULT_PREFIX, Topics.DEFAULT_PARTITIONS);
    TopicPartition partition =
        new TopicPartition(topics.roomCounts(), Partitions.of(room, topics.partitions()));
    Map<List<Object>, Long> greatest = new HashMap<>();
    try (KafkaConsumer<byte[], byte[]> consumer =
        new KafkaConsumer<>(
            Map.of("bootstrap.servers", kafka),
            new ByteArrayDeserializer(),
            new ByteArrayDeserializer())) {
      consumer.assign(List.of(partition));
      consumer.seekToBeginning(List.of(partition));
      long end = consumer.endOffsets(List.of(partition)).get(partition);
      while (consumer.position(partition) < end) {
        for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofMillis(100))) {
          String key = new String(record.key(), UTF_8);
          if (key.equals(room)) {
            take(RoomCountJson.read(key, record.value()), greatest);
          }
        }
      }
    }
    return greatest.values().stream().mapToLong(Long::longValue).sum();
  }

  private static void take(RoomCount count, Map<List<Object>, Long> greatest) {
    if (count instanceof RoomSum sum) {
      for (RoomSum.Cell cell : sum.cells()) {
        for (int i = 0; i < cell.counts().size(); i++) {
          List<Object> name =
              Arrays.asList(sum.producer(), sum.slot(), cell.kind(), cell.country(), cell.app(), i);
          greatest.merge(name, cell.counts().get(i), Math::max);
        }
      }
    }
  }
}
