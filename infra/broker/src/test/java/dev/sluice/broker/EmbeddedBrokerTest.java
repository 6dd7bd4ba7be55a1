package dev.sluice.broker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.broker.BrokerStartException.Reason;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class EmbeddedBrokerTest {
  @TempDir Path directory;

  @Test
  void keeps_what_it_acknowledged_across_a_restart_in_the_same_process() throws Exception {
    try (EmbeddedBroker broker = EmbeddedBroker.start(BrokerConfig.local(directory))) {
      WordsTopic words = new WordsTopic(broker.bootstrapServers());
      words.create();
      words.write("first");
    }

    try (EmbeddedBroker broker = EmbeddedBroker.start(BrokerConfig.local(directory))) {
      WordsTopic words = new WordsTopic(broker.bootstrapServers());
      words.write("second");

      assertThat(words.read(2)).containsExactly("first", "second");
      assertThat(broker.failure()).isNotDone();
    }
  }

  @Test
  void serves_groups_and_transactions_on_its_single_node() throws Exception {
    try (EmbeddedBroker broker = EmbeddedBroker.start(BrokerConfig.local(directory))) {
      WordsTopic words = new WordsTopic(broker.bootstrapServers());
      words.create();
      words.writeInTransaction("committed");

      assertThat(words.read(1)).containsExactly("committed");
    }
  }

  @Test
  void starts_two_side_by_side() {
    try (EmbeddedBroker one = EmbeddedBroker.start(BrokerConfig.local(directory.resolve("1")));
        EmbeddedBroker two = EmbeddedBroker.start(BrokerConfig.local(directory.resolve("2")))) {
      assertThat(one.port()).isNotZero().isNotEqualTo(two.port());
    }
  }

  @Test
  void refuses_a_port_that_is_taken_and_leaves_the_directory_free() throws Exception {
    try (ServerSocket other = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      int port = other.getLocalPort();
      assertThatThrownBy(() -> EmbeddedBroker.start(BrokerConfig.local(directory, port)))
          .isInstanceOfSatisfying(
              BrokerStartException.class,
              e -> {
                assertThat(e.reason()).isEqualTo(Reason.PORT_TAKEN);
                assertThat(e).hasMessage("Port %d on 127.0.0.1 is taken by another program", port);
              });
    }
    DirectoryLock.acquire(directory).close();
  }

  @Test
  void refuses_an_address_of_another_machine() {
    BrokerConfig config = new BrokerConfig("192.0.2.1", 0, directory);

    assertThatThrownBy(() -> EmbeddedBroker.start(config))
        .isInstanceOfSatisfying(
            BrokerStartException.class,
            e -> assertThat(e.reason()).isEqualTo(Reason.ADDRESS_UNUSABLE));
  }

  @Test
  void refuses_a_directory_that_another_broker_uses() {
    try (EmbeddedBroker first = EmbeddedBroker.start(BrokerConfig.local(directory))) {
      assertThat(first.bootstrapServers()).startsWith("127.0.0.1:");
      assertThatThrownBy(() -> EmbeddedBroker.start(BrokerConfig.local(directory)))
          .isInstanceOfSatisfying(
              BrokerStartException.class,
              e -> {
                assertThat(e.reason()).isEqualTo(Reason.DIRECTORY_IN_USE);
                assertThat(e).hasMessageContaining("in use by another broker");
              });
    }
  }

  @Test
  void refuses_a_directory_that_is_a_file() throws Exception {
    Path file = Files.writeString(directory.resolve("file"), "");

    assertThatThrownBy(() -> EmbeddedBroker.start(BrokerConfig.local(file)))
        .isInstanceOfSatisfying(
            BrokerStartException.class,
            e -> assertThat(e.reason()).isEqualTo(Reason.DIRECTORY_UNUSABLE));
  }

  @Test
  void refuses_data_it_cannot_read_in_words() throws Exception {
    Files.writeString(directory.resolve("meta.properties"), "version=99\n");

    assertThatThrownBy(() -> EmbeddedBroker.start(BrokerConfig.local(directory)))
        .isInstanceOfSatisfying(
            BrokerStartException.class,
            e -> assertThat(e).hasMessageContaining(directory.toString()));
    DirectoryLock.acquire(directory).close();
  }

  @Test
  void closes_twice_and_at_once() {
    EmbeddedBroker broker = EmbeddedBroker.start(BrokerConfig.local(directory));
    long began = System.nanoTime();

    broker.close();
    broker.close();

    assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(Duration.ofSeconds(10));
  }

  @Test
  void survives_kill_minus_9_as_a_process_of_its_own() throws Exception {
    Process killed = launch(0);
    int port = readyPort(killed);
    WordsTopic words = new WordsTopic("127.0.0.1:" + port);
    words.create();
    words.write("before");
    killed.destroyForcibly().waitFor();

    Process again = launch(port);
    try {
      assertThat(readyPort(again)).isEqualTo(port);
      assertThat(words.read(1)).containsExactly("before");
      again.destroy();
      assertThat(again.waitFor(15, TimeUnit.SECONDS)).isTrue();
    } finally {
      again.destroyForcibly();
    }
  }

  @Test
  void says_in_one_line_why_the_process_of_its_own_cannot_start() throws Exception {
    try (DirectoryLock held = DirectoryLock.acquire(directory)) {
      assertThat(held).isNotNull();
      Process refused = launch(0);

      assertThat(refused.waitFor(30, TimeUnit.SECONDS)).isTrue();
      assertThat(refused.exitValue()).isEqualTo(1);
      assertThat(new String(refused.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
          .contains("is in use by another broker")
          .doesNotContain("\tat ");
    }
  }

  private Process launch(int port) throws IOException {
    return new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-Xmx256m",
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            "-cp",
            System.getProperty("java.class.path"),
            EmbeddedBroker.class.getName(),
            directory.toString(),
            Integer.toString(port))
        .redirectErrorStream(true)
        .start();
  }

  private static int readyPort(Process process) throws IOException {
    StringBuilder said = new StringBuilder();
    for (String line; (line = process.inputReader(StandardCharsets.UTF_8).readLine()) != null; ) {
      said.append(line).append('\n');
      if (line.startsWith("ready ")) {
        return Integer.parseInt(line.substring(line.lastIndexOf(':') + 1));
      }
    }
    throw new AssertionError("The broker's process ended: " + said);
  }
}
