package dev.sluice.bench.demo;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.contract.Version;
import java.util.List;
import org.junit.jupiter.api.Test;

class JudgeTest {
  private static final Census GOOD_CENSUS =
      new Census(
          List.of(
              new Census.Place(9, 2, 3), new Census.Place(4, 1, 3), new Census.Place(12, 3, 3)));

  private final Judge judge = new Judge(2);

  @Test
  void findsNothingWrongWithAFairSale() {
    List<Stay> stays =
        List.of(
            stay(1).admitted(10).ended(30).build(),
            stay(2).admitted(11).ended(20).build(),
            stay(3).admitted(21).ended(40).build(),
            stay(4).ended(15).status("LEFT").build());

    assertThat(broken(stays, List.of(GOOD_CENSUS), 2)).isEmpty();
  }

  @Test
  void seesAnAdmissionBeforeALowerTicket() {
    List<Stay> stays =
        List.of(stay(1).admitted(12).ended(30).build(), stay(2).admitted(10).ended(11).build());

    assertThat(broken(stays, List.of(), 1)).containsExactly("I1");
  }

  @Test
  void seesASecondTicketOfOnePersonAndOneTicketOfTwo() {
    Stay second = stay(1).admitted(10).ended(11).otherTickets(1).build();
    Stay shared = stay(2).ended(12).status("LEFT").build();

    assertThat(broken(List.of(second), List.of(), 1)).containsExactly("I2");
    assertThat(broken(List.of(shared, shared), List.of(), 1)).containsExactly("I2");
  }

  @Test
  void seesMoreActiveThanPlacesByVersionsAndByTheOperatorsView() {
    List<Stay> stays =
        List.of(
            stay(1).admitted(10).ended(30).build(),
            stay(2).admitted(11).ended(31).build(),
            stay(3).admitted(12).ended(32).build());

    assertThat(broken(stays, List.of(), 2)).containsExactly("I3");
    assertThat(broken(List.of(), List.of(), 3)).containsExactly("I3");
  }

  @Test
  void aPlaceFreedAndTakenInOneCommandIsNotTwo() {
    Stay first = stay(1).admitted(10).ended(20).build();
    Stay other = stay(2).admitted(11).ended(40).build();
    Stay next =
        new Stay(
            "v3",
            true,
            3,
            0,
            0,
            0,
            new Version(0, 20, 1),
            new Version(0, 50, 0),
            "ADMITTED",
            "EXPIRED");

    assertThat(broken(List.of(first, other, next), List.of(), 2)).isEmpty();
  }

  @Test
  void seesSomeoneLostContradictedOrToldSomethingOlder() {
    Stay lost = stay(1).admitted(10).ended(11).status(Stay.UNKNOWN).build();
    Stay stillThere = stay(1).admitted(10).ended(11).status("ADMITTED").build();
    Stay contradicted = stay(1).admitted(10).ended(11).status("EXPIRED").told("COMPLETED").build();
    Stay older = stay(1).admitted(10).ended(11).olderAnswers(1).build();

    for (Stay bad : List.of(lost, stillThere, contradicted, older)) {
      assertThat(broken(List.of(bad), List.of(), 1)).as(bad.toString()).containsExactly("I4");
    }
  }

  @Test
  void seesARankThatRoseAndOneThatIsNotThePlaceInLine() {
    Stay rose = stay(1).admitted(10).ended(11).rankRises(1).build();
    Census gap = new Census(List.of(new Census.Place(4, 1, 2), new Census.Place(9, 3, 2)));
    Census total = new Census(List.of(new Census.Place(4, 1, 2)));

    assertThat(broken(List.of(rose), List.of(), 1)).containsExactly("I5");
    assertThat(broken(List.of(), List.of(gap), 1)).containsExactly("I5");
    assertThat(broken(List.of(), List.of(total), 1)).containsExactly("I5");
  }

  private List<String> broken(List<Stay> stays, List<Census> censuses, long mostActive) {
    return judge.judge(stays, censuses, mostActive, 1).stream()
        .filter(finding -> !finding.held())
        .map(Judge.Finding::invariant)
        .toList();
  }

  private static Builder stay(long ticket) {
    return new Builder(ticket);
  }

  private static final class Builder {
    private final long ticket;
    private Version admitted;
    private Version ended;
    private String status = "COMPLETED";
    private String told;
    private int otherTickets;
    private int rankRises;
    private int olderAnswers;

    Builder(long ticket) {
      this.ticket = ticket;
    }

    Builder admitted(long offset) {
      admitted = new Version(0, offset, 0);
      return this;
    }

    Builder ended(long offset) {
      ended = new Version(0, offset, 0);
      return this;
    }

    Builder status(String last) {
      status = last;
      return this;
    }

    Builder told(String before) {
      told = before;
      return this;
    }

    Builder otherTickets(int times) {
      otherTickets = times;
      return this;
    }

    Builder rankRises(int times) {
      rankRises = times;
      return this;
    }

    Builder olderAnswers(int times) {
      olderAnswers = times;
      return this;
    }

    Stay build() {
      return new Stay(
          "v" + ticket,
          true,
          ticket,
          otherTickets,
          rankRises,
          olderAnswers,
          admitted,
          ended,
          told == null ? "WAITING" : told,
          status);
    }
  }
}
