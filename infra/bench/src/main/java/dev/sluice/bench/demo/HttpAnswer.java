package dev.sluice.bench.demo;

import dev.sluice.bench.PersonAnswer;
import dev.sluice.bench.RoomAnswer;
import java.io.IOException;
import java.io.UncheckedIOException;

/**
 * An answer and when it was asked for.
 *
 * @param sentAt when the answered request was sent, of {@link System#nanoTime}
 * @param firstSentAt the same of its first try
 */
record HttpAnswer(int status, String body, long sentAt, long firstSentAt) {
  boolean isGood() {
    return status == 200 || status == 201 || status == 202 || status == 204;
  }

  /** Whether asking again later can help. */
  boolean isPassing() {
    return status == 503 || status == 429;
  }

  /** Whether the command may be in the log and nobody knows yet. */
  boolean isPending() {
    return status == 202 && "PENDING".equals(person().status());
  }

  PersonAnswer person() {
    try {
      return PersonAnswer.read(body);
    } catch (IOException e) {
      throw new UncheckedIOException("an answer that isn't a person: " + text(), e);
    }
  }

  RoomAnswer room() {
    try {
      return RoomAnswer.read(body);
    } catch (IOException e) {
      throw new UncheckedIOException("an answer that isn't a room: " + text(), e);
    }
  }

  String text() {
    return status + " " + body;
  }
}
