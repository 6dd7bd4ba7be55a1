package dev.sluice.kinesis.clients;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.util.concurrent.FutureCallback;
import com.google.common.util.concurrent.Futures;
import com.google.common.util.concurrent.MoreExecutors;
import dev.sluice.kinesis.KinesisEndpoint;
import dev.sluice.kinesis.http.HttpSettings;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import software.amazon.awssdk.services.kinesis.KinesisClient;
import software.amazon.kinesis.producer.KinesisProducer;
import software.amazon.kinesis.producer.KinesisProducerConfiguration;
import software.amazon.kinesis.producer.UserRecordResult;
import software.amazon.kinesis.retrieval.AggregatorUtil;
import software.amazon.kinesis.retrieval.KinesisClientRecord;

/** The Kinesis Producer Library, which speaks TLS only and packs many records into one. */
@Tag("slow")
@Timeout(120)
class KplTest {
  private static final String STREAM = "produced";

  /** Where it unpacks the program that sends; it watches over the files until this JVM ends. */
  private static final Path PROGRAM = Path.of("target", "kpl").toAbsolutePath();

  private static final int KEYS = 1_000;
  private static final int EACH = 10;

  @TempDir Path directory;

  @Test
  void whatItPacksIsThereInOrderOfTheKeys() throws Exception {
    HttpSettings.Tls tls = Certificate.make(directory);
    try (KinesisEndpoint secure = Endpoints.start(HttpSettings.local(0).withTls(tls));
        KinesisClient client = Endpoints.client()) {
      Endpoints.create(client, STREAM, 2);
      KinesisProducer producer =
          new KinesisProducer(configuration(secure.port(), tls.certificate()));
      try {
        CompletableFuture.allOf(
                IntStream.range(0, KEYS)
                    .mapToObj(key -> write(producer, "key-" + key))
                    .toArray(CompletableFuture<?>[]::new))
            .join();
      } finally {
        producer.destroy();
      }

      List<KinesisClientRecord> packed =
          Endpoints.readAll(client, STREAM).stream().map(KinesisClientRecord::fromRecord).toList();

      List<KinesisClientRecord> unpacked = new AggregatorUtil().deaggregate(packed);
      assertThat(packed).hasSizeLessThan(unpacked.size());
      Numbered.assertAllInOrder(
          unpacked.stream()
              .map(
                  record ->
                      Numbered.of(
                          record.partitionKey(),
                          StandardCharsets.UTF_8.decode(record.data()).toString()))
              .toList(),
          KEYS,
          EACH);
    }
  }

  private static KinesisProducerConfiguration configuration(int port, Path certificate) {
    return new KinesisProducerConfiguration()
        .setKinesisEndpoint("127.0.0.1")
        .setKinesisPort(port)
        .setCaCertFile(certificate.toString())
        .setRegion(Endpoints.REGION.id())
        .setCredentialsProvider(Endpoints.CREDENTIALS)
        .setMetricsLevel("none")
        .setLogLevel("warning")
        .setTempDirectory(PROGRAM.toString());
  }

  /** Everything of one key. KPL keeps no order of what is under way, so one waits for the other. */
  private static CompletableFuture<Void> write(KinesisProducer producer, String key) {
    CompletableFuture<Void> written = CompletableFuture.completedFuture(null);
    for (int number = 0; number < EACH; number++) {
      Numbered record = new Numbered(key, number);
      written = written.thenCompose(before -> put(producer, record));
    }
    return written;
  }

  private static CompletableFuture<Void> put(KinesisProducer producer, Numbered record) {
    CompletableFuture<Void> done = new CompletableFuture<>();
    Futures.addCallback(
        producer.addUserRecord(
            STREAM, record.key(), ByteBuffer.wrap(record.data().getBytes(StandardCharsets.UTF_8))),
        new FutureCallback<UserRecordResult>() {
          @Override
          public void onSuccess(UserRecordResult result) {
            done.complete(null);
          }

          @Override
          public void onFailure(Throwable failure) {
            done.completeExceptionally(failure);
          }
        },
        MoreExecutors.directExecutor());
    return done;
  }
}
