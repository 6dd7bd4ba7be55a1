package dev.sluice.notifier.jetty;

import dev.sluice.notifier.connection.Wire;
import java.nio.ByteBuffer;
import org.eclipse.jetty.websocket.api.Callback;
import org.eclipse.jetty.websocket.api.Session;

/** A Jetty WebSocket session, which sends without blocking and calls back. */
final class JettyWire implements Wire {
  private final Session session;

  JettyWire(Session session) {
    this.session = session;
  }

  @Override
  public void send(String text, Sent sent) {
    session.sendText(text, callback(sent));
  }

  @Override
  public void ping(Sent sent) {
    session.sendPing(ByteBuffer.allocate(0), callback(sent));
  }

  @Override
  public void close(int code, String reason) {
    session.close(code, reason, Callback.NOOP);
  }

  @Override
  public void drop() {
    session.disconnect();
  }

  private static Callback callback(Sent sent) {
    return Callback.from(sent::succeeded, sent::failed);
  }
}
