package dev.sluice.bench.demo;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import dev.sluice.bench.SluiceApi;
import dev.sluice.bench.http.HttpLoop;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.BooleanSupplier;
import java.util.function.IntConsumer;

/**
 * Quiet rooms, and one that gets busy, seen from its people: whoever is pushed fetches. Driven by
 * one loop.
 */
final class HotTalk {
  private static final Duration LOOK_EVERY = Duration.ofMillis(50);
  private static final Duration DRAIN_EVERY = Duration.ofMillis(2);
  private static final JsonFactory JSON = new JsonFactory();

  /** Where people come from and what they use, one after another. */
  private static final List<String> COUNTRIES = List.of("KR", "KR", "KR", "JP", "US");

  private static final List<String> APPS = List.of("ios", "android", "android", "web");

  private final HotPlan plan;
  private final SluiceApi api;
  private final HttpLoop loop;
  private final List<Person> people = new ArrayList<>();
  private final Queue<Push> pushes = new ConcurrentLinkedQueue<>();
  private final long begun = System.nanoTime();
  private final Counts counts = new Counts();

  private long busySince = -1;
  private long busyUntil = -1;
  private long hotAt = -1;
  private long cooledAt = -1;
  private boolean hot;
  private long rate;
  private long threshold;
  private int joiner;

  private record Push(int person, long cursor) {}

  /** What has happened so far. */
  static final class Counts {
    long messages;
    long quietMessages;
    long pushed;
    long fetched;
    long joined;
    long refused;
    long failed;

    Counts copy() {
      Counts copy = new Counts();
      copy.messages = messages;
      copy.quietMessages = quietMessages;
      copy.pushed = pushed;
      copy.fetched = fetched;
      copy.joined = joined;
      copy.refused = refused;
      copy.failed = failed;
      return copy;
    }
  }

  /** Somebody subscribed: one fetch at a time, from where the last one ended. */
  private final class Person {
    private final String country;
    private final String app;
    private long cursor = -1;
    private long pushed = -1;
    private boolean fetching;

    Person(int number) {
      country = COUNTRIES.get(number % COUNTRIES.size());
      app = APPS.get(number % APPS.size());
    }

    void hear(long upTo) {
      if (cursor < 0) {
        // What was said before is no news.
        cursor = upTo;
      }
      pushed = Math.max(pushed, upTo);
      fetch();
    }

    private void fetch() {
      if (fetching || pushed <= cursor) {
        return;
      }
      fetching = true;
      send(
          api.fetch(plan.room(), cursor, pushed, country, app),
          (status, body) -> {
            fetching = false;
            if (status == 200) {
              counts.fetched++;
              cursor = Math.max(cursor, cursorOf(body));
            }
            fetch();
          });
    }
  }

  HotTalk(HotPlan plan, SluiceApi api, HttpLoop loop) {
    this.plan = plan;
    this.api = api;
    this.loop = loop;
    for (int i = 0; i < plan.people(); i++) {
      people.add(new Person(i));
    }
  }

  /** For the connection of a person; called by any thread. */
  void push(int person, long cursor) {
    pushes.add(new Push(person, cursor));
  }

  void open() {
    every(DRAIN_EVERY, this::drain);
    every(LOOK_EVERY, this::look);
    steadily(
        plan.quietRooms() * plan.quietPerSecond(),
        number -> {
          counts.quietMessages++;
          send(
              api.message("quiet-" + number % plan.quietRooms(), "u-1", "KR", "web"),
              (status, body) -> {});
        },
        () -> true);
    say(plan.quietPerSecond(), () -> busySince < 0 || busyUntil >= 0);
    loop.after(plan.before(), this::getBusy);
  }

  private void say(double perSecond, BooleanSupplier when) {
    steadily(
        perSecond,
        number -> {
          counts.messages++;
          send(api.message(plan.room(), "u-1", "KR", "ios"), (status, body) -> {});
        },
        when);
  }

  private void getBusy() {
    busySince = System.nanoTime();
    say(plan.quietPerSecond() * plan.times(), this::isBusy);
    steadily(plan.joinsPerSecond(), number -> join(), this::isBusy);
    loop.after(plan.busy(), () -> busyUntil = System.nanoTime());
  }

