package dev.sluice.notifier.routing;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.contract.PersonStatus;
import dev.sluice.contract.Version;
import dev.sluice.notifier.routing.Destination.Kind;
import dev.sluice.notifier.stomp.Encoded;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/**
 * What holds of what a person is told, however the answers to questions, the stream and a second
 * way cross: a person enters, moves up, is admitted, expires and enters again, and anything that
 * was ever so may be told at any later time and more than once.
 */
class PersonSubscriptionProperties {
  private static final PersonKey PERSON = new PersonKey("u", "s");

  /** What happens, or which of the things that were so is told now. */
  record Step(What what, int which) {}

  enum What {
    MOVE_ON,
    TELL_NEWS,
    SHOW_RANKS
  }

  /** How the room stood after one command. */
  private record Moment(long offset, long since, PersonStatus status, long ticket, long rank) {}

  @Property
  void inOnePlaceTheRankNeverRisesHoweverMessagesCross(@ForAll("steps") List<Step> steps) {
    RoutingTable table = new RoutingTable();
    Told told = run(table, steps, Kind.RANK);

    Map<String, Long> shown = new HashMap<>();
    for (String body : told.values) {
      String place = body.split(" ")[0];
      long rank = Long.parseLong(body.split(" ")[1]);
      assertThat(rank).as("%s", told.values).isLessThanOrEqualTo(shown.getOrDefault(place, rank));
      shown.put(place, rank);
    }
    List<Long> places = told.values.stream().map(body -> Long.valueOf(body.split(" ")[0])).toList();
    assertThat(places).as("of an older place after a newer").isSorted();
  }

  @Property
  void everyAdmissionIsToldAtMostOnceAndInOrderAndTheLastOneIsTold(
      @ForAll("steps") List<Step> steps) {
    Told told = run(new RoutingTable(), steps, Kind.ADMISSION);

    assertThat(told.delivered).doesNotHaveDuplicates().isSorted();
    if (told.last.status() == PersonStatus.ADMITTED) {
      assertThat(told.delivered).endsWith(told.last.since());
    }
  }

  private static Told run(RoutingTable table, List<Step> steps, Kind kind) {
    Told told = new Told();
    PersonSubscription subscription =
        new PersonSubscription(table, told, "0", "/d", kind, PERSON, null);
    table.add(subscription);
    List<Moment> history = new ArrayList<>();
    history.add(new Moment(0, 0, PersonStatus.WAITING, 10, 10));
    for (Step step : steps) {
      Moment now = history.get(history.size() - 1);
      if (step.what() == What.MOVE_ON) {
        history.add(next(now, step.which()));
      } else {
        Moment then = history.get(step.which() % history.size());
        if (step.what() == What.TELL_NEWS) {
          subscription.tell(news(then, step.which() % 2 == 0));
        } else {
          subscription.show(ranks(then), step.which() % 3 == 0);
        }
      }
    }
    told.last = history.get(history.size() - 1);
    subscription.tell(news(told.last, true));
    return told;
  }

  private static Moment next(Moment now, int which) {
    long offset = now.offset() + 1;
    return switch (now.status()) {
      case WAITING ->
          now.rank() > 1 && which % 4 != 0
              ? new Moment(offset, now.since(), now.status(), now.ticket(), now.rank() - 1)
              : new Moment(offset, offset, PersonStatus.ADMITTED, now.ticket(), 0);
      case ADMITTED -> new Moment(offset, offset, PersonStatus.EXPIRED, now.ticket(), 0);
      default ->
          new Moment(offset, offset, PersonStatus.WAITING, now.ticket() + 10, 5 + which % 20);
    };
  }

  /** As an answer, which knows the rank, or as the stream tells it. */
  private static PersonNews news(Moment then, boolean answer) {
    return new PersonNews() {
      @Override
      public String roomId() {
        return "r";
      }

      @Override
      public String requestId() {
        return PERSON.requestId();
      }

      @Override
      public String session() {
        return PERSON.session();
      }

      @Override
      public PersonStatus status() {
        return then.status();
      }

      @Override
      public long ticket() {
        return then.ticket();
      }

      @Override
      public Version version() {
        return new Version(0, then.since(), 0);
      }

      @Override
      public long rank() {
        return answer ? then.rank() : 0;
      }

      @Override
      public Encoded body(Kind kind) {
        return Encoded.of(kind == Kind.RANK ? then.since() + " " + then.rank() : "" + then.since());
      }
    };
  }

  private static Ranks ranks(Moment then) {
    return new Ranks() {
      @Override
      public String roomId() {
        return "r";
      }

      @Override
      public long offset() {
        return then.offset();
      }

      @Override
      public long rankOf(long ticket) {
        return ticket == then.ticket() ? then.rank() : 0;
      }

      @Override
      public Encoded body(String requestId, long shown, Version version) {
        return Encoded.of(version.offset() + " " + shown);
      }
    };
  }

  private static final class Told implements Outlet {
    private final List<String> values = new ArrayList<>();
    private final List<Long> delivered = new ArrayList<>();
    private Moment last;

    @Override
    public void mustDeliver(Subscription subscription, Encoded body) {
      delivered.add(Long.valueOf(body.toString()));
    }

    @Override
    public void lastValue(Subscription subscription, Object key, Encoded body) {
      values.add(body.toString());
    }

    @Override
    public void control(Subscription subscription, Encoded body) {
      throw new AssertionError("nothing about a person is control");
    }

    @Override
    public void forget(Object key) {}

    @Override
    public boolean hasRoom() {
      return true;
    }

    @Override
    public void flush() {}
  }

  @Provide
  Arbitrary<List<Step>> steps() {
    return Combinators.combine(
            Arbitraries.of(What.values()), Arbitraries.integers().between(0, 200))
        .as(Step::new)
        .list()
        .ofMaxSize(80);
  }
}
