package dev.sluice.contract;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * One JSON object as the value of a record, read field by field. Whatever is wrong with it becomes
 * an {@link InvalidRecordException} in words. Not thread-safe.
 */
public final class JsonRecord implements AutoCloseable {
  /** The version {@code v} of all that this program writes, and the highest that it reads. */
  public static final int VERSION = 1;

  /** Longest value of a record, in bytes. */
  public static final int MAX_BYTES = 64 * 1024;

  private static final int MAX_QUOTED = 64;

  private static final JsonFactory FACTORY =
      PooledJson.builder().disable(JsonFactory.Feature.INTERN_FIELD_NAMES).build();

  private final JsonParser parser;
  private String field;

  private JsonRecord(JsonParser parser) {
    this.parser = parser;
  }

  /** Writes the fields of an object. */
  public interface Fields {
    void write(JsonGenerator json) throws IOException;
  }

  /**
   * An object with {@code type}, {@code v} and what {@code fields} writes.
   *
   * @throws IllegalArgumentException if it is longer than {@link #MAX_BYTES}
   */
  public static byte[] write(String type, Fields fields) {
    ByteArrayOutputStream out = new ByteArrayOutputStream(256);
    try (JsonGenerator json = FACTORY.createGenerator(out)) {
      json.writeStartObject();
      json.writeStringField("type", type);
      json.writeNumberField("v", VERSION);
      fields.write(json);
      json.writeEndObject();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    if (out.size() > MAX_BYTES) {
      throw new IllegalArgumentException(
          "a record has at most %d bytes, this %s has %d".formatted(MAX_BYTES, type, out.size()));
    }
    return out.toByteArray();
  }

  /** Begins to read; the caller then asks for each {@link #next} field. */
  public static JsonRecord read(byte[] value) throws InvalidRecordException {
    if (value == null) {
      throw new InvalidRecordException("the record has no value");
    }
    if (value.length > MAX_BYTES) {
      throw new InvalidRecordException(
          "the value has %d bytes, at most %d are allowed".formatted(value.length, MAX_BYTES));
    }
    if (isOfWiderCharacters(value)) {
      throw new InvalidRecordException("the value is not UTF-8");
    }
    try {
      JsonRecord record = new JsonRecord(FACTORY.createParser(value));
      if (record.parser.nextToken() != JsonToken.START_OBJECT) {
        throw new InvalidRecordException("the value is not a JSON object");
      }
      return record;
    } catch (IOException e) {
      throw notJson(e);
    }
  }

  /** UTF-16 or UTF-32, which the parser would recognise; in UTF-8 no JSON begins so. */
  private static boolean isOfWiderCharacters(byte[] value) {
    return value.length > 1
        && (value[0] == 0 || value[1] == 0 || value[0] == (byte) 0xFE || value[0] == (byte) 0xFF);
  }

  /** The name of the next field, whose value must then be read or skipped; null at the end. */
  public String next() throws InvalidRecordException {
    try {
      field = parser.nextFieldName();
      if (field == null && parser.nextToken() != null) {
        throw new InvalidRecordException("something follows the JSON object");
      }
      return field;
    } catch (IOException e) {
      throw notJson(e);
    }
  }

  /** Enters the object that is the field's value; ends with {@link #nextInside} giving null. */
  public boolean enterObject() throws InvalidRecordException {
    JsonToken token = nextToken();
    if (token == JsonToken.START_OBJECT) {
      return true;
    }
    if (token == JsonToken.VALUE_NULL) {
      return false;
    }
    throw wrong("must be an object");
  }

  /** The next field of an object entered; null at its end. */
  public String nextInside() throws InvalidRecordException {
    try {
      field = parser.nextFieldName();
      return field;
    } catch (IOException e) {
      throw notJson(e);
    }
  }

  /** Enters the array that is the field's value. */
  public void enterArray() throws InvalidRecordException {
    if (nextToken() != JsonToken.START_ARRAY) {
      throw wrong("must be an array");
    }
  }

  /** Enters the next object of an array entered; false at the array's end. */
  public boolean nextElement() throws InvalidRecordException {
    JsonToken token = nextToken();
    if (token == JsonToken.END_ARRAY) {
      return false;
    }
    if (token != JsonToken.START_OBJECT) {
      throw new InvalidRecordException("an array may hold objects only");
    }
    return true;
  }

  /** The field's string, or null. */
  public String text() throws InvalidRecordException {
    JsonToken token = nextToken();
    if (token == JsonToken.VALUE_NULL) {
      return null;
    }
    if (token != JsonToken.VALUE_STRING) {
      throw wrong("must be a string");
    }
    try {
      return parser.getText();
    } catch (IOException e) {
      throw notJson(e);
    }
  }

  /** The field's whole number. */
  public long number() throws InvalidRecordException {
    if (nextToken() != JsonToken.VALUE_NUMBER_INT) {
      throw wrong("must be a whole number");
    }
    try {
      return parser.getLongValue();
    } catch (IOException e) {
      throw wrong("is too large a number");
    }
  }

  /** The field's whole number, if it is within {@code int}. */
  public int integer() throws InvalidRecordException {
    long number = number();
    if (number != (int) number) {
      throw wrong("is too large a number");
    }
    return (int) number;
  }

  /** The field's boolean. */
  public boolean flag() throws InvalidRecordException {
    JsonToken token = nextToken();
    if (token != JsonToken.VALUE_TRUE && token != JsonToken.VALUE_FALSE) {
      throw wrong("must be true or false");
    }
    return token == JsonToken.VALUE_TRUE;
  }

  /** The field's array of whole numbers, at most {@code limit} of them. */
  public List<Long> numbers(int limit) throws InvalidRecordException {
    enterArray();
    List<Long> numbers = new ArrayList<>(limit);
    for (JsonToken token = nextToken(); token != JsonToken.END_ARRAY; token = nextToken()) {
      if (token != JsonToken.VALUE_NUMBER_INT || numbers.size() == limit) {
        throw wrong("must be at most " + limit + " whole numbers");
      }
      try {
        numbers.add(parser.getLongValue());
      } catch (IOException e) {
        throw wrong("has too large a number");
      }
    }
    return numbers;
  }

  /**
   * The field's JSON text as it stands in {@code value}, which this record was read from; null if
   * it is null.
   */
  public String raw(byte[] value) throws InvalidRecordException {
    if (nextToken() == JsonToken.VALUE_NULL) {
      return null;
    }
    int begin = (int) parser.currentTokenLocation().getByteOffset();
    try {
      parser.skipChildren();
      // A text or a number is only scanned to its end when it is asked for.
      parser.finishToken();
    } catch (IOException e) {
      throw notJson(e);
    }
    int end = (int) parser.currentLocation().getByteOffset();
    return new String(value, begin, end - begin, StandardCharsets.UTF_8).strip();
  }

  /** The field's time in milliseconds since the epoch. */
  public long time() throws InvalidRecordException {
    String text = text();
    try {
      return Rfc3339.parse(text == null ? "" : text);
    } catch (IllegalArgumentException e) {
      throw wrong("must be a time such as 2026-11-29T12:00:00.123Z");
    }
  }

  /** The field's JSON text if it is a string, number or boolean; null if it is null. */
  public String scalar() throws InvalidRecordException {
    if (nextToken() == JsonToken.VALUE_NULL) {
      return null;
    }
    try {
      return JsonScalar.current(parser).json();
    } catch (InvalidRecordException e) {
      throw wrong("must be a string, a number, true, false or null");
    } catch (IOException e) {
      throw notJson(e);
    }
  }

  /** Passes over the field's value. */
  public void skip() throws InvalidRecordException {
    nextToken();
    try {
      parser.skipChildren();
    } catch (IOException e) {
      throw notJson(e);
    }
  }

  /** The version of the record: the field's whole number, if this program reads it. */
  public int version() throws InvalidRecordException {
    long version = number();
    if (version < 1 || version > VERSION) {
      throw new InvalidRecordException(
          "v is %d; this program reads 1 to %d".formatted(version, VERSION));
    }
    return (int) version;
  }

  /** Says that a field is missing. */
  public static InvalidRecordException missing(String type, String field) {
    return new InvalidRecordException(
        type == null || field.equals("type")
            ? field + " is missing"
            : field + " is missing in " + quoted(type));
  }

  /** Writes a field that may be absent. */
  public static void optional(JsonGenerator json, String field, String value) throws IOException {
    if (value != null) {
      json.writeStringField(field, value);
    }
  }

  /**
   * The constant named {@code word}.
   *
   * @throws InvalidRecordException if there is none, naming {@code what} there is none of
   */
  static <E extends Enum<E>> E word(Class<E> type, String word, String what)
      throws InvalidRecordException {
    try {
      return Enum.valueOf(type, word);
    } catch (IllegalArgumentException e) {
      throw new InvalidRecordException(
          "there is no %s of type \"%s\"".formatted(what, quoted(word)));
    }
  }

  /** Demands an identifier. */
  static void id(String type, String field, String id) throws InvalidRecordException {
    if (id == null) {
      throw missing(type, field);
    }
    if (!Ids.isValid(id)) {
      throw new InvalidRecordException(
          "%s of %s must be 1 to %d characters of A-Z a-z 0-9 . _ : -"
              .formatted(field, type, Ids.MAX_LENGTH));
    }
  }

  /** At most 64 characters of what others wrote, control characters replaced. */
  public static String quoted(String text) {
    StringBuilder out = new StringBuilder();
    for (int i = 0; i < Math.min(text.length(), MAX_QUOTED); i++) {
      char c = text.charAt(i);
      out.append(Character.isISOControl(c) || Character.isSurrogate(c) ? '?' : c);
    }
    return text.length() > MAX_QUOTED ? out + "..." : out.toString();
  }

  @Override
  public void close() {
    try {
      parser.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private JsonToken nextToken() throws InvalidRecordException {
    try {
      return parser.nextToken();
    } catch (IOException e) {
      throw notJson(e);
    }
  }

  private InvalidRecordException wrong(String words) {
    return new InvalidRecordException(quoted(String.valueOf(field)) + " " + words);
  }

  private static InvalidRecordException notJson(IOException e) {
    int column =
        e instanceof JsonProcessingException json && json.getLocation() != null
            ? json.getLocation().getColumnNr()
            : 1;
    return new InvalidRecordException("the value is not JSON, at column " + column);
  }
}
