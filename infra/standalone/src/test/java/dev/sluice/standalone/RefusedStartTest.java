package dev.sluice.standalone;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RefusedStartTest {
  @TempDir Path data;

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "--sluice.roles=queue    | \"queue\" is no role",
        "--server.address=0.0.0.0 | set SLUICE_ADMIN_TOKEN and SLUICE_SECRET",
        "--sluice.broker.port=x  | sluice.broker.port can't be \"x\"",
        "--sluice.push.relay=true | sluice.redis.uri must say where Redis is",
        "--sluice.kinesis.account=12 | an account has twelve digits, not '12'",
        "--sluice.kinesis.access-keys=abc | sluice.kinesis.access-keys must be ID:SECRET",
        "--sluice.kinesis.certificate=x | sluice.kinesis.certificate-key go together",
        "--sluice.roles=topology | sluice.kafka.bootstrap-servers must say where Kafka is",
      })
  void says_in_one_line_what_is_wrong_with_what_it_was_told(String argument, String words)
      throws Exception {
    try (SluiceProcess sluice = SluiceProcess.start(Map.of("SLUICE_SECRET", ""), data, argument)) {
      assertThat(sluice.awaitExit()).isEqualTo(1);
      assertThat(sluice.output()).contains(words).doesNotContain("Exception", "\tat ");
    }
  }

  @Test
  void says_that_the_port_of_kafka_is_taken() throws Exception {
    try (ServerSocket other = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        SluiceProcess sluice =
            SluiceProcess.start(
                data, "--server.port=0", "--sluice.broker.port=" + other.getLocalPort())) {
      assertThat(sluice.awaitExit()).isEqualTo(1);
      assertThat(sluice.output())
          .contains("Port " + other.getLocalPort() + " on 127.0.0.1 is taken")
          .contains("SLUICE_BROKER_PORT")
          .doesNotContain("Exception", "\tat ");
    }
  }

  @Test
  void says_that_the_port_of_kinesis_is_taken() throws Exception {
    try (ServerSocket other = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        SluiceProcess sluice =
            SluiceProcess.start(
                Map.of("SLUICE_KINESIS_PORT", "" + other.getLocalPort()),
                data,
                "--server.port=0",
                "--sluice.broker.port=0")) {
      assertThat(sluice.awaitExit()).isEqualTo(1);
      assertThat(sluice.output())
          .contains("can't listen at 127.0.0.1:" + other.getLocalPort())
          .contains("SLUICE_KINESIS_PORT")
          .doesNotContain("\tat ");
    }
  }

  @Test
  void opens_no_kinesis_endpoint_to_others_without_keys() throws Exception {
    try (SluiceProcess sluice =
        SluiceProcess.start(
            Map.of("SLUICE_SECRET", "a secret of some length", "SLUICE_ADMIN_TOKEN", "token"),
            data,
            "--sluice.kinesis.address=0.0.0.0",
            "--server.port=0",
            "--sluice.broker.port=0")) {
      assertThat(sluice.awaitExit()).isEqualTo(1);
      assertThat(sluice.output()).contains("SLUICE_KINESIS_ACCESS_KEYS").doesNotContain("\tat ");
    }
  }

  @Test
  void says_that_the_port_of_http_is_taken() throws Exception {
    try (ServerSocket other = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        SluiceProcess sluice =
            SluiceProcess.start(
                data, "--sluice.broker.port=0", "--server.port=" + other.getLocalPort())) {
      assertThat(sluice.awaitExit()).isEqualTo(1);
      assertThat(sluice.output())
          .contains("Port " + other.getLocalPort() + " is taken")
          .contains("SERVER_PORT")
          .doesNotContain("Exception", "\tat ");
    }
  }

  @Test
  void says_that_the_data_directory_is_in_use() throws Exception {
    try (DataDirectory held = DataDirectory.open(data, Set.of(Role.BROKER));
        SluiceProcess sluice =
            SluiceProcess.start(data, "--server.port=0", "--sluice.broker.port=0")) {
      assertThat(held).isNotNull();
      assertThat(sluice.awaitExit()).isEqualTo(1);
      assertThat(sluice.output())
          .contains("is in use by another Sluice")
          .contains("SLUICE_DATA_DIR")
          .doesNotContain("Exception", "\tat ");
    }
  }
}
