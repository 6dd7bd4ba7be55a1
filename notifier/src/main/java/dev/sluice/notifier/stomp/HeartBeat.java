package dev.sluice.notifier.stomp;

import java.time.Duration;

/**
 * The heartbeat that two sides agree on: each beats as slowly as the other wishes.
 *
 * @param send how often the server sends something; zero: no need
 * @param expect how often the client promises to; zero: it doesn't
 */
public record HeartBeat(Duration send, Duration expect) {
  /**
   * What the header {@code heart-beat} of a CONNECT frame leads to.
   *
   * @param header {@code <can send>,<wants>} in milliseconds, or null for {@code 0,0}
   * @param ours what the server offers and wants
   */
  public static HeartBeat negotiate(String header, Duration ours) throws MalformedFrameException {
    if (header == null) {
      return new HeartBeat(Duration.ZERO, Duration.ZERO);
    }
    String[] parts = header.split(",", -1);
    if (parts.length != 2) {
      throw new MalformedFrameException("heart-beat must be two numbers");
    }
    return new HeartBeat(slower(millis(parts[1]), ours), slower(millis(parts[0]), ours));
  }

  private static Duration slower(long theirs, Duration ours) {
    return theirs == 0 || ours.isZero()
        ? Duration.ZERO
        : Duration.ofMillis(Math.max(theirs, ours.toMillis()));
  }

  private static long millis(String text) throws MalformedFrameException {
    try {
      int millis = Integer.parseInt(text.strip());
      if (millis >= 0) {
        return millis;
      }
    } catch (NumberFormatException e) {
      throw new MalformedFrameException("heart-beat must be two numbers");
    }
    throw new MalformedFrameException("heart-beat must not be negative");
  }
}
