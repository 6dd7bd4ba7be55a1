package dev.sluice.log;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.broker.EmbeddedBroker;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.file.Path;
import java.util.Map;

/** A broker in a process of its own, which can be stalled. */
final class BrokerProcess implements AutoCloseable {
  private static final String READY = "ready ";

  private final Process process;
  private final String address;

  BrokerProcess(Path directory) throws IOException {
    this.process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx256m",
                "-cp",
                System.getProperty("java.class.path"),
                EmbeddedBroker.class.getName(),
                directory.toString(),
                "0")
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    BufferedReader out = new BufferedReader(new InputStreamReader(process.getInputStream(), UTF_8));
    String line = out.readLine();
    while (line != null && !line.startsWith(READY)) {
      line = out.readLine();
    }
    if (line == null) {
      throw new IOException("the broker ended before it was ready");
    }
    this.address = line.substring(READY.length());
  }

  Map<String, Object> clients() {
    return Map.of("bootstrap.servers", address);
  }

  void stall() throws Exception {
    signal("STOP");
  }

  void goOn() throws Exception {
    signal("CONT");
  }

  private void signal(String name) throws Exception {
    new ProcessBuilder("kill", "-" + name, Long.toString(process.pid())).start().waitFor();
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }
}
