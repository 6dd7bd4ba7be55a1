package dev.sluice.contract;

/** Verdicts as JSON, the values of {@code sluice.hot-rooms}. Thread-safe. */
public final class HotVerdictJson {
  private static final String HOT = "HOT";

  private HotVerdictJson() {}

  /** The value of a record whose key is the room. */
  public static byte[] write(HotVerdict verdict) {
    return JsonRecord.write(
        HOT,
        json -> {
          json.writeStringField("roomId", verdict.roomId());
          json.writeStringField("because", verdict.because());
          json.writeNumberField("rate", verdict.rate());
          json.writeNumberField("threshold", verdict.threshold());
          json.writeNumberField("window", verdict.windowSeconds());
          json.writeStringField("since", Rfc3339.format(verdict.since()));
          json.writeStringField("at", Rfc3339.format(verdict.at()));
        });
  }

  /**
   * Reads the value of a record.
   *
   * @param key of the record, the room
   * @throws InvalidRecordException if it is not a verdict that this program knows
   */
  public static HotVerdict read(String key, byte[] value) throws InvalidRecordException {
    String type = null;
    boolean versioned = false;
    String because = null;
    long rate = 0;
    long threshold = 0;
    int window = 0;
    long since = 0;
    long at = 0;
    try (JsonRecord record = JsonRecord.read(value)) {
      for (String field = record.next(); field != null; field = record.next()) {
        switch (field) {
          case "type" -> type = record.text();
          case "v" -> versioned = record.version() > 0;
          case "because" -> because = record.text();
          case "rate" -> rate = record.number();
          case "threshold" -> threshold = record.number();
          case "window" -> window = record.integer();
          case "since" -> since = record.time();
          case "at" -> at = record.time();
          default -> record.skip();
        }
      }
    }
    if (type == null || !versioned) {
      throw JsonRecord.missing(type, type == null ? "type" : "v");
    }
    if (!type.equals(HOT)) {
      throw new InvalidRecordException(
          "there is no verdict of type \"%s\"".formatted(JsonRecord.quoted(type)));
    }
    JsonRecord.id(type, "the key", key);
    if (because == null) {
      throw JsonRecord.missing(type, "because");
    }
    return new HotVerdict(key, because, rate, threshold, window, since, at);
  }
}
