package dev.sluice.bench.push;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.sluice.identity.Session;
import dev.sluice.identity.Sessions;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;

/**
 * A push server in a JVM of its own. Arguments: what it is, the port to serve, the port to be told
 * what to do, and a file with a session a line. It is told, one line each, and answers each with
 * one:
 *
 * <ul>
 *   <li>{@code personal RATE MILLIS}: tells people, in turn, RATE times a second
 *   <li>{@code once}: tells each person once, as fast as it can
 *   <li>{@code flood RATE MILLIS PEOPLE}: the same, and each hundredth time one of the first PEOPLE
 *   <li>{@code closed N}: milliseconds from the beginning of the last flood until N connections had
 *       ended, -1 if they haven't
 *   <li>{@code outbox}: most bytes that waited for all clients together in the last flood
 *   <li>{@code all}: tells everyone once
 *   <li>{@code left}: how much is kept though nobody is connected
 *   <li>{@code heap}: answers with the bytes of the heap that are in use after a collection
 * </ul>
 */
public final class PushServer {
  /** Of the sessions in the file. */
  static final String SECRET = "the secret of a benchmark";

  private static final long NAP_NANOS = TimeUnit.MICROSECONDS.toNanos(500);
  private static final int COLLECTIONS = 3;
  private static final int FLOOD = 100;

  private final Pushes pushes;
  private final int people;
  private long told;
  private volatile Watch watch;

  private PushServer(Pushes pushes, int people) {
    this.pushes = pushes;
    this.people = people;
  }

  /** What can be measured. */
  enum Kind {
    SLUICE("sluice", SluicePushes.OnJetty.class),
    SLUICE_TOMCAT("sluice on tomcat", SluicePushes.OnTomcat.class),
    SPRING("spring", SpringPushes.Broker.class),
    SPRING_CACHED("spring, larger cache", SpringPushes.Cached.class);

    private final String words;
    private final Class<?> application;

    Kind(String words, Class<?> application) {
      this.words = words;
      this.application = application;
    }

    /** As reports call it. */
    String words() {
      return words;
    }

    boolean isSluice() {
      return this == SLUICE || this == SLUICE_TOMCAT;
    }
  }

  public static void main(String[] arguments) throws IOException {
    Kind kind = Kind.valueOf(arguments[0]);
    Sessions sessions = new Sessions(SECRET);
    List<Session> people =
        Files.readAllLines(Path.of(arguments[3])).stream()
            .map(token -> sessions.verify(token).orElseThrow())
            .toList();
    SpringApplication application = new SpringApplication(kind.application);
    application.setDefaultProperties(
        Map.of(
            "server.address", "127.0.0.1",
            "server.port", arguments[1],
            "server.tomcat.max-connections", "30000",
            "server.tomcat.accept-count", "4096",
            "sluice.push.max-connections", "30000",
            "sluice.push.accept-rate", "100000",
            // Ranks and figures come when they are asked for.
            "sluice.push.rank-period", "1h",
            "sluice.push.rank-sync", "1h",
            "sluice.push.stats-period", "1h",
            "logging.level.root", "warn"));
    ConfigurableApplicationContext context = application.run();
    Pushes pushes = kind.isSluice() ? SluicePushes.in(context, people) : SpringPushes.in(context);
    try (ServerSocket control =
        new ServerSocket(Integer.parseInt(arguments[2]), 1, InetAddress.getLoopbackAddress())) {
      new PushServer(pushes, people.size()).serve(control);
    }
    context.close();
  }

  private void serve(ServerSocket control) throws IOException {
    try (Socket socket = control.accept();
        BufferedReader in =
            new BufferedReader(new InputStreamReader(socket.getInputStream(), US_ASCII));
        PrintWriter out = new PrintWriter(socket.getOutputStream(), true, US_ASCII)) {
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        out.println(obey(line.split(" ")));
      }
    }
  }

  private long obey(String[] words) {
    return switch (words[0]) {
      case "personal" -> tellPeople(Integer.parseInt(words[1]), Long.parseLong(words[2]), 0);
      case "once" -> {
        for (int i = 0; i < people; i++) {
          pushes.tellPerson(i, System.nanoTime());
        }
        yield people;
      }
      case "flood" -> {
        watch = new Watch();
        watch.start();
        yield tellPeople(
            Integer.parseInt(words[1]), Long.parseLong(words[2]), Integer.parseInt(words[3]));
      }
      case "closed" -> watch.closedAtMillis(Integer.parseInt(words[1]));
      case "outbox" -> watch.outboxBytes;
      case "all" -> {
        pushes.tellAll(System.nanoTime());
        yield 1;
      }
      case "heap" -> heap();
      case "left" -> pushes.left();
      default -> throw new IllegalArgumentException(words[0]);
    };
  }

  /**
   * Each is stamped with the moment when it was due, so that a server that falls behind can't hide
   * it.
   *
   * @return how many were told
   */
  private long tellPeople(int rate, long millis, int flooded) {
    long start = System.nanoTime();
    long end = start + TimeUnit.MILLISECONDS.toNanos(millis);
    long each = TimeUnit.SECONDS.toNanos(1) / rate;
    long count = 0;
    long due = start;
    for (long now = start; now < end; now = System.nanoTime()) {
      // Who can't keep up isn't told ever more beyond the time.
      for (; due <= now && System.nanoTime() < end; due += each) {
        pushes.tellPerson((int) (told++ % people), due);
        count++;
        if (flooded > 0 && count % FLOOD == 0) {
          pushes.tellPerson((int) (count / FLOOD % flooded), due);
        }
      }
      LockSupport.parkNanos(NAP_NANOS);
    }
    return count;
  }

  /** What becomes of connections from now on. */
  private final class Watch {
    private static final long EVERY_NANOS = 20_000_000;

    /** Asking ten thousand outboxes takes a millisecond or three. */
    private static final int LOOKS_AN_OUTBOX = 10;

    private static final int ENDS = 16;

    private final long start = System.nanoTime();
    private final int connections = pushes.connections();
    private final long[] endedAt = new long[ENDS];
    private volatile long outboxBytes;

    void start() {
      Thread thread = new Thread(this::look, "watch");
      thread.setDaemon(true);
      thread.start();
    }

    private void look() {
      for (int look = 0; watch == this; look++) {
        if (look % LOOKS_AN_OUTBOX == 0) {
          outboxBytes = Math.max(outboxBytes, pushes.outboxBytes());
        }
        int ended = Math.min(ENDS, connections - pushes.connections());
        synchronized (endedAt) {
          for (int i = 0; i < ended; i++) {
            endedAt[i] = endedAt[i] == 0 ? System.nanoTime() : endedAt[i];
          }
        }
        LockSupport.parkNanos(EVERY_NANOS);
      }
    }

    long closedAtMillis(int ends) {
      synchronized (endedAt) {
        long at = endedAt[ends - 1];
        return at == 0 ? -1 : (at - start) / 1_000_000;
      }
    }
  }

  private static long heap() {
    for (int i = 0; i < COLLECTIONS; i++) {
      System.gc();
    }
    return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
  }
}
