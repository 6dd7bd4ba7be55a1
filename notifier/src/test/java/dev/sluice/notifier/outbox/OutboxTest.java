package dev.sluice.notifier.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.notifier.outbox.Outbox.Offer;
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
  void oneParcelIsInFlightAtATime() {
    outbox.control(frame("a"));
    outbox.control(frame("b"));

    assertThat(outbox.next()).isEqualTo(frame("a"));
    assertThat(outbox.next()).isNull();
    outbox.sent();
    assertThat(outbox.next()).isEqualTo(frame("b"));
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
    outbox.control(frame("d"));
    outbox.next();
    outbox.discard();

    assertThat(outbox.bytes()).isEqualTo(3);
    outbox.sent();
    assertThat(outbox.next()).isNull();
    assertThat(outbox.bytes()).isZero();
  }

  private List<String> drain() {
    List<String> texts = new ArrayList<>();
    Parcel parcel = outbox.next();
    while (parcel != null) {
      texts.add(((Parcel.Frame) parcel).text());
      outbox.sent();
      parcel = outbox.next();
    }
    return texts;
  }

  private static Parcel frame(String text) {
    return new Parcel.Frame(text);
  }
}