  private void join() {
    send(
        api.join(plan.room(), "joiner-" + joiner++),
        (status, body) -> {
          if (status == 202) {
            counts.joined++;
          } else if (status == 429) {
            counts.refused++;
          }
        });
  }

  boolean isBusy() {
    return busySince >= 0 && busyUntil < 0;
  }

  boolean isOver() {
    return busyUntil >= 0
        && (cooledAt >= 0 || System.nanoTime() - busyUntil > plan.coolsWithin().toNanos());
  }

  /** Does something so often while {@code when} says so; never makes up for more than a second. */
  private void steadily(double perSecond, IntConsumer action, BooleanSupplier when) {
    long period = (long) (1e9 / perSecond);
    Runnable[] next = new Runnable[1];
    int[] number = new int[1];
    long[] due = {System.nanoTime() + period};
    next[0] =
        () -> {
          if (when.getAsBoolean() && !isOver()) {
            action.accept(number[0]++);
          }
          due[0] = Math.max(due[0] + period, System.nanoTime() - 1_000_000_000L);
          loop.at(due[0], next[0]);
        };
    loop.at(due[0], next[0]);
  }

  private void every(Duration period, Runnable action) {
    Runnable[] next = new Runnable[1];
    next[0] =
        () -> {
          action.run();
          loop.after(period, next[0]);
        };
    loop.after(period, next[0]);
  }

  private void drain() {
    for (Push push = pushes.poll(); push != null; push = pushes.poll()) {
      counts.pushed++;
      people.get(push.person()).hear(push.cursor());
    }
  }

  private void look() {
    send(
        api.room(plan.room()),
        (status, body) -> {
          if (status == 200) {
            seen(body);
          }
        });
  }

  private void seen(byte[] body) {
    boolean nowHot = hot;
    try (JsonParser json = JSON.createParser(body)) {
      int depth = 0;
      for (JsonToken token = json.nextToken(); token != null; token = json.nextToken()) {
        depth += token.isStructStart() ? 1 : token.isStructEnd() ? -1 : 0;
        if (depth == 1 && token.isScalarValue()) {
          switch (json.currentName()) {
            case "hot" -> nowHot = json.getBooleanValue();
            case "rate" -> rate = json.getLongValue();
            case "threshold" -> threshold = json.getLongValue();
            default -> {
              // Nothing that is shown.
            }
          }
        }
      }
    } catch (IOException e) {
      counts.failed++;
      return;
    }
    if (nowHot && !hot && hotAt < 0) {
      hotAt = System.nanoTime();
    } else if (!nowHot && hot) {
      cooledAt = System.nanoTime();
    }
    hot = nowHot;
  }

  private static long cursorOf(byte[] body) {
    long cursor = -1;
    try (JsonParser json = JSON.createParser(body)) {
      int depth = 0;
      for (JsonToken token = json.nextToken(); token != null; token = json.nextToken()) {
        depth += token.isStructStart() ? 1 : token.isStructEnd() ? -1 : 0;
        if (depth == 1 && token == JsonToken.VALUE_STRING && json.currentName().equals("cursor")) {
          cursor = Long.parseLong(json.getText());
        }
      }
      return cursor;
    } catch (IOException e) {
      return -1;
    }
  }

  private interface Answer {
    void came(int status, byte[] body);
  }

  private void send(byte[] request, Answer answer) {
    loop.send(
        request,
        new HttpLoop.Callback() {
          @Override
          public void answered(int status, byte[] body) {
            if (status >= 500) {
              counts.failed++;
            }
            answer.came(status, body);
          }

          @Override
          public void failed(IOException cause) {
            counts.failed++;
            answer.came(0, new byte[0]);
          }
        });
  }

  Counts counts() {
    return counts.copy();
  }

  boolean isHot() {
    return hot;
  }

  long rate() {
    return rate;
  }

  long threshold() {
    return threshold;
  }

  long elapsedSeconds() {
    return (System.nanoTime() - begun) / 1_000_000_000L;
  }

  /** From the first busy moment until the room was seen hot, in milliseconds; -1: never. */
  long hotAfterMillis() {
    return hotAt < 0 ? -1 : (hotAt - busySince) / 1_000_000;
  }

  /** From the last busy moment until it was seen to have cooled, in milliseconds; -1: not yet. */
  long cooledAfterMillis() {
    return cooledAt < 0 ? -1 : (cooledAt - busyUntil) / 1_000_000;
  }
}
