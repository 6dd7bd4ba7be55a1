package dev.sluice.contract;

import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Sums and audiences as JSON, the values of {@code sluice.room-counts}. Thread-safe. */
public final class RoomCountJson {
  /** Most cells in one sum, so that it stays within the size of a record. */
  public static final int MAX_CELLS = 200;

  /** Most events in a tenth of a second: more than any machine sends. */
  public static final long MAX_COUNT = 1_000_000_000;

  private static final String SUM = "SUM";
  private static final String AUDIENCE = "AUDIENCE";

  private RoomCountJson() {}

  /**
   * The value of a record whose key is the room.
   *
   * @throws IllegalArgumentException if it has more than {@link #MAX_CELLS} cells
   */
  public static byte[] write(RoomCount count) {
    if (count instanceof Audience audience) {
      return JsonRecord.write(
          AUDIENCE,
          json -> {
            json.writeStringField("producer", audience.producer());
            json.writeNumberField("subscribers", audience.subscribers());
          });
    }
    RoomSum sum = (RoomSum) count;
    if (sum.cells().size() > MAX_CELLS) {
      throw new IllegalArgumentException(
          "a sum has at most %d cells, not %d".formatted(MAX_CELLS, sum.cells().size()));
    }
    return JsonRecord.write(
        SUM,
        json -> {
          json.writeStringField("producer", sum.producer());
          json.writeNumberField("slot", sum.slot());
          json.writeNumberField("age", sum.ageMillis());
          json.writeArrayFieldStart("cells");
          for (RoomSum.Cell cell : sum.cells()) {
            write(json, cell);
          }
          json.writeEndArray();
        });
  }

  private static void write(JsonGenerator json, RoomSum.Cell cell) throws IOException {
    json.writeStartObject();
    json.writeStringField("kind", cell.kind().name());
    JsonRecord.optional(json, "country", cell.country());
    JsonRecord.optional(json, "app", cell.app());
    json.writeArrayFieldStart("counts");
    for (long count : cell.counts()) {
      json.writeNumber(count);
    }
    json.writeEndArray();
    json.writeEndObject();
  }

  /**
   * Reads the value of a record.
   *
   * @param key of the record, the room
   * @throws InvalidRecordException if it is neither a sum nor an audience that this program knows
   */
  public static RoomCount read(String key, byte[] value) throws InvalidRecordException {
    String type = null;
    boolean versioned = false;
    String producer = null;
    long slot = 0;
    long age = 0;
    int subscribers = -1;
    List<RoomSum.Cell> cells = null;
    try (JsonRecord record = JsonRecord.read(value)) {
      for (String field = record.next(); field != null; field = record.next()) {
        switch (field) {
          case "type" -> type = record.text();
          case "v" -> versioned = record.version() > 0;
          case "producer" -> producer = record.text();
          case "slot" -> slot = record.number();
          case "age" -> age = record.number();
          case "subscribers" -> subscribers = record.integer();
          case "cells" -> cells = cells(record);
          default -> record.skip();
        }
      }
    }
    if (type == null || !versioned) {
      throw JsonRecord.missing(type, type == null ? "type" : "v");
    }
    JsonRecord.id(type, "the key", key);
    JsonRecord.id(type, "producer", producer);
    switch (type) {
      case SUM -> {
        if (cells == null) {
          throw JsonRecord.missing(type, "cells");
        }
        return new RoomSum(key, producer, slot, age, cells);
      }
      case AUDIENCE -> {
        if (subscribers < 0) {
          throw new InvalidRecordException("subscribers of AUDIENCE must be a whole number from 0");
        }
        return new Audience(key, producer, subscribers);
      }
      default ->
          throw new InvalidRecordException(
              "there is no count of type \"%s\"".formatted(JsonRecord.quoted(type)));
    }
  }

  private static List<RoomSum.Cell> cells(JsonRecord record) throws InvalidRecordException {
    List<RoomSum.Cell> cells = new ArrayList<>();
    record.enterArray();
    while (record.nextElement()) {
      if (cells.size() == MAX_CELLS) {
        throw new InvalidRecordException("more than %d cells".formatted(MAX_CELLS));
      }
      cells.add(cell(record));
    }
    return cells;
  }

  private static RoomSum.Cell cell(JsonRecord record) throws InvalidRecordException {
    String kind = null;
    String country = null;
    String app = null;
    List<Long> counts = null;
    for (String field = record.nextInside(); field != null; field = record.nextInside()) {
      switch (field) {
        case "kind" -> kind = record.text();
        case "country" -> country = record.text();
        case "app" -> app = record.text();
        case "counts" -> counts = record.numbers(RoomSum.TENTHS);
        default -> record.skip();
      }
    }
    if (kind == null || counts == null) {
      throw JsonRecord.missing("a cell", kind == null ? "kind" : "counts");
    }
    for (long count : counts) {
      if (count < 0 || count > MAX_COUNT) {
        throw new InvalidRecordException(
            "counts of a cell must be whole numbers from 0 to " + MAX_COUNT);
      }
    }
    RoomEventJson.check("a cell", country, app);
    return new RoomSum.Cell(JsonRecord.word(EventKind.class, kind, "event"), country, app, counts);
  }
}
