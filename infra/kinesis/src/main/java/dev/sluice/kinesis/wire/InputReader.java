package dev.sluice.kinesis.wire;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import dev.sluice.kinesis.shard.ErrorType;
import dev.sluice.kinesis.shard.KinesisException;
import dev.sluice.kinesis.wire.Shape.Field;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Reads the body of one request in one pass. A value of a wrong type is an error only of a body
 * that is well formed to its end.
 */
final class InputReader {
  private final JsonParser parser;
  private final Format format;

  InputReader(JsonParser parser, Format format) {
    this.parser = parser;
    this.format = format;
  }

  /**
   * @throws KinesisException if a value is of a wrong type
   */
  Input read(Shape shape) throws IOException, MalformedBodyException {
    if (parser.nextToken() != JsonToken.START_OBJECT) {
      throw new MalformedBodyException("not an object");
    }
    Input input;
    try {
      input = structure(shape);
    } catch (KinesisException wrongType) {
      finish();
      throw wrongType;
    }
    finish();
    return input;
  }

  /** Only looks whether it is an object, well formed. */
  void skim() throws IOException, MalformedBodyException {
    if (parser.nextToken() != JsonToken.START_OBJECT) {
      throw new MalformedBodyException("not an object");
    }
    finish();
  }

  /** Passes over the rest of the object, behind which there must be nothing. */
  private void finish() throws IOException, MalformedBodyException {
    while (!parser.getParsingContext().inRoot()) {
      if (parser.nextToken() == null) {
        throw new MalformedBodyException("it ends within the object");
      }
    }
    if (parser.nextToken() != null) {
      throw new MalformedBodyException("something follows the object");
    }
  }

  private Input structure(Shape shape) throws IOException, MalformedBodyException {
    List<Field> fields = shape.fields();
    Object[] values = new Object[fields.size()];
    String name;
    while ((name = parser.nextFieldName()) != null) {
      int index = shape.indexOf(name);
      JsonToken token = parser.nextToken();
      if (index < 0) {
        parser.skipChildren();
      } else {
        values[index] = value(fields.get(index).shape(), token);
      }
    }
    if (parser.currentToken() != JsonToken.END_OBJECT) {
      throw new MalformedBodyException("it ends within an object");
    }
    return new Input(shape, values);
  }

  private Object value(Shape shape, JsonToken token) throws IOException, MalformedBodyException {
    if (token == null) {
      throw new MalformedBodyException("it ends within an object");
    }
    if (token == JsonToken.VALUE_NULL) {
      return null;
    }
    return switch (shape.type()) {
      case STRING -> {
        expect(token == JsonToken.VALUE_STRING, shape, token);
        yield text(parser.getText());
      }
      case INTEGER -> {
        expect(token.isNumeric(), shape, token);
        yield (int) Math.max(Integer.MIN_VALUE, Math.min(Integer.MAX_VALUE, whole(token)));
      }
      case LONG -> {
        expect(token.isNumeric(), shape, token);
        yield whole(token);
      }
      case BOOLEAN -> flag(shape, token);
      case BLOB -> blob(shape, token);
      case TIMESTAMP -> {
        expect(token.isNumeric(), shape, token);
        yield format == Format.CBOR && token == JsonToken.VALUE_NUMBER_INT
            ? whole(token)
            : Math.round(parser.getDoubleValue() * 1000);
      }
      case LIST -> {
        expect(token == JsonToken.START_ARRAY, shape, token);
        yield list(shape);
      }
      case MAP -> {
        expect(token == JsonToken.START_OBJECT, shape, token);
        yield map(shape);
      }
      case STRUCTURE -> {
        expect(token == JsonToken.START_OBJECT, shape, token);
        yield structure(shape);
      }
    };
  }

  private List<Object> list(Shape shape) throws IOException, MalformedBodyException {
    List<Object> list = new ArrayList<>();
    for (JsonToken token = parser.nextToken();
        token != JsonToken.END_ARRAY;
        token = parser.nextToken()) {
      list.add(value(shape.member(), token));
    }
    return list;
  }

  private Map<String, Object> map(Shape shape) throws IOException, MalformedBodyException {
    Map<String, Object> map = new LinkedHashMap<>();
    String key;
    while ((key = parser.nextFieldName()) != null) {
      map.put(text(key), value(shape.member(), parser.nextToken()));
    }
    if (parser.currentToken() != JsonToken.END_OBJECT) {
      throw new MalformedBodyException("it ends within an object");
    }
    return map;
  }

