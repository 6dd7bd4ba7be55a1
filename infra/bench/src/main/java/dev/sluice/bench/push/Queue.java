package dev.sluice.bench.push;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.bench.Blocking;
import dev.sluice.bench.PersonAnswer;
import dev.sluice.bench.SluiceApi;
import dev.sluice.bench.http.HttpLoop;
import java.io.IOException;
import java.net.InetSocketAddress;

/** The queue of one room in a whole Sluice: who enters it, and how many may go in. */
final class Queue {
  private static final int CONNECTIONS = 64;

  private final SluiceApi api;

  Queue(InetSocketAddress server) {
    this.api = new SluiceApi(server, null);
  }

  /** Lets so many be in the room at once. */
  void setCapacity(int places) throws IOException {
    set("admission.capacity", Integer.toString(places));
  }

  /** Nobody who is in the room need say so for ten minutes. */
  void keepAll() throws IOException {
    set("admission.session-timeout", "\"10m\"");
  }

  private void set(String setting, String json) throws IOException {
    Blocking.Answer answer =
        Blocking.call(api.server(), api.putSetting(setting, Pushes.ROOM, json));
    if (!answer.isGood()) {
      throw new IllegalStateException(setting + " was refused: " + answer.body());
    }
  }

  /**
   * So many people enter, each in a session of their own, in the order of their numbers but for
   * those under way at once; they wait as {@code waiters}.
   */
  void enter(int people, Waiters waiters) throws IOException {
    try (HttpLoop loop = new HttpLoop(api.server(), CONNECTIONS)) {
      Entering entering = new Entering(loop, people, waiters);
      for (int i = 0; i < CONNECTIONS; i++) {
        entering.next();
      }
      loop.run(() -> entering.entered == people || entering.failure != null);
      if (entering.failure != null) {
        throw new IllegalStateException("not everyone could enter: " + entering.failure);
      }
    }
  }

  private final class Entering {
    private final HttpLoop loop;
    private final int people;
    private final Waiters waiters;
    private int next;
    private int entered;
    private String failure;

    Entering(HttpLoop loop, int people, Waiters waiters) {
      this.loop = loop;
      this.people = people;
      this.waiters = waiters;
    }

    void next() {
      if (next == people) {
        return;
      }
      String name = Pushes.person(next++);
      loop.send(
          api.enter(null, Pushes.ROOM, name),
          new HttpLoop.Callback() {
            @Override
            public void answered(int status, byte[] body) {
              String text = new String(body, UTF_8);
              try {
                PersonAnswer answer = PersonAnswer.read(text);
                if (!"WAITING".equals(answer.status())) {
                  throw new IOException("not waiting");
                }
                waiters.add(name, answer.sessionId(), answer.ticket());
                entered++;
                next();
              } catch (IOException e) {
                failure = status + " " + text;
              }
            }

            @Override
            public void failed(IOException cause) {
              failure = cause.toString();
            }
          });
    }
  }
}
