package dev.sluice.notifier.routing;

import dev.sluice.contract.Ids;
import java.util.Optional;

/** What one may subscribe to. */
public sealed interface Destination {
  /** What happens to one person. */
  record OfPerson(Kind kind, String requestId) implements Destination {}

  /** The figures of one room. */
  record OfRoom(String roomId) implements Destination {}

  /** How far what was said in one room goes. */
  record OfFeed(String roomId) implements Destination {}

  /** Which rooms are hot; for operators. */
  record OfHot() implements Destination {}

  /** What this server has to say about itself. */
  record OfServer() implements Destination {}

  /** The kinds of news about a person. */
  enum Kind {
    ADMISSION("/topic/admission/"),
    RANK("/topic/rank/"),
    TIMEOUT("/topic/timeout/");

    private final String prefix;

    Kind(String prefix) {
      this.prefix = prefix;
    }
  }

  /** Reads a destination as a client writes it; empty when there is none of that name. */
  static Optional<Destination> parse(String text) {
    if (text.equals("/topic/server")) {
      return Optional.of(new OfServer());
    }
    if (text.equals("/topic/hot")) {
      return Optional.of(new OfHot());
    }
    for (Kind kind : Kind.values()) {
      if (text.startsWith(kind.prefix)) {
        return id(text, kind.prefix).map(requestId -> new OfPerson(kind, requestId));
      }
    }
    String room = "/topic/room/";
    if (text.startsWith(room)) {
      return id(text, room).map(OfFeed::new);
    }
    String stats = "/topic/stats/";
    String movie = "/topic/stats/movie/";
    if (text.startsWith(movie)) {
      return id(text, movie).map(OfRoom::new);
    }
    return text.startsWith(stats) ? id(text, stats).map(OfRoom::new) : Optional.empty();
  }

  private static Optional<String> id(String text, String prefix) {
    String id = text.substring(prefix.length());
    return Ids.isValid(id) ? Optional.of(id) : Optional.empty();
  }
}