  /** A text that has both halves of every character; another could never be written as UTF-8. */
  private static String text(String text) {
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (Character.isSurrogate(c)) {
        if (i + 1 == text.length() || !Character.isSurrogatePair(c, text.charAt(i + 1))) {
          throw serialization("A String has half of a surrogate pair");
        }
        i++;
      }
    }
    return text;
  }

  /** A number without its fraction; one beyond the type becomes the type's last. */
  private long whole(JsonToken token) throws IOException {
    if (token == JsonToken.VALUE_NUMBER_INT
        && parser.getNumberType() != JsonParser.NumberType.BIG_INTEGER) {
      return parser.getLongValue();
    }
    return (long) parser.getDoubleValue();
  }

  private Boolean flag(Shape shape, JsonToken token) throws IOException {
    if (token == JsonToken.VALUE_STRING) {
      String text = parser.getText().toUpperCase(Locale.ROOT);
      if (text.equals("TRUE") || text.equals("FALSE")) {
        return text.equals("TRUE");
      }
      throw serialization("'" + Validation.quoted(text) + "' can not be converted to an Boolean");
    }
    expect(token.isBoolean(), shape, token);
    return token == JsonToken.VALUE_TRUE;
  }

  private byte[] blob(Shape shape, JsonToken token) throws IOException {
    if (format == Format.CBOR) {
      expect(token == JsonToken.VALUE_EMBEDDED_OBJECT, shape, token);
      return parser.getBinaryValue();
    }
    expect(token == JsonToken.VALUE_STRING, shape, token);
    return base64(parser.getText());
  }

  private static byte[] base64(String text) {
    try {
      if (text.length() % 4 == 0 && !hasLooseBits(text)) {
        return Base64.getDecoder().decode(text);
      }
    } catch (IllegalArgumentException e) {
      // Said in AWS's words below.
    }
    throw serialization(
        "'" + Validation.quoted(text) + "' can not be converted to a Blob: " + base64Error(text));
  }

  /** Whether the last character before the padding has bits that belong to no byte. */
  private static boolean hasLooseBits(String text) {
    int end = text.length();
    int padding = text.endsWith("==") ? 2 : text.endsWith("=") ? 1 : 0;
    if (padding == 0 || end < 4) {
      return false;
    }
    int last = BASE64.indexOf(text.charAt(end - padding - 1));
    return last >= 0 && (last & (padding == 2 ? 0xf : 0x3)) != 0;
  }

  private static final String BASE64 =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

  private static String base64Error(String text) {
    if (text.length() % 4 != 0) {
      return "Base64 encoded length is expected a multiple of 4 bytes but found: " + text.length();
    }
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      boolean isPadding = c == '=' && i >= text.length() - 2 && text.endsWith("=");
      if (BASE64.indexOf(c) < 0 && !(isPadding && text.substring(i).matches("==?"))) {
        return "Invalid Base64 character: '" + Validation.quoted(String.valueOf(c)) + "'";
      }
    }
    return "Invalid last non-pad Base64 character dectected";
  }

  /** Demands a token of the shape's type. */
  private void expect(boolean condition, Shape shape, JsonToken token) {
    if (condition) {
      return;
    }
    if (token == JsonToken.START_ARRAY) {
      throw serialization("Start of list found where not expected");
    }
    if (token == JsonToken.START_OBJECT) {
      throw serialization("Start of structure or map found where not expected.");
    }
    switch (shape.type()) {
      case LIST, MAP, STRUCTURE -> throw serialization("Expected " + shape.type().words);
      default ->
          throw serialization(
              "class " + kind(token) + " can not be converted to " + shape.type().words);
    }
  }

  private static String kind(JsonToken token) {
    if (token.isBoolean()) {
      return "java.lang.Boolean";
    }
    if (token.isNumeric()) {
      return "com.amazon.coral.value.json.numbers.TruncatingBigNumber";
    }
    return token == JsonToken.VALUE_STRING ? "java.lang.String" : "java.nio.HeapByteBuffer";
  }

  private static KinesisException serialization(String message) {
    return new KinesisException(ErrorType.SERIALIZATION, message);
  }
}
