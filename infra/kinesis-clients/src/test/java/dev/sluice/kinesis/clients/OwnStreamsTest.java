package dev.sluice.kinesis.clients;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.contract.Command;
import dev.sluice.contract.CommandJson;
import dev.sluice.contract.Partitions;
import dev.sluice.identity.Session;
import dev.sluice.kinesis.KinesisEndpoint;
import dev.sluice.kinesis.http.HttpSettings;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Sluice's own stream of entries, for an application that puts commands by KPL. */
@Tag("slow")
@Timeout(120)
class OwnStreamsTest {
  private static final int ROOMS = 1_000;
  private static final int EACH = 5;

  /** Rooms more, whose commands have no others to be packed with. */
  private static final int ALONE = 4;

  private static final Session SESSION = Endpoints.SESSIONS.issue();

  @TempDir Path directory;

  @Test
  void whatKplPutsIsStoredOnceAndWhereItsRoomIs() throws Exception {
    HttpSettings.Tls tls = Certificate.make(directory);
    try (KinesisEndpoint secure = Endpoints.start(HttpSettings.local(0).withTls(tls))) {
      try (Kpl kpl = new Kpl(secure.port(), tls.certificate(), "entries")) {
        List<CompletableFuture<Void>> packed =
            IntStream.range(0, ROOMS).mapToObj(room -> enter(kpl, "key-" + room)).toList();
        packed.forEach(CompletableFuture::join);
        for (int room = ROOMS; room < ROOMS + ALONE; room++) {
          enter(kpl, "key-" + room).join();
        }
      }
    }

    List<Numbered> stored = new ArrayList<>();
    for (ConsumerRecord<byte[], byte[]> record : read(Endpoints.TOPICS.entries())) {
      String room = new String(record.key(), UTF_8);
      assertThat(record.partition()).isEqualTo(Partitions.of(room, Endpoints.TOPICS.partitions()));
      Command.Enter enter = (Command.Enter) CommandJson.read(room, record.value());
      assertThat(enter.session()).isEqualTo(SESSION.hash());
      stored.add(Numbered.of(room, enter.requestId()));
    }
    Numbered.assertAllInOrder(stored, ROOMS + ALONE, EACH);
  }

  private static CompletableFuture<Void> enter(Kpl kpl, String room) {
    return kpl.putInOrder(
        room,
        EACH,
        number ->
            "{\"type\":\"ENTER\",\"v\":1,\"roomId\":\"%s\",\"requestId\":\"%d\",\"session\":\"%s\"}"
                .formatted(room, number, SESSION.token()));
  }

  private static List<ConsumerRecord<byte[], byte[]>> read(String topic) {
    try (KafkaConsumer<byte[], byte[]> consumer =
        new KafkaConsumer<>(
            Endpoints.kafka(), new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
      List<TopicPartition> partitions =
          consumer.partitionsFor(topic).stream()
              .map(info -> new TopicPartition(topic, info.partition()))
              .toList();
      consumer.assign(partitions);
      consumer.seekToBeginning(partitions);
      Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
      List<ConsumerRecord<byte[], byte[]>> all = new ArrayList<>();
      while (partitions.stream().anyMatch(one -> consumer.position(one) < ends.get(one))) {
        consumer.poll(Duration.ofMillis(100)).forEach(all::add);
      }
      return all;
    }
  }
}
