package dev.sluice.kinesis;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.concurrent.atomic.AtomicLong;

/** The system's time, and as much later as a test likes. */
final class MovingClock extends Clock {
  private final AtomicLong ahead = new AtomicLong();

  void move(Duration by) {
    ahead.addAndGet(by.toMillis());
  }

  @Override
  public Instant instant() {
    return Instant.ofEpochMilli(System.currentTimeMillis() + ahead.get());
  }

  @Override
  public ZoneId getZone() {
    return ZoneOffset.UTC;
  }

  @Override
  public Clock withZone(ZoneId zone) {
    throw new UnsupportedOperationException();
  }
}
