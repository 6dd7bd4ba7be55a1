package dev.sluice.admission;

import java.util.HashSet;
import java.util.Set;
import java.util.function.LongConsumer;

/** The numbers of parts that have changed since they were last kept. For one thread. */
final class Dirty {
  private final Set<Long> numbers = new HashSet<>();

  /** The last one added, since changes come in runs. */
  private long last = -1;

  void add(long number) {
    if (number != last) {
      numbers.add(number);
      last = number;
    }
  }

  /** Shows each and forgets it. */
  void drain(LongConsumer each) {
    numbers.forEach(each::accept);
    numbers.clear();
    last = -1;
  }
}
