package dev.sluice.notifier.routing;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.contract.PersonStatus;
import dev.sluice.contract.Version;
import dev.sluice.notifier.routing.Destination.Kind;
import dev.sluice.notifier.routing.PersonSubscription.Shown;
import dev.sluice.notifier.stomp.Encoded;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class PersonSubscriptionTest {
  private final RoutingTable table = new RoutingTable();
  private final Recorder outlet = new Recorder();
  private final PersonSubscription admission = subscribe(Kind.ADMISSION, null);
  private final PersonSubscription rank = subscribe(Kind.RANK, null);

  @Test
  void newsOfOtherPeopleSessionsAndRoomsDoesNotGetThrough() {
    PersonSubscription inRoom = subscribe(Kind.ADMISSION, "a");

    inRoom.tell(new News("b", "u", "s", PersonStatus.ADMITTED, 1, 5, 0));
    inRoom.tell(new News("a", "u", "other", PersonStatus.ADMITTED, 1, 5, 0));
    inRoom.tell(new News("a", "v", "s", PersonStatus.ADMITTED, 1, 5, 0));
    assertThat(outlet.delivered).isEmpty();

    inRoom.tell(new News("a", "u", "s", PersonStatus.ADMITTED, 1, 5, 0));
    assertThat(outlet.delivered).containsExactly("a ADMITTED 5");
  }

  @Test
  void whatWasLookedUpAndWhatCameLiveAreToldOnceInEitherOrder() {
    News live = news(PersonStatus.ADMITTED, 7, 0);
    admission.tell(live);
    admission.tell(news(PersonStatus.ADMITTED, 7, 0));
    admission.tell(live);

    assertThat(outlet.delivered).containsExactly("a ADMITTED 7");
  }

  @Test
  void whatComesLateIsDropped() {
    PersonSubscription timeout = subscribe(Kind.TIMEOUT, null);
    timeout.tell(news(PersonStatus.EXPIRED, 9, 0));
    timeout.tell(news(PersonStatus.EXPIRED, 8, 0));
    admission.tell(news(PersonStatus.EXPIRED, 9, 0));
    admission.tell(news(PersonStatus.ADMITTED, 8, 0));

    assertThat(outlet.delivered).containsExactly("a EXPIRED 9");
  }

  @Test
  void everyRoomIsGuardedByItself() {
    admission.tell(new News("a", "u", "s", PersonStatus.ADMITTED, 1, 50, 0));
    admission.tell(new News("b", "u", "s", PersonStatus.ADMITTED, 1, 5, 0));

    assertThat(outlet.delivered).containsExactly("a ADMITTED 50", "b ADMITTED 5");
  }

  @Test
  void theRankOfThePresentStateIsShownAndNeverRises() {
    rank.tell(news(PersonStatus.WAITING, 3, 10));
    assertThat(outlet.last()).isEqualTo("rank 10");

    rank.tell(news(PersonStatus.WAITING, 3, 12));
    assertThat(outlet.last()).isEqualTo("rank 10");

    assertThat(rank.show(ranks(4, 11), true)).isEqualTo(Shown.NOTHING_NEW);
    assertThat(rank.show(ranks(5, 9), false)).isEqualTo(Shown.SENT);
    assertThat(outlet.last()).isEqualTo("rank 9");
  }

  @Test
  void aRankIsKnownFromTheNextRoundWhenTheyEnterLive() {
    rank.tell(news(PersonStatus.WAITING, 3, 0));
    assertThat(outlet.values).isEmpty();

    assertThat(rank.show(ranks(3, 4), false)).isEqualTo(Shown.SENT);
    assertThat(outlet.last()).isEqualTo("rank 4");
  }

  @Test
  void theSameRankIsShownAgainOnlyInAFullRound() {
    rank.tell(news(PersonStatus.WAITING, 3, 4));

    assertThat(rank.show(ranks(5, 4), false)).isEqualTo(Shown.NOTHING_NEW);
    assertThat(rank.show(ranks(5, 4), true)).isEqualTo(Shown.SENT);
  }

  @Test
  void ranksFromBeforeTheyEnteredSayNothing() {
    rank.tell(news(PersonStatus.WAITING, 10, 0));

    assertThat(rank.show(ranks(9, 4), true)).isEqualTo(Shown.NOTHING_NEW);
    assertThat(outlet.values).isEmpty();
  }

  @Test
  void enteringAnewAtTheBackShowsTheHigherRankOfTheNewPlace() {
    rank.tell(news(PersonStatus.WAITING, 3, 2));
    rank.tell(news(PersonStatus.LEFT, 4, 0));
    rank.tell(news(PersonStatus.WAITING, 5, 90));

    assertThat(outlet.last()).isEqualTo("rank 90");
  }

  @Test
  void anAdmissionTakesBackTheRankThatHasNotLeft() {
    rank.tell(news(PersonStatus.WAITING, 3, 2));
    rank.tell(news(PersonStatus.ADMITTED, 4, 0));

    assertThat(outlet.values).isEmpty();
    assertThat(rank.show(ranks(5, 1), true)).isEqualTo(Shown.NOTHING_NEW);
    assertThat(table.waitingRoomCount()).isZero();
  }

  @Test
  void whoShouldWaitAndIsMissedForLongIsLookedUpAgain() {
    admission.tell(news(PersonStatus.WAITING, 3, 0));

    assertThat(admission.show(ranks(5, 0), false)).isEqualTo(Shown.NOTHING_NEW);
    assertThat(admission.show(ranks(5, 0), true)).isEqualTo(Shown.NOTHING_NEW);
    assertThat(admission.show(ranks(6, 0), true)).isEqualTo(Shown.MISSED);
  }

  @Test
  void onceRemovedItHearsNothingAndLeavesNothingBehind() {
    rank.tell(news(PersonStatus.WAITING, 3, 2));
    assertThat(table.waitingRoomCount()).isEqualTo(1);
    table.remove(rank);
    table.remove(admission);

    rank.tell(news(PersonStatus.WAITING, 9, 1));
    rank.show(ranks(10, 1), true);

    assertThat(outlet.values).isEmpty();
    assertThat(table.isEmpty()).isTrue();
  }

  private PersonSubscription subscribe(Kind kind, String room) {
    PersonSubscription subscription =
        new PersonSubscription(table, outlet, "0", "/d", kind, new PersonKey("u", "s"), room);
    table.add(subscription);
    return subscription;
  }

  private static News news(PersonStatus status, long offset, long rank) {
    return new News("a", "u", "s", status, 1, offset, rank);
  }

  private static Ranks ranks(long offset, long rank) {
    return new Ranks() {
      @Override
      public String roomId() {
        return "a";
      }

      @Override
      public long offset() {
        return offset;
      }

      @Override
      public long rankOf(long ticket) {
        return rank;
      }

      @Override
      public Encoded body(String requestId, long shown, Version version) {
        return Encoded.of("rank " + shown);
      }
    };
  }

  private record News(
      String roomId,
      String requestId,
      String session,
      PersonStatus status,
      long ticket,
      long offset,
      long rank)
      implements PersonNews {
    @Override
    public Version version() {
      return new Version(0, offset, 0);
    }

    @Override
    public Encoded body(Kind kind) {
      return Encoded.of(kind == Kind.RANK ? "rank " + rank : roomId + " " + status + " " + offset);
    }
  }

  private static final class Recorder implements Outlet {
    private final List<String> delivered = new ArrayList<>();
    private final Map<Object, String> values = new HashMap<>();

    String last() {
      assertThat(values).hasSize(1);
      return values.values().iterator().next();
    }

    @Override
    public void mustDeliver(Subscription subscription, Encoded body) {
      delivered.add(body.toString());
    }

    @Override
    public void lastValue(Subscription subscription, Object key, Encoded body) {
      values.put(key, body.toString());
    }

    @Override
    public void control(Subscription subscription, Encoded body) {
      throw new AssertionError("nothing about a person is control");
    }

    @Override
    public void forget(Object key) {
      values.remove(key);
    }

    @Override
    public boolean hasRoom() {
      return true;
    }

    @Override
    public void flush() {}
  }
}
