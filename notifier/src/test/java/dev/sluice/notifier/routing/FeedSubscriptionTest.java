package dev.sluice.notifier.routing;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.notifier.stomp.Encoded;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class FeedSubscriptionTest {
  private final Recorder outlet = new Recorder();
  private final FeedSubscription subscription =
      new FeedSubscription(outlet, "0", "/topic/room/r", "r");

  @Test
  void whatComesLateIsNotTold() {
    tell(6, false);
    tell(5, true);
    tell(6, false);
    tell(6, true);
    tell(7, true);

    assertThat(outlet.values).containsExactly("6 false", "6 true", "7 true");
  }

  @Test
  void onceCancelledItHearsNothing() {
    subscription.cancel();
    tell(1, false);

    assertThat(outlet.values).isEmpty();
  }

  private void tell(long cursor, boolean hot) {
    subscription.tell(cursor, hot, Encoded.of(cursor + " " + hot));
  }

  private static final class Recorder implements Outlet {
    private final List<String> values = new ArrayList<>();

    @Override
    public void lastValue(Subscription from, Object key, Encoded body) {
      values.add(body.toString());
    }

    @Override
    public void mustDeliver(Subscription from, Encoded body) {
      throw new AssertionError("a newer cursor makes an older one needless");
    }

    @Override
    public void control(Subscription from, Encoded body) {
      throw new AssertionError("nothing said in a room is control");
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
}
