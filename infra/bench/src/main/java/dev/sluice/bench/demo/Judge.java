package dev.sluice.bench.demo;

import dev.sluice.contract.Version;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * Says whether the invariants I1 to I5 held, from nothing but the answers that visitors and an
 * operator got over HTTP. Versions ({@code partition:offset:index}) order the answers as the log
 * does, so that neither the network nor the judge's own clock blurs the verdict.
 */
final class Judge {
  private final int capacity;

  /**
   * Whether one invariant held.
   *
   * @param evidence how many observations it rests on, or what broke it
   */
  record Finding(String invariant, String rule, boolean held, String evidence) {}

  Judge(int capacity) {
    this.capacity = capacity;
  }

  /**
   * @param mostActive highest number of active people that an operator's view showed
   * @param activeSamples how often the operator looked
   */
  List<Finding> judge(
      List<Stay> stays, List<Census> censuses, long mostActive, long activeSamples) {
    return List.of(
        inTicketOrder(stays),
        onePlace(stays),
        withinCapacity(stays, mostActive, activeSamples),
        noneVanished(stays),
        trueRanks(stays, censuses));
  }

  /** Admissions sorted by version: tickets must rise. */
  private static Finding inTicketOrder(List<Stay> stays) {
    List<Stay> admitted =
        stays.stream()
            .filter(stay -> stay.admittedBy() != null)
            .sorted(Comparator.comparing(Stay::admittedBy))
            .toList();
    long broken = 0;
    for (int i = 1; i < admitted.size(); i++) {
      if (admitted.get(i).ticket() <= admitted.get(i - 1).ticket()) {
        broken++;
      }
    }
    return new Finding(
        "I1",
        "admitted in ticket order",
        broken == 0,
        broken == 0
            ? count(admitted.size()) + " admissions in the order of their versions"
            : count(broken) + " admissions before a lower ticket");
  }

  /** One person one ticket, whatever was clicked or loaded twice; one ticket one person. */
  private static Finding onePlace(List<Stay> stays) {
    Set<Long> tickets = new HashSet<>();
    long broken = 0;
    long people = 0;
    for (Stay stay : stays) {
      if (stay.acknowledged()) {
        people++;
        broken += stay.otherTickets() + (tickets.add(stay.ticket()) ? 0 : 1);
      }
    }
    return new Finding(
        "I2",
        "one place a person",
        broken == 0,
        broken == 0
            ? count(people) + " people, as many tickets, repeated entries included"
            : count(broken) + " second or shared tickets");
  }

  /**
   * The operator's samples, and the log's own order: admissions add one and ends take one, sorted
   * by version. Places of which nobody saw the admission or the end can't be counted.
   */
  private Finding withinCapacity(List<Stay> stays, long mostActive, long activeSamples) {
    record Change(Version at, int by) {}
    List<Change> changes = new ArrayList<>();
    for (Stay stay : stays) {
      if (stay.admittedBy() != null && stay.lastVersion() != null) {
        changes.add(new Change(stay.admittedBy(), 1));
        if (stay.hasEnded()) {
          changes.add(new Change(stay.lastVersion(), -1));
        }
      }
    }
    changes.sort(Comparator.comparing(Change::at));
    long active = 0;
    long peak = 0;
    for (Change change : changes) {
      active += change.by;
      peak = Math.max(peak, active);
    }
    boolean held = peak <= capacity && mostActive <= capacity;
    return new Finding(
        "I3",
        "never more than " + capacity + " active",
        held,
        "at most "
            + count(mostActive)
            + " in "
            + count(activeSamples)
            + " looks, at most "
            + count(peak)
            + " by the order of versions");
  }

  /** At the roll-call everyone acknowledged has ended, as they were told; no answer went back. */
  private static Finding noneVanished(List<Stay> stays) {
    List<Stay> people = stays.stream().filter(Stay::acknowledged).toList();
    long lost = people.stream().filter(stay -> !stay.hasEnded()).count();
    long contradicted = people.stream().filter(Stay::isContradicted).count();
    long older = people.stream().mapToLong(Stay::olderAnswers).sum();
    boolean held = lost == 0 && contradicted == 0 && older == 0;
    return new Finding(
        "I4",
        "nobody vanishes",
        held,
        held
            ? count(people.size()) + " acknowledged entries, each with its end at the roll-call"
            : count(lost)
                + " without an end, "
                + count(contradicted)
                + " with another than told, "
                + count(older)
                + " answers older than one before");
  }

  /** No visitor heard a rank rise, and at each census ranks were 1, 2, 3 … by ticket. */
  private static Finding trueRanks(List<Stay> stays, List<Census> censuses) {
    long rises = stays.stream().mapToLong(Stay::rankRises).sum();
    long wrong = censuses.stream().mapToLong(Census::wrong).sum();
    long asked = censuses.stream().mapToLong(census -> census.places().size()).sum();
    boolean held = rises == 0 && wrong == 0;
    return new Finding(
        "I5",
        "rank = 1 + waiting below",
        held,
        held
            ? count(asked) + " ranks exact in " + censuses.size() + " censuses, none ever rose"
            : count(wrong) + " of " + count(asked) + " ranks wrong, " + count(rises) + " rose");
  }

  private static String count(long number) {
    return String.format(Locale.ROOT, "%,d", number);
  }
}
