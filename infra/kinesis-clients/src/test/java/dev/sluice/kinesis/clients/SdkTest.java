package dev.sluice.kinesis.clients;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import software.amazon.awssdk.core.SdkSystemSetting;
import software.amazon.awssdk.services.kinesis.KinesisAsyncClient;
import software.amazon.awssdk.services.kinesis.KinesisClient;
import software.amazon.awssdk.services.kinesis.model.PutRecordsRequest;
import software.amazon.awssdk.services.kinesis.model.PutRecordsResponse;
import software.amazon.awssdk.services.kinesis.model.Record;

/** The SDK for Java, sync and async, in CBOR and in JSON. */
@Tag("slow")
@Timeout(60)
class SdkTest {
  private static final int SHARDS = 4;
  private static final int BATCH = 500;

  @ParameterizedTest
  @ValueSource(strings = {"cbor", "json"})
  void theSyncClientReadsWhatItWrote(String format) {
    String stream = "sync-" + format;
    choose(format);
    try (KinesisClient client = Endpoints.client()) {
      Endpoints.create(client, stream, SHARDS);
      for (List<Numbered> batch : batches(Numbered.range(Numbered.KEYS, 0, Numbered.EACH))) {
        assertPut(client.putRecords(request(stream, batch)));
      }

      assertAllInOrder(Endpoints.readAll(client, stream));
    }
  }

  /** All batches and all shards at a time; each key is in one batch. */
  @ParameterizedTest
  @ValueSource(strings = {"cbor", "json"})
  void theAsyncClientReadsWhatItWrote(String format) {
    String stream = "async-" + format;
    choose(format);
    try (KinesisClient admin = Endpoints.client();
        KinesisAsyncClient client =
            KinesisAsyncClient.builder()
                .endpointOverride(Endpoints.uri(Endpoints.port()))
                .region(Endpoints.REGION)
                .credentialsProvider(Endpoints.CREDENTIALS)
                .build()) {
      Endpoints.create(admin, stream, SHARDS);
      List<Numbered> byKey =
          Numbered.range(Numbered.KEYS, 0, Numbered.EACH).stream()
              .sorted((one, other) -> one.key().compareTo(other.key()))
              .toList();
      batches(byKey).stream()
          .map(batch -> client.putRecords(request(stream, batch)))
          .toList()
          .forEach(put -> assertPut(put.join()));

      List<Record> read =
          Endpoints.shards(admin, stream).stream()
              .map(
                  shard ->
                      client
                          .getShardIterator(Endpoints.fromTheStart(stream, shard))
                          .thenCompose(
                              got -> readOn(client, got.shardIterator(), new ArrayList<>())))
              .toList()
              .stream()
              .flatMap(ofShard -> ofShard.join().stream())
              .toList();

      assertAllInOrder(read);
    }
  }

  private static CompletableFuture<List<Record>> readOn(
      KinesisAsyncClient client, String iterator, List<Record> soFar) {
    return client
        .getRecords(request -> request.shardIterator(iterator))
        .thenCompose(
            got -> {
              soFar.addAll(got.records());
              return got.millisBehindLatest() > 0
                  ? readOn(client, got.nextShardIterator(), soFar)
                  : CompletableFuture.completedFuture(soFar);
            });
  }

  /** Read by a client when it is built. */
  private static void choose(String format) {
    System.setProperty(
        SdkSystemSetting.CBOR_ENABLED.property(), String.valueOf(format.equals("cbor")));
  }

  private static List<List<Numbered>> batches(List<Numbered> records) {
    return Stream.iterate(0, start -> start < records.size(), start -> start + BATCH)
        .map(start -> records.subList(start, start + BATCH))
        .toList();
  }

  private static PutRecordsRequest request(String stream, List<Numbered> records) {
    return PutRecordsRequest.builder()
        .streamName(stream)
        .records(Endpoints.entries(records))
        .build();
  }

  private static void assertPut(PutRecordsResponse put) {
    assertThat(put.failedRecordCount()).as(put::toString).isZero();
  }

  private static void assertAllInOrder(List<Record> read) {
    Numbered.assertAllInOrder(
        read.stream()
            .map(record -> Numbered.of(record.partitionKey(), record.data().asUtf8String()))
            .toList(),
        Numbered.KEYS,
        Numbered.EACH);
  }
}
