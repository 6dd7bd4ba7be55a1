package dev.sluice.bench.kinesis;

import dev.sluice.bench.process.ChildProcess;
import dev.sluice.bench.process.FreePorts;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** Other servers of the protocol, from npm, which keep records in memory. */
final class Rivals {
  private static final String NODE = "node";

  private final Path directory;

  /** One that runs. */
  record Rival(ChildProcess process, int port) implements AutoCloseable {
    @Override
    public void close() {
      process.close();
    }
  }

  /**
   * Installs them, which takes some seconds.
   *
   * @param directory that is theirs
   * @throws IllegalStateException if node or npm isn't there, or npm can't
   */
  Rivals(Path directory) throws IOException, InterruptedException {
    this.directory = directory;
    for (String file : List.of("package.json", "package-lock.json")) {
      try (InputStream in = Rivals.class.getResourceAsStream(file)) {
        Files.copy(in, directory.resolve(file));
      }
    }
    Path log = directory.resolve("npm.log");
    Process npm;
    try {
      npm =
          new ProcessBuilder("npm", "ci", "--no-audit", "--no-fund")
              .directory(directory.toFile())
              .redirectErrorStream(true)
              .redirectOutput(log.toFile())
              .start();
    } catch (IOException e) {
      throw new IllegalStateException("npm is needed to install what Sluice is compared with", e);
    }
    if (npm.waitFor() != 0) {
      throw new IllegalStateException("npm ci failed; it said:\n" + Files.readString(log));
    }
  }

  Rival kinesalite() {
    int port = FreePorts.next();
    return new Rival(
        start(
            "kinesalite",
            directory,
            List.of(
                NODE,
                module("kinesalite").resolve("cli.js").toString(),
                "--port",
                String.valueOf(port),
                "--createStreamMs",
                "0",
                "--shardLimit",
                "100"),
            Map.of()),
        port);
  }

  Rival kinesisLocal() {
    int port = FreePorts.next();
    return new Rival(
        start(
            "kinesis-local",
            // Where it looks for its certificate.
            module("kinesis-local"),
            List.of(NODE, "main.js"),
            Map.of(
                "KINESIS_MOCK_PLAIN_PORT",
                String.valueOf(port),
                "KINESIS_MOCK_TLS_PORT",
                String.valueOf(FreePorts.next()),
                "SHARD_LIMIT",
                "100",
                "LOG_LEVEL",
                "ERROR")),
        port);
  }

  private Path module(String name) {
    return directory.resolve("node_modules").resolve(name);
  }

  private ChildProcess start(
      String name, Path in, List<String> command, Map<String, String> environment) {
    return ChildProcess.start(name, command, environment, in, directory.resolve(name + ".log"));
  }
}
