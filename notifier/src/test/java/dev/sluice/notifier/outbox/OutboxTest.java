package dev.sluice.notifier.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.notifier.outbox.Outbox.Offer;
import dev.sluice.notifier.stomp.Encoded;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class OutboxTest {
  private final Outbox outbox = new Outbox(100, 3);

  @Test
  void controlGoesFirstThenWhatMustBeDeliveredThenLastValues() {
    outbox.lastValue("k", frame("rank"));
    outbox.mustDeliver(frame("admission"));
    outbox.control(frame("receipt"));

    assertThat(drain()).containsExactly("receipt", "admission", "rank");
  }

  @Test
  void oneLoadIsInFlightAtATime() {
    outbox.lastValue("k", frame("c"));
    outbox.control(frame("a"));
    outbox.mustDeliver(frame("b"));

    assertThat(texts(outbox.next())).containsExactly("a", "b", "c");
    outbox.control(frame("d"));
    assertThat(outbox.next()).isEmpty();
    outbox.sent();
    assertThat(texts(outbox.next())).containsExactly("d");
  }

  @Test
  void aLoadIsNotMuchLongerThanItTakes() {
    Outbox large = new Outbox(1_000_000, 100);
    for (int i = 0; i < 20; i++) {
      large.mustDeliver(frame("x".repeat(1_000)));
    }

    assertThat(large.next()).hasSize(9);
    assertThat(large.bytes()).isEqualTo(20_000);
    large.sent();
    assertThat(large.bytes()).isEqualTo(11_000);
    assertThat(large.next()).hasSize(9);
  }

  @Test
  void ofAKeyOnlyTheNewestValueIsKept() {
    assertThat(outbox.lastValue("k", frame("1"))).isEqualTo(Offer.QUEUED);
    assertThat(outbox.lastValue("other", frame("x"))).isEqualTo(Offer.QUEUED);
    for (int i = 2; i <= 1000; i++) {
      assertThat(outbox.lastValue("k", frame("" + i))).isEqualTo(Offer.REPLACED);
    }

    assertThat(drain()).containsExactly("1000", "x");
  }

  @Test
  void aForgottenValueNeverLeaves() {
    outbox.lastValue("k", frame("stale"));
    outbox.forget("k");
    outbox.forget("unknown");

    assertThat(drain()).isEmpty();
    assertThat(outbox.bytes()).isZero();
  }

  @Test
  void bytesAreCappedWithWhatIsInFlight() {
    outbox.control(frame("x".repeat(60)));
    outbox.next();

    assertThat(outbox.bytes()).isEqualTo(60);
    assertThat(outbox.lastValue("k", frame("y".repeat(40)))).isEqualTo(Offer.QUEUED);
    assertThat(outbox.lastValue("k", frame("y".repeat(41)))).isEqualTo(Offer.OVERFLOW);
  }

  @Test
  void whatMustBeDeliveredIsBoundedAndNeverDropped() {
    for (int i = 0; i < 3; i++) {
      assertThat(outbox.mustDeliver(frame("" + i))).isEqualTo(Offer.QUEUED);
    }
    assertThat(outbox.mustDeliver(frame("3"))).isEqualTo(Offer.OVERFLOW);
  }

  @Test
  void controlIsNeverDroppedButCounts() {
    assertThat(outbox.control(frame("x".repeat(101)))).isEqualTo(Offer.OVERFLOW);
    assertThat(drain()).hasSize(1);
  }

  @Test
  void sealedItLetsOutWhatHasToLeaveAndTakesNothing() {
    outbox.control(frame("error"));
    outbox.mustDeliver(frame("admission"));
    outbox.lastValue("k", frame("rank"));
    outbox.seal();

    assertThat(outbox.isDrained()).isFalse();
    assertThat(outbox.control(frame("late"))).isEqualTo(Offer.SEALED);
    assertThat(outbox.mustDeliver(frame("late"))).isEqualTo(Offer.SEALED);
    assertThat(outbox.lastValue("k", frame("late"))).isEqualTo(Offer.SEALED);
    assertThat(drain()).containsExactly("error", "admission");
    assertThat(outbox.isDrained()).isTrue();
    assertThat(outbox.bytes()).isZero();
  }

  @Test
  void discardedOnlyWhatIsInFlightIsLeft() {
    outbox.control(frame("abc"));
    outbox.next();
    outbox.control(frame("d"));
    outbox.discard();

    assertThat(outbox.bytes()).isEqualTo(3);
    outbox.sent();
    assertThat(outbox.next()).isEmpty();
    assertThat(outbox.bytes()).isZero();
  }

  private List<String> drain() {
    List<String> all = new ArrayList<>();
    List<Parcel> load = outbox.next();
    while (!load.isEmpty()) {
      all.addAll(texts(load));
      outbox.sent();
      load = outbox.next();
    }
    return all;
  }

  private static List<String> texts(List<Parcel> load) {
    return load.stream().map(parcel -> ((Parcel.Frame) parcel).frame().toString()).toList();
  }

  private static Parcel frame(String text) {
    return new Parcel.Frame(Encoded.of(text));
  }
}
