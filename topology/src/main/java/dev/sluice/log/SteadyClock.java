package dev.sluice.log;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/** Milliseconds since the epoch as of its making; however the wall clock steps, it doesn't. */
public final class SteadyClock implements LongSupplier {
  private final long wallAtStart = System.currentTimeMillis();
  private final long nanosAtStart = System.nanoTime();

  @Override
  public long getAsLong() {
    return wallAtStart + TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - nanosAtStart);
  }
}
