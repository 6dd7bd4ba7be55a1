package dev.sluice.api.rooms;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.api.exchange.JsonBody;
import dev.sluice.api.problem.FieldError;
import dev.sluice.api.problem.Problem;
import dev.sluice.api.problem.ProblemException;
import dev.sluice.contract.EventKind;
import dev.sluice.contract.Ids;
import dev.sluice.contract.InvalidRecordException;
import dev.sluice.contract.Membership;
import dev.sluice.contract.RoomEvent;
import dev.sluice.contract.RoomEventJson;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** What the body of a call on a room says, all of it valid. Not thread-safe. */
final class RoomBody {
  private static final String KIND = "kind";
  private static final String USER = "userId";
  private static final String COUNTRY = "country";
  private static final String APP = "app";
  private static final String PAYLOAD = "payload";

  private final Set<String> known;
  private final Set<String> seen = new HashSet<>();
  private final List<FieldError> errors = new ArrayList<>(0);
  private EventKind kind;
  private String userId;
  private String country;
  private String app;
  private String payload;

  private RoomBody(Set<String> known) {
    this.known = known;
  }

  /**
   * Reads {@code {kind, userId?, country?, app?, payload?}}.
   *
   * @throws ProblemException if it is anything else; it tells all that is wrong
   */
  static RoomEvent event(String roomId, byte[] bytes, int length) {
    RoomBody body =
        new RoomBody(Set.of(KIND, USER, COUNTRY, APP, PAYLOAD)).read(bytes, length, KIND);
    RoomEvent event =
        new RoomEvent(body.kind, roomId, body.userId, body.country, body.app, body.payload);
    if (event.payload() != null) {
      requireReadable(event);
    }
    return event;
  }

  /** Nothing is logged that its readers won't take: they are stricter with texts than this one. */
  private static void requireReadable(RoomEvent event) {
    try {
      RoomEventJson.read(RoomEventJson.write(event));
    } catch (InvalidRecordException | IllegalArgumentException e) {
      throw Problem.invalid(PAYLOAD, "can't be kept: " + e.getMessage()).asException();
    }
  }

  /**
   * Reads {@code {userId, country?, app?}} of a join, or {@code {userId}} of a leave.
   *
   * @throws ProblemException as {@link #event}
   */
  static Membership membership(String roomId, boolean joins, byte[] bytes, int length) {
    Set<String> known = joins ? Set.of(USER, COUNTRY, APP) : Set.of(USER);
    RoomBody body = new RoomBody(known).read(bytes, length, USER);
    return new Membership(roomId, body.userId, joins, body.country, body.app);
  }

  /** What is wrong with a country, or null. */
  static String wrongCountry(String country) {
    return RoomEvent.isCountry(country) ? null : "must be two capital letters, such as KR";
  }

  /** What is wrong with the name of an app, or null. */
  static String wrongApp(String app) {
    return RoomEvent.isApp(app)
        ? null
        : "must be 1 to %d characters of A-Z a-z 0-9 . _ : -".formatted(RoomEvent.MAX_APP);
  }

  private RoomBody read(byte[] bytes, int length, String required) {
    JsonBody.read(bytes, length, this::member);
    boolean isMissing = required.equals(KIND) ? kind == null : userId == null;
    if (isMissing && errors.stream().noneMatch(error -> error.field().equals(required))) {
      errors.add(new FieldError(required, "is missing"));
    }
    if (!errors.isEmpty()) {
      throw Problem.invalid(errors).asException();
    }
    return this;
  }

  private void member(String name, JsonBody.Value value) throws IOException {
    if (!known.contains(name)) {
      return;
    }
    if (!seen.add(name)) {
      wrong(name, "must be there once");
    } else if (value.isNull()) {
      return;
    } else if (name.equals(PAYLOAD)) {
      payload = value.json();
      if (payload.getBytes(UTF_8).length > RoomEvent.MAX_PAYLOAD) {
        wrong(name, "must be at most %d bytes".formatted(RoomEvent.MAX_PAYLOAD));
      }
    } else if (value.text() == null) {
      wrong(name, "must be text");
    } else {
      text(name, value.text());
    }
  }

  private void text(String name, String text) {
    switch (name) {
      case KIND -> {
        if (text.equals("MESSAGE") || text.equals("FETCH")) {
          kind = EventKind.valueOf(text);
        } else {
          wrong(name, "must be MESSAGE or FETCH");
        }
      }
      case USER -> {
        userId = text;
        if (!Ids.isValid(text)) {
          wrong(name, "must be 1 to 128 characters of A-Z a-z 0-9 . _ : -");
        }
      }
      case COUNTRY -> {
        country = text;
        wrong(name, wrongCountry(text));
      }
      default -> {
        app = text;
        wrong(name, wrongApp(text));
      }
    }
  }

  private void wrong(String name, String words) {
    if (words != null) {
      errors.add(new FieldError(name, words));
    }
  }
}
