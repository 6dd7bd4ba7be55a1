package dev.sluice.kinesis.clients;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.kinesis.KinesisEndpoint;
import dev.sluice.kinesis.http.HttpSettings;
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
import software.amazon.kinesis.retrieval.AggregatorUtil;
import software.amazon.kinesis.retrieval.KinesisClientRecord;

/** The Kinesis Producer Library, which speaks TLS only and packs many records into one. */
@Tag("slow")
@Timeout(120)
class KplTest {
  private static final String STREAM = "produced";
  private static final int KEYS = 1_000;
  private static final int EACH = 10;

  @TempDir Path directory;

  @Test
  void whatItPacksIsThereInOrderOfTheKeys() throws Exception {
    HttpSettings.Tls tls = Certificate.make(directory);
    try (KinesisEndpoint secure = Endpoints.start(HttpSettings.local(0).withTls(tls));
        KinesisClient client = Endpoints.client()) {
      Endpoints.create(client, STREAM, 2);
      try (Kpl kpl = new Kpl(secure.port(), tls.certificate(), STREAM)) {
        CompletableFuture.allOf(
                IntStream.range(0, KEYS)
                    .mapToObj(key -> kpl.putInOrder("key-" + key, EACH, Integer::toString))
                    .toArray(CompletableFuture<?>[]::new))
            .join();
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
}
