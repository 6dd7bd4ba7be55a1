package dev.sluice.redis;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;

/** Takes connections, by the kernel's own backlog, and never answers. */
final class SilentServer implements AutoCloseable {
  private final ServerSocket socket;

  SilentServer() {
    try {
      socket = new ServerSocket(0, 100, InetAddress.getLoopbackAddress());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  RedisAddress address() {
    return RedisAddress.parse("redis://127.0.0.1:" + socket.getLocalPort());
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
