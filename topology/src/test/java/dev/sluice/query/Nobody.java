package dev.sluice.query;

import dev.sluice.admission.EndedPeople;
import dev.sluice.admission.Person;

/** Ended people, of whom there are none. */
final class Nobody implements EndedPeople {
  @Override
  public void add(Person ended) {}

  @Override
  public Person find(String roomId, String requestId) {
    return null;
  }

  @Override
  public long oldestEndedAt() {
    return NONE;
  }

  @Override
  public void forgetOldest() {}
}
