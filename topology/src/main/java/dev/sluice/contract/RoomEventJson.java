package dev.sluice.contract;

import static java.nio.charset.StandardCharsets.UTF_8;

/**
 * Events of rooms as JSON, the values of {@code sluice.room-events}. They name the room, since
 * their key may be any. Thread-safe.
 */
public final class RoomEventJson {
  private RoomEventJson() {}

  /**
   * The value of a record.
   *
   * @throws IllegalArgumentException if it is too long
   */
  public static byte[] write(RoomEvent event) {
    return JsonRecord.write(
        event.kind().name(),
        json -> {
          json.writeStringField("roomId", event.roomId());
          JsonRecord.optional(json, "userId", event.userId());
          JsonRecord.optional(json, "country", event.country());
          JsonRecord.optional(json, "app", event.app());
          if (event.payload() != null) {
            json.writeFieldName("payload");
            json.writeRawValue(event.payload());
          }
        });
  }

  /**
   * Reads the value of a record.
   *
   * @throws InvalidRecordException if it is not an event that this program knows
   */
  public static RoomEvent read(byte[] value) throws InvalidRecordException {
    String type = null;
    boolean versioned = false;
    String roomId = null;
    String userId = null;
    String country = null;
    String app = null;
    String payload = null;
    try (JsonRecord record = JsonRecord.read(value)) {
      for (String field = record.next(); field != null; field = record.next()) {
        switch (field) {
          case "type" -> type = record.text();
          case "v" -> versioned = record.version() > 0;
          case "roomId" -> roomId = record.text();
          case "userId" -> userId = record.text();
          case "country" -> country = record.text();
          case "app" -> app = record.text();
          case "payload" -> payload = record.raw(value);
          default -> record.skip();
        }
      }
    }
    if (type == null || !versioned) {
      throw JsonRecord.missing(type, type == null ? "type" : "v");
    }
    EventKind kind = JsonRecord.word(EventKind.class, type, "event");
    JsonRecord.id(type, "roomId", roomId);
    if (userId != null) {
      JsonRecord.id(type, "userId", userId);
    }
    check(type, country, app);
    if (payload != null && payload.getBytes(UTF_8).length > RoomEvent.MAX_PAYLOAD) {
      throw new InvalidRecordException(
          "payload of %s is longer than %d bytes".formatted(type, RoomEvent.MAX_PAYLOAD));
    }
    return new RoomEvent(kind, roomId, userId, country, app, payload);
  }

  static void check(String type, String country, String app) throws InvalidRecordException {
    if (country != null && !RoomEvent.isCountry(country)) {
      throw new InvalidRecordException(
          "country of %s must be two capital letters, such as KR".formatted(type));
    }
    if (app != null && !RoomEvent.isApp(app)) {
      throw new InvalidRecordException(
          "app of %s must be 1 to %d characters of A-Z a-z 0-9 . _ : -"
              .formatted(type, RoomEvent.MAX_APP));
    }
  }
}
