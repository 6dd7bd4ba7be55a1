package dev.sluice.kinesis.clients;

import com.google.common.util.concurrent.FutureCallback;
import com.google.common.util.concurrent.Futures;
import com.google.common.util.concurrent.MoreExecutors;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntFunction;
import software.amazon.kinesis.producer.KinesisProducer;
import software.amazon.kinesis.producer.KinesisProducerConfiguration;
import software.amazon.kinesis.producer.UserRecordResult;

/** The Kinesis Producer Library, which puts many records into one, into one stream. */
final class Kpl implements AutoCloseable {
  /** Where it unpacks the program that sends; it watches over the files until this JVM ends. */
  private static final Path PROGRAM = Path.of("target", "kpl").toAbsolutePath();

  private final KinesisProducer producer;
  private final String stream;

  /**
   * @param port of an endpoint with a certificate, since it speaks TLS only
   */
  Kpl(int port, Path certificate, String stream) {
    this.stream = stream;
    producer =
        new KinesisProducer(
            new KinesisProducerConfiguration()
                .setKinesisEndpoint("127.0.0.1")
                .setKinesisPort(port)
                .setCaCertFile(certificate.toString())
                .setRegion(Endpoints.REGION.id())
                .setCredentialsProvider(Endpoints.CREDENTIALS)
                .setMetricsLevel("none")
                .setLogLevel("warning")
                .setTempDirectory(PROGRAM.toString()));
  }

  /**
   * Everything of one key. It keeps no order of what is under way, so one waits for the other.
   *
   * @param data of each number
   */
  CompletableFuture<Void> putInOrder(String key, int count, IntFunction<String> data) {
    CompletableFuture<Void> written = CompletableFuture.completedFuture(null);
    for (int number = 0; number < count; number++) {
      String next = data.apply(number);
      written = written.thenCompose(before -> put(key, next)).thenApply(put -> null);
    }
    return written;
  }

  CompletableFuture<UserRecordResult> put(String key, String data) {
    CompletableFuture<UserRecordResult> done = new CompletableFuture<>();
    Futures.addCallback(
        producer.addUserRecord(stream, key, ByteBuffer.wrap(data.getBytes(StandardCharsets.UTF_8))),
        new FutureCallback<UserRecordResult>() {
          @Override
          public void onSuccess(UserRecordResult result) {
            done.complete(result);
          }

          @Override
          public void onFailure(Throwable failure) {
            done.completeExceptionally(failure);
          }
        },
        MoreExecutors.directExecutor());
    return done;
  }

  @Override
  public void close() {
    producer.destroy();
  }
}
