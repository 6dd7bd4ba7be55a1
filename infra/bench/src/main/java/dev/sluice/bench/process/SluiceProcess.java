package dev.sluice.bench.process;

import dev.sluice.bench.SluiceApi;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** A Sluice started from its executable jar, on free loopback ports. */
public final class SluiceProcess implements AutoCloseable {
  private final ChildProcess process;
  private final Settings settings;

  /**
   * How to start one; the same settings start it again on the same ports and data.
   *
   * @param jar the executable jar
   * @param javaOptions for the JVM, such as {@code -Xmx2g}
   * @param arguments further ones, such as {@code --sluice.roles=api}
   */
  public record Settings(
      Path jar,
      List<String> javaOptions,
      List<String> arguments,
      Path directory,
      int httpPort,
      int brokerPort,
      int kinesisPort) {
    /** On free ports, with its data and log under {@code directory}. */
    public static Settings fresh(
        Path jar, List<String> javaOptions, List<String> arguments, Path directory) {
      return new Settings(
          jar,
          javaOptions,
          arguments,
          directory,
          FreePorts.next(),
          FreePorts.next(),
          FreePorts.next());
    }

    public InetSocketAddress address() {
      return new InetSocketAddress(InetAddress.getLoopbackAddress(), httpPort);
    }
  }

  private SluiceProcess(ChildProcess process, Settings settings) {
    this.process = process;
    this.settings = settings;
  }

  /**
   * Starts it without waiting for anything.
   *
   * @throws IllegalStateException if the jar isn't there
   */
  public static SluiceProcess start(Settings settings) {
    if (!Files.isRegularFile(settings.jar)) {
      throw new IllegalStateException(
          "there is no " + settings.jar + " yet: run `make build` first");
    }
    try {
      Files.createDirectories(settings.directory);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    List<String> command = new ArrayList<>();
    command.add(ChildProcess.java());
    command.addAll(settings.javaOptions);
    command.add("-jar");
    command.add(settings.jar.toString());
    command.add("--server.port=" + settings.httpPort);
    command.add("--sluice.broker.port=" + settings.brokerPort);
    command.add("--sluice.kinesis.port=" + settings.kinesisPort);
    command.addAll(settings.arguments);
    ChildProcess process =
        ChildProcess.start(
            "sluice",
            command,
            Map.of("SLUICE_DATA_DIR", settings.directory.resolve("data").toString()),
            settings.directory.resolve("sluice.log"));
    return new SluiceProcess(process, settings);
  }

  /**
   * Waits until it says that it is ready.
   *
   * @throws IllegalStateException with its last words, if it ends or takes longer
   */
  public void awaitReady(Duration atMost) throws IOException {
    awaitAnswer(new SluiceApi(address(), null).ready(), atMost);
  }

  /** As {@link FirstAnswer#await}. */
  public byte[] awaitAnswer(byte[] request, Duration atMost) throws IOException {
    return FirstAnswer.await(process, address(), request, atMost);
  }

  public InetSocketAddress address() {
    return settings.address();
  }

  public InetSocketAddress kinesis() {
    return new InetSocketAddress(InetAddress.getLoopbackAddress(), settings.kinesisPort);
  }

  public String kafka() {
    return "127.0.0.1:" + settings.brokerPort;
  }

  public ChildProcess process() {
    return process;
  }

  @Override
  public void close() {
    process.close();
  }
}
