package dev.sluice.admission;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The people who wait in a room, by ticket, in pages of 64 tickets. A page goes when the last of
 * its people has. For one thread.
 */
final class Entrants {
  static final int PAGE_SIZE = 64;

  private final Map<Long, Page> pages = new HashMap<>();

  /** Pages whose kept form is out of date. */
  private final Dirty dirty = new Dirty();

  private static final class Page {
    final Person[] people = new Person[PAGE_SIZE];
    int count;
  }

  static long pageOf(long ticket) {
    return ticket / PAGE_SIZE;
  }

  /** Who waits with {@code ticket}, or null. */
  Person get(long ticket) {
    Page page = pages.get(pageOf(ticket));
    return page == null ? null : page.people[slotOf(ticket)];
  }

  void add(Person person) {
    restore(person);
    dirty.add(pageOf(person.ticket()));
  }

  /** Adds someone as kept. */
  void restore(Person person) {
    Page page = pages.computeIfAbsent(pageOf(person.ticket()), number -> new Page());
    page.people[slotOf(person.ticket())] = person;
    page.count++;
  }

  /** The kept page stays as it is until nobody of it waits: who does is told by the index. */
  void remove(long ticket) {
    long number = pageOf(ticket);
    Page page = pages.get(number);
    page.people[slotOf(ticket)] = null;
    if (--page.count == 0) {
      pages.remove(number);
      dirty.add(number);
    }
  }

  void drainTo(String roomId, Changes changes) {
    dirty.drain(number -> changes.entrants(roomId, number, peopleOf(number)));
  }

  private List<Person> peopleOf(long number) {
    Page page = pages.get(number);
    if (page == null) {
      return null;
    }
    List<Person> people = new ArrayList<>(page.count);
    for (Person person : page.people) {
      if (person != null) {
        people.add(person);
      }
    }
    return people;
  }

  private static int slotOf(long ticket) {
    return (int) (ticket % PAGE_SIZE);
  }
}
