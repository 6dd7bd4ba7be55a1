package dev.sluice.notifier.routing;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.notifier.routing.Destination.Kind;
import dev.sluice.notifier.routing.Destination.OfFeed;
import dev.sluice.notifier.routing.Destination.OfHot;
import dev.sluice.notifier.routing.Destination.OfPerson;
import dev.sluice.notifier.routing.Destination.OfRoom;
import dev.sluice.notifier.routing.Destination.OfServer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class DestinationTest {
  @Test
  void readsTheDestinationsOfTheContract() {
    assertThat(Destination.parse("/topic/admission/u-1"))
        .contains(new OfPerson(Kind.ADMISSION, "u-1"));
    assertThat(Destination.parse("/topic/rank/u:1")).contains(new OfPerson(Kind.RANK, "u:1"));
    assertThat(Destination.parse("/topic/timeout/u_1")).contains(new OfPerson(Kind.TIMEOUT, "u_1"));
    assertThat(Destination.parse("/topic/stats/topgun2")).contains(new OfRoom("topgun2"));
    assertThat(Destination.parse("/topic/stats/movie/topgun2")).contains(new OfRoom("topgun2"));
    assertThat(Destination.parse("/topic/stats/movie")).contains(new OfRoom("movie"));
    assertThat(Destination.parse("/topic/room/topgun2")).contains(new OfFeed("topgun2"));
    assertThat(Destination.parse("/topic/hot")).contains(new OfHot());
    assertThat(Destination.parse("/topic/server")).contains(new OfServer());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "/topic",
        "/topic/",
        "/topic/rank",
        "/topic/rank/",
        "/topic/rank/a/b",
        "/topic/rank/*",
        "/topic/stats/",
        "/topic/stats/movie/",
        "/topic/stats/a/b",
        "/topic/room",
        "/topic/room/",
        "/topic/room/a/b",
        "/topic/hot/",
        "/topic/hot/a",
        "/topic/server/",
        "/topic/unknown/a",
        "/queue/rank/a"
      })
  void knowsNoOthers(String text) {
    assertThat(Destination.parse(text)).isEmpty();
  }
}
