package dev.sluice.standalone.pages;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** What lies between a browser and the server: it can be cut and mended. */
final class Cable implements AutoCloseable {
  private final ServerSocket entrance;
  private final int serverPort;
  private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
  private final ExecutorService threads =
      Executors.newCachedThreadPool(
          work -> {
            Thread thread = new Thread(work, "cable");
            thread.setDaemon(true);
            return thread;
          });
  private volatile boolean cut;

  Cable(int serverPort) throws IOException {
    this.serverPort = serverPort;
    this.entrance = new ServerSocket(0, 100, InetAddress.getLoopbackAddress());
    threads.execute(this::accept);
  }

  int port() {
    return entrance.getLocalPort();
  }

  void cut() {
    cut = true;
    sockets.forEach(Cable::closed);
  }

  void mend() {
    cut = false;
  }

  private void accept() {
    while (!entrance.isClosed()) {
      try {
        Socket near = entrance.accept();
        if (cut) {
          closed(near);
          continue;
        }
        Socket far = new Socket(InetAddress.getLoopbackAddress(), serverPort);
        sockets.add(near);
        sockets.add(far);
        threads.execute(() -> carry(near, far));
        threads.execute(() -> carry(far, near));
        if (cut) {
          cut();
        }
      } catch (IOException e) {
        // Closed, or the server is away: the browser sees a connection that fails.
      }
    }
  }

  private void carry(Socket from, Socket to) {
    try (InputStream in = from.getInputStream();
        OutputStream out = to.getOutputStream()) {
      in.transferTo(out);
    } catch (IOException e) {
      // Cut, or closed by the other end.
    } finally {
      closed(from);
      closed(to);
      sockets.remove(from);
      sockets.remove(to);
    }
  }

  private static void closed(Socket socket) {
    try {
      socket.close();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  @Override
  public void close() throws IOException {
    entrance.close();
    cut();
    threads.shutdownNow();
  }
}
