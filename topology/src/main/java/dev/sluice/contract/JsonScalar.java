package dev.sluice.contract;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.io.JsonStringEncoder;
import java.io.IOException;

/**
 * A JSON string, number or boolean: what the value of a setting can be.
 *
 * @param text of a string without quotes and escapes; of a number or boolean as written
 * @param json the same as JSON, written one way only
 */
public record JsonScalar(Kind kind, String text, String json) {
  private static final JsonFactory FACTORY = new JsonFactory();

  /** Kinds of scalar. */
  public enum Kind {
    STRING,
    WHOLE_NUMBER,
    DECIMAL_NUMBER,
    BOOLEAN
  }

  /**
   * Reads a text that holds one scalar and nothing else.
   *
   * @throws InvalidRecordException if it holds anything else
   */
  public static JsonScalar parse(String json) throws InvalidRecordException {
    try (JsonParser parser = FACTORY.createParser(json)) {
      if (parser.nextToken() == null) {
        throw new InvalidRecordException("not a JSON value: it is empty");
      }
      JsonScalar scalar = current(parser);
      if (parser.nextToken() != null) {
        throw new InvalidRecordException("not one JSON value: something follows it");
      }
      return scalar;
    } catch (IOException e) {
      throw new InvalidRecordException("not a JSON value");
    }
  }

  /** The scalar that {@code parser} stands on. */
  static JsonScalar current(JsonParser parser) throws IOException, InvalidRecordException {
    JsonToken token = parser.currentToken();
    String text = parser.getText();
    return switch (token) {
      case VALUE_STRING -> string(text);
      case VALUE_NUMBER_INT -> new JsonScalar(Kind.WHOLE_NUMBER, text, text);
      case VALUE_NUMBER_FLOAT -> new JsonScalar(Kind.DECIMAL_NUMBER, text, text);
      case VALUE_TRUE, VALUE_FALSE -> new JsonScalar(Kind.BOOLEAN, text, text);
      default -> throw new InvalidRecordException("not a JSON string, number or boolean");
    };
  }

  /** {@code text} as a JSON string. */
  public static JsonScalar string(String text) {
    String quoted = '"' + new String(JsonStringEncoder.getInstance().quoteAsString(text)) + '"';
    return new JsonScalar(Kind.STRING, text, quoted);
  }
}
