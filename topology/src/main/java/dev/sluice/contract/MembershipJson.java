package dev.sluice.contract;

/** Joins and leaves as JSON, the values of {@code sluice.joins}. Thread-safe. */
public final class MembershipJson {
  private static final String JOIN = "JOIN";
  private static final String LEAVE = "LEAVE";

  private MembershipJson() {}

  /** The value of a record whose key is the room. */
  public static byte[] write(Membership membership) {
    return JsonRecord.write(
        membership.joins() ? JOIN : LEAVE,
        json -> {
          json.writeStringField("userId", membership.userId());
          JsonRecord.optional(json, "country", membership.country());
          JsonRecord.optional(json, "app", membership.app());
        });
  }

  /**
   * Reads the value of a record.
   *
   * @param key of the record, the room
   * @throws InvalidRecordException if it is neither a join nor a leave that this program knows
   */
  public static Membership read(String key, byte[] value) throws InvalidRecordException {
    String type = null;
    boolean versioned = false;
    String userId = null;
    String country = null;
    String app = null;
    try (JsonRecord record = JsonRecord.read(value)) {
      for (String field = record.next(); field != null; field = record.next()) {
        switch (field) {
          case "type" -> type = record.text();
          case "v" -> versioned = record.version() > 0;
          case "userId" -> userId = record.text();
          case "country" -> country = record.text();
          case "app" -> app = record.text();
          default -> record.skip();
        }
      }
    }
    if (type == null || !versioned) {
      throw JsonRecord.missing(type, type == null ? "type" : "v");
    }
    if (!type.equals(JOIN) && !type.equals(LEAVE)) {
      throw new InvalidRecordException(
          "there is no membership of type \"%s\"".formatted(JsonRecord.quoted(type)));
    }
    JsonRecord.id(type, "the key", key);
    JsonRecord.id(type, "userId", userId);
    RoomEventJson.check(type, country, app);
    return new Membership(key, userId, type.equals(JOIN), country, app);
  }
}
