package dev.sluice.contract;

import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.util.Objects;

/**
 * Outcomes as JSON, the values of {@code sluice.outcomes}; unlike commands they name the room, so
 * that they can be read without keys. Thread-safe.
 */
public final class OutcomeJson {
  private static final String REJECTED = "REJECTED";
  private static final String PROGRESS = "PROGRESS";

  private OutcomeJson() {}

  /**
   * The {@code type} of an outcome: a {@link PersonStatus}, {@code REJECTED} or {@code PROGRESS}.
   */
  public static String type(Outcome outcome) {
    if (outcome instanceof Outcome.PersonChanged changed) {
      return changed.status().name();
    }
    return outcome instanceof Outcome.Rejected ? REJECTED : PROGRESS;
  }

  /** The value of a record. */
  public static byte[] write(Outcome outcome) {
    return JsonRecord.write(
        type(outcome),
        json -> {
          JsonRecord.optional(json, "roomId", outcome.roomId());
          if (outcome instanceof Outcome.PersonChanged changed) {
            person(json, changed);
          } else if (outcome instanceof Outcome.Rejected rejected) {
            JsonRecord.optional(json, "requestId", rejected.requestId());
            json.writeStringField("reason", rejected.reason().name());
            JsonRecord.optional(json, "detail", rejected.detail());
          } else if (outcome instanceof Outcome.Progress progress) {
            json.writeNumberField("waiting", progress.waiting());
            json.writeNumberField("active", progress.active());
            json.writeNumberField("capacity", progress.capacity());
            json.writeStringField("state", progress.state().name());
          }
          json.writeStringField("version", outcome.version().toString());
          json.writeStringField("at", Rfc3339.format(outcome.at()));
        });
  }

  private static void person(JsonGenerator json, Outcome.PersonChanged changed) throws IOException {
    json.writeStringField("requestId", changed.requestId());
    json.writeStringField("session", changed.session());
    json.writeNumberField("ticket", changed.ticket());
    if (changed.expiresAt() != 0) {
      json.writeStringField("expiresAt", Rfc3339.format(changed.expiresAt()));
    }
    JsonRecord.optional(json, "reason", changed.reason());
    json.writeObjectFieldStart("receipt");
    json.writeNumberField("partition", changed.receipt().partition());
    json.writeNumberField("offset", changed.receipt().offset());
    json.writeStringField("at", Rfc3339.format(changed.receipt().at()));
    json.writeEndObject();
  }

  /**
   * Reads the value of a record.
   *
   * @param key of the record, which must be the room
   * @throws InvalidRecordException if it is not an outcome that this program knows
   */
  public static Outcome read(String key, byte[] value) throws InvalidRecordException {
    Draft draft = draft(value);
    if (!Objects.equals(key, draft.roomId)) {
      throw new InvalidRecordException("roomId is not the key of the record");
    }
    return draft.outcome();
  }

  /**
   * Reads what was written, where there is no key.
   *
   * @throws InvalidRecordException if it is not an outcome that this program knows
   */
  public static Outcome read(byte[] value) throws InvalidRecordException {
    return draft(value).outcome();
  }

  private static Draft draft(byte[] value) throws InvalidRecordException {
    Draft draft = new Draft();
    try (JsonRecord record = JsonRecord.read(value)) {
      for (String field = record.next(); field != null; field = record.next()) {
        draft.read(field, record);
      }
    }
    if (draft.type == null || !draft.versioned) {
      throw JsonRecord.missing(draft.type, draft.type == null ? "type" : "v");
    }
    return draft;
  }

  /** What has been read of an outcome. */
  private static final class Draft {
    private String type;
    private boolean versioned;
    private String roomId;
    private String requestId;
    private String session;
    private long ticket;
    private long expiresAt;
    private String reason;
    private String detail;
    private Receipt receipt;
    private int waiting;
    private int active;
    private int capacity;
    private String state;
    private Version version;
    private long at;
    private boolean timed;

    void read(String field, JsonRecord record) throws InvalidRecordException {
      switch (field) {
        case "type" -> type = record.text();
        case "v" -> versioned = record.version() > 0;
        case "roomId" -> roomId = record.text();
        case "requestId" -> requestId = record.text();
        case "session" -> session = record.text();
        case "ticket" -> ticket = record.number();
        case "expiresAt" -> expiresAt = record.time();
        case "reason" -> reason = record.text();
        case "detail" -> detail = record.text();
        case "receipt" -> receipt = receipt(record);
        case "waiting" -> waiting = record.integer();
        case "active" -> active = record.integer();
        case "capacity" -> capacity = record.integer();
        case "state" -> state = record.text();
        case "version" -> version = version(record.text());
        case "at" -> {
          at = record.time();
          timed = true;
        }
        default -> record.skip();
      }
    }

    Outcome outcome() throws InvalidRecordException {
      require("version", version);
      require("at", timed ? type : null);
      switch (type) {
        case REJECTED -> {
          return new Outcome.Rejected(
              roomId,
              requestId,
              constant(Outcome.Rejected.Reason.class, "reason", reason),
              detail,
              version,
              at);
        }
        case PROGRESS -> {
          require("roomId", roomId);
          return new Outcome.Progress(
              roomId,
              waiting,
              active,
              capacity,
              constant(RoomState.class, "state", state),
              version,
              at);
        }
        default -> {
          PersonStatus status;
          try {
            status = PersonStatus.valueOf(type);
          } catch (IllegalArgumentException e) {
            throw new InvalidRecordException(
                "there is no outcome of type \"%s\"".formatted(JsonRecord.quoted(type)));
          }
          require("roomId", roomId);
          require("requestId", requestId);
          require("session", session);
          require("receipt", receipt);
          return new Outcome.PersonChanged(
              roomId, requestId, session, status, ticket, expiresAt, reason, receipt, version, at);
        }
      }
    }

    private void require(String field, Object value) throws InvalidRecordException {
      if (value == null) {
        throw JsonRecord.missing(type, field);
      }
    }

    private <E extends Enum<E>> E constant(Class<E> of, String field, String name)
        throws InvalidRecordException {
      require(field, name);
      try {
        return Enum.valueOf(of, name);
      } catch (IllegalArgumentException e) {
        throw new InvalidRecordException(
            "%s of %s can't be \"%s\"".formatted(field, type, JsonRecord.quoted(name)));
      }
    }

    private static Version version(String text) throws InvalidRecordException {
      try {
        return Version.parse(text == null ? "" : text);
      } catch (IllegalArgumentException e) {
        throw new InvalidRecordException("version must be partition:offset:index");
      }
    }

    private static Receipt receipt(JsonRecord record) throws InvalidRecordException {
      if (!record.enterObject()) {
        return null;
      }
      int partition = -1;
      long offset = -1;
      long at = 0;
      for (String field = record.nextInside(); field != null; field = record.nextInside()) {
        switch (field) {
          case "partition" -> partition = record.integer();
          case "offset" -> offset = record.number();
          case "at" -> at = record.time();
          default -> record.skip();
        }
      }
      if (partition < 0 || offset < 0) {
        throw new InvalidRecordException("a receipt needs a partition and an offset");
      }
      return new Receipt(partition, offset, at);
    }
  }
}
