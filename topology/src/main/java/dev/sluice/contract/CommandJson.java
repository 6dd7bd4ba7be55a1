package dev.sluice.contract;

import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * Commands as JSON, the values of {@code sluice.entries}. The room is the record's key and not in
 * the value; unknown fields are passed over. Thread-safe.
 */
public final class CommandJson {
  /** Most settings one {@link Command.Configure} may carry. */
  public static final int MAX_SETTINGS = 100;

  private CommandJson() {}

  /** The {@code type} of a command: {@code ENTER LEAVE HEARTBEAT COMPLETE TICK CONFIGURE RULES}. */
  public static String type(Command command) {
    if (command instanceof Command.Enter) {
      return "ENTER";
    } else if (command instanceof Command.Leave) {
      return "LEAVE";
    } else if (command instanceof Command.Heartbeat) {
      return "HEARTBEAT";
    } else if (command instanceof Command.Complete) {
      return "COMPLETE";
    } else if (command instanceof Command.Tick) {
      return "TICK";
    } else if (command instanceof Command.Configure) {
      return "CONFIGURE";
    }
    return "RULES";
  }

  /**
   * The value of a record.
   *
   * @throws IllegalArgumentException if it is too large, or a setting's value is not a JSON scalar
   */
  public static byte[] write(Command command) {
    return JsonRecord.write(
        type(command),
        json -> {
          if (command instanceof Command.Enter enter) {
            json.writeStringField("requestId", enter.requestId());
            json.writeStringField("session", enter.session());
          } else if (command instanceof Command.OfPlace place) {
            json.writeStringField("requestId", place.requestId());
            json.writeNumberField("ticket", place.ticket());
            JsonRecord.optional(json, "session", place.session());
          } else if (command instanceof Command.Configure configure) {
            settings(json, configure.settings());
          } else if (command instanceof Command.Rules rules) {
            json.writeNumberField("version", rules.version());
          }
        });
  }

  /**
   * Reads the value of a record.
   *
   * @param key of the record, null for a command of a whole partition
   * @throws InvalidRecordException if it is not a command that this program knows
   */
  public static Command read(String key, byte[] value) throws InvalidRecordException {
    String type = null;
    boolean versioned = false;
    String requestId = null;
    String session = null;
    long ticket = 0;
    List<AcceptedSetting> settings = null;
    int version = 0;
    try (JsonRecord record = JsonRecord.read(value)) {
      for (String field = record.next(); field != null; field = record.next()) {
        switch (field) {
          case "type" -> type = record.text();
          case "v" -> versioned = record.version() > 0;
          case "requestId" -> requestId = record.text();
          case "session" -> session = record.text();
          case "ticket" -> ticket = record.number();
          case "settings" -> settings = settings(record);
          case "version" -> version = record.integer();
          default -> record.skip();
        }
      }
    }
    if (type == null || !versioned) {
      throw JsonRecord.missing(type, type == null ? "type" : "v");
    }
    switch (type) {
      case "ENTER" -> {
        JsonRecord.id(type, "requestId", requestId);
        JsonRecord.id(type, "session", session);
        return new Command.Enter(room(type, key), requestId, session);
      }
      case "LEAVE" -> {
        place(type, requestId, ticket, session);
        return new Command.Leave(room(type, key), requestId, ticket, session);
      }
      case "HEARTBEAT" -> {
        place(type, requestId, ticket, session);
        return new Command.Heartbeat(room(type, key), requestId, ticket, session);
      }
      case "COMPLETE" -> {
        place(type, requestId, ticket, session);
        return new Command.Complete(room(type, key), requestId, ticket, session);
      }
      case "TICK" -> {
        return new Command.Tick();
      }
      case "CONFIGURE" -> {
        if (settings == null) {
          throw JsonRecord.missing(type, "settings");
        }
        return new Command.Configure(settings);
      }
      case "RULES" -> {
        if (version < 1) {
          throw new InvalidRecordException("version of RULES must be a whole number from 1");
        }
        return new Command.Rules(version);
      }
      default ->
          throw new InvalidRecordException(
              "there is no command of type \"%s\"".formatted(JsonRecord.quoted(type)));
    }
  }

  private static void settings(JsonGenerator json, List<AcceptedSetting> settings)
      throws IOException {
    json.writeArrayFieldStart("settings");
    for (AcceptedSetting setting : settings) {
      json.writeStartObject();
      json.writeStringField("key", setting.key());
      if (setting.roomId() != null) {
        json.writeStringField("roomId", setting.roomId());
      }
      json.writeFieldName("value");
      if (setting.value() == null) {
        json.writeNull();
      } else {
        json.writeRawValue(scalar(setting.value()));
      }
      json.writeNumberField("offset", setting.offset());
      json.writeEndObject();
    }
    json.writeEndArray();
  }

  private static String scalar(String value) {
    try {
      return JsonScalar.parse(value).json();
    } catch (InvalidRecordException e) {
      throw new IllegalArgumentException(e.getMessage(), e);
    }
  }

  private static List<AcceptedSetting> settings(JsonRecord record) throws InvalidRecordException {
    List<AcceptedSetting> settings = new ArrayList<>();
    record.enterArray();
    while (record.nextElement()) {
      if (settings.size() == MAX_SETTINGS) {
        throw new InvalidRecordException("more than %d settings".formatted(MAX_SETTINGS));
      }
      settings.add(setting(record));
    }
    return settings;
  }

  private static AcceptedSetting setting(JsonRecord record) throws InvalidRecordException {
    String key = null;
    String roomId = null;
    String value = null;
    long offset = -1;
    for (String field = record.nextInside(); field != null; field = record.nextInside()) {
      switch (field) {
        case "key" -> key = record.text();
        case "roomId" -> roomId = record.text();
        case "value" -> value = record.scalar();
        case "offset" -> offset = record.number();
        default -> record.skip();
      }
    }
    if (key == null || key.isEmpty() || offset < 0) {
      throw new InvalidRecordException("a setting needs a key and an offset from 0");
    }
    if (roomId != null) {
      JsonRecord.id("a setting", "roomId", roomId);
    }
    return new AcceptedSetting(key, roomId, value, offset);
  }

  private static void place(String type, String requestId, long ticket, String session)
      throws InvalidRecordException {
    JsonRecord.id(type, "requestId", requestId);
    if (ticket < 1) {
      throw new InvalidRecordException(
          "ticket of %s must be a whole number from 1".formatted(type));
    }
    if (session != null) {
      JsonRecord.id(type, "session", session);
    }
  }

  private static String room(String type, String key) throws InvalidRecordException {
    if (key == null) {
      throw new InvalidRecordException(type + " needs the room as the key of its record");
    }
    JsonRecord.id(type, "the key", key);
    return key;
  }
}
