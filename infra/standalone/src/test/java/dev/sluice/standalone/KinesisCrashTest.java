package dev.sluice.standalone;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** The Kinesis endpoint and its broker, in processes of their own, killed while records are put. */
@Tag("slow")
@Timeout(value = 5, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class KinesisCrashTest {
  private static final int KILLS = 2;
  private static final int WRITERS = 4;
  private static final int BATCH = 10;
  private static final int A_WHILE = 300;

  /** Of calls while there is nobody to answer. */
  private static final long PACE_NANOS = 20_000_000;

  private static final Map<String, String> SECRET = Map.of("SLUICE_SECRET", "of a test of crashes");

  @TempDir Path data;
  private SluiceProcess broker;
  private SluiceProcess endpoint;
  private String kafka;
  private volatile KinesisClient kinesis;

  @AfterEach
  void end() {
    if (endpoint != null) {
      endpoint.close();
    }
    if (broker != null) {
      broker.close();
    }
  }

  @Test
  void what_was_acknowledged_is_read_once_at_its_number_after_kills_of_the_endpoint()
      throws Exception {
    startBroker("0");
    startEndpoint();
    kinesis.create("orders", 2);
    Writers writers = new Writers();
    for (int kill = 0; kill < KILLS; kill++) {
      writers.awaitMore();
      // Half done, it is finished by the next.
      kinesis.callWithoutWaiting("UpdateShardCount", updateTo(kill % 2 == 0 ? 3 : 2));
      endpoint.kill();
      startEndpoint();
    }
    writers.awaitMore();
    writers.end();
    assertThat(writers.faults).isEmpty();
    assertReadOnce(writers);
  }

  @Test
  void what_was_acknowledged_is_read_once_at_its_number_after_kills_of_the_broker()
      throws Exception {
    startBroker("0");
    startEndpoint();
    kinesis.create("orders", 2);
    Writers writers = new Writers();
    for (int kill = 0; kill < KILLS; kill++) {
      writers.awaitMore();
      broker.kill();
      startBroker(kafka.substring(kafka.lastIndexOf(':') + 1));
    }
    writers.awaitMore();
    writers.end();
    assertThat(writers.faults).isEmpty();
    assertReadOnce(writers);
  }

  private static String updateTo(int shards) {
    return "{\"StreamName\":\"orders\",\"TargetShardCount\":%d,\"ScalingType\":\"UNIFORM_SCALING\"}"
        .formatted(shards);
  }

  private void startBroker(String port) throws Exception {
    broker =
        SluiceProcess.start(
            data.resolve("broker"), "--sluice.roles=broker", "--sluice.broker.port=" + port);
    kafka = broker.awaitLine("  broker").strip().split("\\s+")[1];
  }

  private void startEndpoint() throws Exception {
    endpoint =
        SluiceProcess.start(
            SECRET,
            data.resolve("endpoint"),
            "--sluice.roles=kinesis",
            "--sluice.kafka.bootstrap-servers=" + kafka);
    String url = endpoint.awaitLine("  kinesis").strip().split("\\s+")[1].replace(",", "");
    endpoint.awaitLine("Ready in ");
    kinesis = new KinesisClient(url);
  }

  private void assertReadOnce(Writers writers) throws Exception {
    Map<String, String> read = new HashMap<>();
    Set<String> texts = new HashSet<>();
    for (KinesisClient.Stored stored : kinesis.readAll("orders")) {
      assertThat(read.put(stored.sequenceNumber(), stored.text())).isNull();
      assertThat(texts.add(stored.text())).as("stored once: " + stored.text()).isTrue();
    }
    assertThat(read).containsAllEntriesOf(writers.acknowledged);
    System.out.printf(
        "MEASURED %d acknowledged, %d more stored, %d calls refused or cut%n",
        writers.acknowledged.size(),
        read.size() - writers.acknowledged.size(),
        writers.refused.get());
  }

  /** Put records, each once, and go on whatever happens. */
  private final class Writers {
    private final Map<String, String> acknowledged = new ConcurrentHashMap<>();
    private final List<Throwable> faults = new ArrayList<>();
    private final AtomicInteger refused = new AtomicInteger();
    private final List<Thread> threads = new ArrayList<>();
    private volatile boolean ended;

    Writers() {
      for (int i = 0; i < WRITERS; i++) {
        int writer = i;
        Thread thread = new Thread(() -> put(writer), "writer-" + i);
        thread.start();
        threads.add(thread);
      }
    }

    private void put(int writer) {
      try {
        for (int call = 0; !ended; call++) {
          List<String> texts = new ArrayList<>();
          StringBuilder records = new StringBuilder();
          for (int i = 0; i < BATCH; i++) {
            String text = "%d-%d-%d".formatted(writer, call, i);
            texts.add(text);
            records.append(
                "%s{\"PartitionKey\":\"key-%d\",\"Data\":\"%s\"}"
                    .formatted(
                        i == 0 ? "" : ",",
                        i,
                        Base64.getEncoder().encodeToString(text.getBytes(UTF_8))));
          }
          keep(texts, "{\"StreamName\":\"orders\",\"Records\":[%s]}".formatted(records));
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      } catch (RuntimeException | AssertionError e) {
        synchronized (faults) {
          faults.add(e);
        }
      }
    }

    private void keep(List<String> texts, String body) throws InterruptedException {
      JsonNode answer;
      try {
        answer = kinesis.call("PutRecords", body);
      } catch (IOException e) {
        refused.incrementAndGet();
        LockSupport.parkNanos(PACE_NANOS);
        return;
      }
      for (int i = 0; i < texts.size(); i++) {
        JsonNode number = answer.get("Records").get(i).get("SequenceNumber");
        if (number == null) {
          refused.incrementAndGet();
        } else if (acknowledged.put(number.asString(), texts.get(i)) != null) {
          throw new AssertionError("acknowledged twice: " + number);
        }
      }
    }

    void awaitMore() {
      int enough = acknowledged.size() + A_WHILE;
      await().atMost(Duration.ofMinutes(1)).until(() -> acknowledged.size() > enough);
    }

    void end() throws InterruptedException {
      ended = true;
      for (Thread thread : threads) {
        thread.join();
      }
    }
  }
}
