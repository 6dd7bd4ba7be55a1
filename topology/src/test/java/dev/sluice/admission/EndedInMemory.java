package dev.sluice.admission;

import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.Queue;

/** Ended people on the heap. */
final class EndedInMemory implements EndedPeople {
  private record Name(String roomId, String requestId) {
    static Name of(Person person) {
      return new Name(person.roomId(), person.requestId());
    }
  }

  private final Map<Name, Person> last = new HashMap<>();
  private final Queue<Person> order = new ArrayDeque<>();

  /** What a store kept in the same transaction would hold if nothing were kept from here on. */
  synchronized EndedInMemory copy() {
    EndedInMemory copy = new EndedInMemory();
    copy.last.putAll(last);
    copy.order.addAll(order);
    return copy;
  }

  @Override
  public synchronized void add(Person ended) {
    last.put(Name.of(ended), ended);
    order.add(ended);
  }

  @Override
  public synchronized Person find(String roomId, String requestId) {
    return last.get(new Name(roomId, requestId));
  }

  @Override
  public synchronized long oldestEndedAt() {
    return order.isEmpty() ? NONE : order.element().endedAt();
  }

  @Override
  public synchronized String forgetOldest() {
    Person oldest = order.remove();
    last.computeIfPresent(
        Name.of(oldest), (name, kept) -> kept.ticket() == oldest.ticket() ? null : kept);
    return oldest.roomId();
  }

  @Override
  public synchronized boolean hasAnyOf(String roomId) {
    return order.stream().anyMatch(person -> person.roomId().equals(roomId));
  }
}
