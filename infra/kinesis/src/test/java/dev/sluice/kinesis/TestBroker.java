package dev.sluice.kinesis;

import dev.sluice.broker.BrokerConfig;
import dev.sluice.broker.EmbeddedBroker;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

/** One broker for all tests of this JVM; each takes topics of its own. */
public final class TestBroker {
  private static final AtomicInteger PREFIXES = new AtomicInteger();
  private static final Map<String, Object> CLIENTS = start();

  private TestBroker() {}

  private static Map<String, Object> start() {
    try {
      Path directory = Files.createTempDirectory("sluice-kinesis");
      EmbeddedBroker broker = EmbeddedBroker.start(BrokerConfig.local(directory));
      Runtime.getRuntime()
          .addShutdownHook(
              new Thread(
                  () -> {
                    broker.close();
                    delete(directory);
                  }));
      return Map.of("bootstrap.servers", broker.bootstrapServers());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void delete(Path directory) {
    try (Stream<Path> files = Files.walk(directory)) {
      files.sorted(Comparator.reverseOrder()).forEach(file -> file.toFile().delete());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public static Map<String, Object> clients() {
    return CLIENTS;
  }

  /** Of topics that no other test has. */
  public static String prefix() {
    return "t" + PREFIXES.incrementAndGet() + ".";
  }
}
