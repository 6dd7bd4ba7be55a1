package dev.sluice.bench.push;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.sluice.bench.Installation;
import dev.sluice.bench.process.ChildProcess;
import dev.sluice.bench.process.FreePorts;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;

/** A {@link PushServer} in a process of its own, and what it is told. Not thread-safe. */
final class PushProcess implements AutoCloseable {
  private static final Duration START_AT_MOST = Duration.ofSeconds(60);
  private static final long LOOK_EVERY_NANOS = 50_000_000;
  private static final int KIB = 1024;

  private final ChildProcess process;
  private final InetSocketAddress address;
  private final Socket control;
  private final BufferedReader in;
  private final PrintWriter out;

  private PushProcess(ChildProcess process, InetSocketAddress address, Socket control)
      throws IOException {
    this.process = process;
    this.address = address;
    this.control = control;
    this.in = new BufferedReader(new InputStreamReader(control.getInputStream(), US_ASCII));
    this.out = new PrintWriter(control.getOutputStream(), true, US_ASCII);
  }

  /**
   * Starts one and waits until it serves.
   *
   * @param sessions a file with one a line
   * @param directory for its log
   */
  static PushProcess start(PushServer.Kind kind, Path sessions, Path directory) throws IOException {
    int port = FreePorts.next();
    int controlPort = FreePorts.next();
    List<String> command = new ArrayList<>();
    command.add(ChildProcess.java());
    // As Sluice runs, but for the cache of its own classes.
    Files.readAllLines(Installation.javaOptionsFile()).stream()
        .filter(option -> !option.contains("AOT") && !option.contains("SharedArchive"))
        .forEach(command::add);
    command.addAll(
        List.of(
            "-Xmx2g",
            "-cp",
            Installation.classPath(),
            PushServer.class.getName(),
            kind.name(),
            String.valueOf(port),
            String.valueOf(controlPort),
            sessions.toString()));
    ChildProcess process =
        ChildProcess.start(
            kind.words(), command, Map.of(), directory.resolve(kind.name() + ".log"));
    return new PushProcess(
        process,
        new InetSocketAddress(InetAddress.getLoopbackAddress(), port),
        connect(process, controlPort));
  }

  private static Socket connect(ChildProcess process, int port) throws IOException {
    long deadline = System.nanoTime() + START_AT_MOST.toNanos();
    while (true) {
      try {
        return new Socket(InetAddress.getLoopbackAddress(), port);
      } catch (ConnectException e) {
        if (!process.isAlive() || System.nanoTime() - deadline > 0) {
          throw new IllegalStateException(
              process + " doesn't serve; it said:\n" + process.lastWords(), e);
        }
        LockSupport.parkNanos(LOOK_EVERY_NANOS);
      }
    }
  }

  InetSocketAddress address() {
    return address;
  }

  ChildProcess process() {
    return process;
  }

  /** Tells it {@code line}; what it answered. */
  long tell(String line) throws IOException {
    out.println(line);
    String answer = in.readLine();
    if (answer == null) {
      throw new IllegalStateException(process + " ended; it said:\n" + process.lastWords());
    }
    return Long.parseLong(answer);
  }

  /** Memory of the process that is in use, in bytes. */
  long resident() throws IOException {
    for (String line : Files.readAllLines(Path.of("/proc/" + process.pid() + "/status"))) {
      if (line.startsWith("VmRSS:")) {
        return Long.parseLong(line.replaceAll("\\D", "")) * KIB;
      }
    }
    throw new IllegalStateException("no VmRSS");
  }

  @Override
  public void close() throws IOException {
    control.close();
    process.close();
  }
}
