package dev.sluice.bench.admission;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.bench.PersonAnswer;
import dev.sluice.bench.http.HttpLoop;
import java.io.IOException;
import java.time.Duration;
import java.util.BitSet;
import java.util.Random;
import java.util.function.LongFunction;

/**
 * Many people in one paused room: each enters once, a third leave, and everyone who remains is
 * asked their rank. While nobody is admitted the right answers are known exactly.
 */
final class Crowd {
  private final Entries entries;
  private final String room;
  private final int size;
  private final int connections;
  private final long[] tickets;
  private long errors;
  private long wrong;

  /**
   * @param errors calls not answered as they should be
   * @param wrong tickets given twice or never, and ranks that aren't 1 + the waiting tickets below
   * @param entering time until the last was in
   */
  record Outcome(long errors, long wrong, long ranksChecked, Duration entering) {}

  Crowd(Entries entries, String room, int size, int connections) {
    this.entries = entries;
    this.room = room;
    this.size = size;
    this.connections = connections;
    this.tickets = new long[size];
  }

  Outcome run() throws IOException {
    long start = System.nanoTime();
    BitSet given = new BitSet(size + 1);
    long[] ranks = new long[size];
    forAll(
        person -> entries.enter(room, person),
        (person, answer) -> {
          tickets[person] = answer.ticket();
          ranks[person] = answer.rank();
          given.set((int) Math.min(size, Math.max(0, answer.ticket())));
        },
        new BitSet());
    Duration entering = Duration.ofNanos(System.nanoTime() - start);
    // Nobody has left or been admitted: rank and ticket are the same number.
    wrong += size - given.get(1, size + 1).cardinality();
    for (int person = 0; person < size; person++) {
      wrong += ranks[person] == tickets[person] ? 0 : 1;
    }

    BitSet gone = new BitSet(size);
    Random random = new Random(3);
    for (int person = 0; person < size; person++) {
      gone.set(person, random.nextInt(3) == 0);
    }
    BitSet stay = (BitSet) gone.clone();
    stay.flip(0, size);
    forAll(
        person -> entries.api().leave(entries.sessionOf(person), room, Entries.nameOf(person)),
        (person, answer) -> wrong += answer.status().equals("LEFT") ? 0 : 1,
        stay);

    int[] below = new int[size + 2];
    for (int person = 0; person < size; person++) {
      if (!gone.get(person)) {
        below[(int) tickets[person] + 1]++;
      }
    }
    for (int ticket = 1; ticket < below.length; ticket++) {
      below[ticket] += below[ticket - 1];
    }
    forAll(
        person -> entries.api().status(entries.sessionOf(person), room, Entries.nameOf(person)),
        (person, answer) -> wrong += answer.rank() == 1 + below[(int) tickets[person]] ? 0 : 1,
        gone);
    return new Outcome(errors, wrong, size + (long) stay.cardinality(), entering);
  }

  private interface Reply {
    void heard(int person, PersonAnswer answer);
  }

  private void forAll(LongFunction<byte[]> request, Reply reply, BitSet except) throws IOException {
    try (HttpLoop loop = new HttpLoop(entries.api().server(), connections)) {
      int[] next = {except.nextClearBit(0)};
      for (int i = 0; i < connections; i++) {
        sendNext(loop, request, reply, except, next);
      }
      loop.run(() -> next[0] >= size && loop.unanswered() == 0);
    }
  }

  private void sendNext(
      HttpLoop loop, LongFunction<byte[]> request, Reply reply, BitSet except, int[] next) {
    if (next[0] >= size) {
      return;
    }
    int person = next[0];
    next[0] = except.nextClearBit(person + 1);
    loop.send(
        request.apply(person),
        new HttpLoop.Callback() {
          @Override
          public void answered(int status, byte[] body) {
            try {
              if (status == 200 || status == 202) {
                reply.heard(person, PersonAnswer.read(new String(body, UTF_8)));
              } else {
                errors++;
              }
            } catch (IOException e) {
              errors++;
            }
            sendNext(loop, request, reply, except, next);
          }

          @Override
          public void failed(IOException cause) {
            errors++;
            sendNext(loop, request, reply, except, next);
          }
        });
  }
}
