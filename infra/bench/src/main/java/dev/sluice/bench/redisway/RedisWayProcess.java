package dev.sluice.bench.redisway;

import dev.sluice.bench.Installation;
import dev.sluice.bench.SluiceApi;
import dev.sluice.bench.process.ChildProcess;
import dev.sluice.bench.process.FirstAnswer;
import dev.sluice.bench.process.FreePorts;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** The baseline in a JVM of its own. */
public final class RedisWayProcess implements AutoCloseable {
  private final ChildProcess process;
  private final InetSocketAddress address;

  private RedisWayProcess(ChildProcess process, InetSocketAddress address) {
    this.process = process;
    this.address = address;
  }

  /**
   * @param redisPort of the Redis to use
   * @param connections to it: as many as there are callers at once, so that none waits for one
   * @param directory for its log
   */
  public static RedisWayProcess start(int redisPort, int connections, Path directory) {
    int port = FreePorts.next();
    ChildProcess process =
        ChildProcess.start(
            "the baseline",
            List.of(
                ChildProcess.java(),
                "-cp",
                Installation.classPath(),
                RedisWayServer.class.getName(),
                String.valueOf(port),
                String.valueOf(redisPort),
                String.valueOf(connections)),
            Map.of(),
            directory.resolve("baseline.log"));
    return new RedisWayProcess(
        process, new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
  }

  public void awaitReady(Duration atMost) throws IOException {
    FirstAnswer.await(process, address, new SluiceApi(address, null).issueSession(), atMost);
  }

  public InetSocketAddress address() {
    return address;
  }

  public ChildProcess process() {
    return process;
  }

  @Override
  public void close() {
    process.close();
  }
}
