package dev.sluice.api.admission;

import dev.sluice.api.exchange.JsonBody;
import dev.sluice.api.problem.FieldError;
import dev.sluice.api.problem.Problem;
import dev.sluice.api.problem.ProblemException;
import dev.sluice.contract.Ids;
import java.util.ArrayList;
import java.util.List;

/** Whom a call is about: a person in a room, both names valid. */
record PersonName(String roomId, String requestId) {
  private static final String ROOM = "roomId";
  private static final String MOVIE = "movieId";
  private static final String REQUEST = "requestId";

  /**
   * Reads a JSON object of {@code roomId} (or {@code movieId}) and {@code requestId}; other members
   * are passed over.
   *
   * @throws ProblemException if it is anything else, or a name is missing, twice there or invalid
   */
  static PersonName fromJson(byte[] body, int length) {
    Members members = new Members();
    JsonBody.read(
        body,
        length,
        (name, value) -> {
          if (name.equals(ROOM) || name.equals(MOVIE) || name.equals(REQUEST)) {
            members.put(name, value.text());
          }
        });
    return members.toName();
  }

  /**
   * Reads query parameters of the same names, each given as often as the caller did.
   *
   * @throws ProblemException if a name is missing, twice there or invalid
   */
  static PersonName fromParameters(String[] roomId, String[] movieId, String[] requestId) {
    Members members = new Members();
    members.putAll(ROOM, roomId);
    members.putAll(MOVIE, movieId);
    members.putAll(REQUEST, requestId);
    return members.toName();
  }

  /** The members seen so far and what is wrong with them. */
  private static final class Members {
    private final List<FieldError> errors = new ArrayList<>(0);
    private String roomId;
    private String roomField;
    private boolean bothRoomsSeen;
    private String requestId;
    private boolean requestSeen;

    void putAll(String name, String[] values) {
      if (values != null) {
        for (String value : values) {
          put(name, value);
        }
      }
    }

    void put(String name, String value) {
      if (value == null) {
        errors.add(new FieldError(name, "must be text"));
      } else if (!Ids.isValid(value)) {
        errors.add(new FieldError(name, "must be 1 to 128 characters of A-Z a-z 0-9 . _ : -"));
      }
      if (name.equals(REQUEST)) {
        if (requestSeen) {
          errors.add(new FieldError(name, "must be there once"));
        }
        requestSeen = true;
        requestId = value;
      } else {
        putRoom(name, value);
      }
    }

    private void putRoom(String name, String value) {
      if (name.equals(roomField) || bothRoomsSeen) {
        errors.add(new FieldError(name, "must be there once"));
      } else if (roomField != null && value != null && !value.equals(roomId)) {
        errors.add(new FieldError(name, "must be the same as " + roomField));
      }
      bothRoomsSeen |= roomField != null && !name.equals(roomField);
      roomField = name;
      roomId = value;
    }

    PersonName toName() {
      if (roomField == null) {
        errors.add(new FieldError(ROOM, "is missing"));
      }
      if (!requestSeen) {
        errors.add(new FieldError(REQUEST, "is missing"));
      }
      if (!errors.isEmpty()) {
        throw Problem.invalid(errors).asException();
      }
      return new PersonName(roomId, requestId);
    }
  }
}
