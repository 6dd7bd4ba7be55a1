package dev.sluice.notifier.jetty;

import dev.sluice.notifier.connection.Wire;
import dev.sluice.notifier.stomp.Encoded;
import java.util.List;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.websocket.api.Session;
import org.eclipse.jetty.websocket.common.WebSocketSession;
import org.eclipse.jetty.websocket.core.CoreSession;
import org.eclipse.jetty.websocket.core.Frame;
import org.eclipse.jetty.websocket.core.OpCode;

/** A Jetty WebSocket session, which sends without blocking and calls back. */
final class JettyWire implements Wire {
  private final Session session;

  /** Takes text that is encoded already, which the session itself doesn't. */
  private final CoreSession core;

  JettyWire(Session session) {
    this.session = session;
    this.core = ((WebSocketSession) session).getCoreSession();
  }

  @Override
  public void send(List<Encoded> messages, Sent sent) {
    int last = messages.size() - 1;
    for (int i = 0; i < last; i++) {
      core.sendFrame(text(messages.get(i)), Callback.NOOP, true);
    }
    core.sendFrame(text(messages.get(last)), Callback.from(sent::succeeded, sent::failed), false);
  }

  private static Frame text(Encoded message) {
    return new Frame(OpCode.TEXT, message.buffer());
  }

  @Override
  public void ping() {
    core.sendFrame(new Frame(OpCode.PING), Callback.NOOP, false);
  }

  @Override
  public void close(int code, String reason) {
    session.close(code, reason, org.eclipse.jetty.websocket.api.Callback.NOOP);
  }

  @Override
  public void drop() {
    session.disconnect();
  }
}
