package dev.sluice.query;

import dev.sluice.admission.EndedPeople;
import dev.sluice.admission.Person;
import java.util.NoSuchElementException;

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
  public String forgetOldest() {
    throw new NoSuchElementException();
  }

  @Override
  public boolean hasAnyOf(String roomId) {
    return false;
  }
}
