package dev.sluice.api.exchange;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonStreamContext;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.exc.StreamConstraintsException;
import dev.sluice.api.problem.Problem;
import dev.sluice.api.problem.ProblemException;
import dev.sluice.api.problem.ProblemType;
import dev.sluice.contract.JsonRecord;
import dev.sluice.contract.PooledJson;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;

/** The JSON object that is the body of a request, and the JSON of an answer. */
public final class JsonBody {
  private static final int MAX_DEPTH = 32;

  private static final JsonFactory READER =
      PooledJson.builder()
          .streamReadConstraints(StreamReadConstraints.builder().maxNestingDepth(MAX_DEPTH).build())
          .build();

  private static final JsonFactory WRITER = PooledJson.builder().build();

  private JsonBody() {}

  /** Is told each member of an object. */
  @FunctionalInterface
  public interface Members {
    void member(String name, Value value) throws IOException;
  }

  /** Writes the members of an object, or the elements of an array. */
  @FunctionalInterface
  public interface Writing {
    void writeTo(JsonGenerator json) throws IOException;
  }

  /** The value of the member that is being told; of no use afterwards. */
  public static final class Value {
    private final JsonParser parser;
    private final CharBuffer text;

    private Value(JsonParser parser, CharBuffer text) {
      this.parser = parser;
      this.text = text;
    }

    public boolean isNull() {
      return parser.currentToken() == JsonToken.VALUE_NULL;
    }

    /** The value if it is a text, else null. */
    public String text() throws IOException {
      return parser.currentToken() == JsonToken.VALUE_STRING ? parser.getText() : null;
    }

    /** The JSON of the value as it stands in the body. */
    public String json() throws IOException {
      long begin = parser.currentTokenLocation().getCharOffset();
      parser.skipChildren();
      // A text or a number is only scanned to its end when it is asked for.
      parser.finishToken();
      long end = parser.currentLocation().getCharOffset();
      return text.subSequence((int) begin, (int) end).toString().strip();
    }
  }

  /**
   * Reads one object; JSON here is UTF-8 and nothing else. Members not asked for are passed over.
   *
   * @throws ProblemException if the body is anything else
   */
  public static void read(byte[] body, int length, Members members) {
    CharBuffer text;
    try {
      text =
          StandardCharsets.UTF_8
              .newDecoder()
              .onMalformedInput(CodingErrorAction.REPORT)
              .decode(ByteBuffer.wrap(body, 0, length));
    } catch (CharacterCodingException e) {
      throw malformed("The body is not UTF-8.");
    }
    try (JsonParser parser = parser(text)) {
      try {
        read(parser, new Value(parser, text), members);
      } catch (StreamConstraintsException e) {
        throw Problem.invalid(memberOf(parser), "is nested too deeply, or too long").asException();
      }
    } catch (IOException e) {
      throw malformed("The body is not valid JSON.");
    }
  }

  private static void read(JsonParser parser, Value value, Members members) throws IOException {
    if (parser.nextToken() != JsonToken.START_OBJECT) {
      throw malformed("The body must be a JSON object.");
    }
    while (parser.nextToken() == JsonToken.FIELD_NAME) {
      String name = parser.currentName();
      parser.nextToken();
      members.member(name, value);
      parser.skipChildren();
    }
    if (parser.nextToken() != null) {
      throw malformed("The body must be one JSON object and nothing after it.");
    }
  }

  /** The member of the whole object that the parser is in. */
  private static String memberOf(JsonParser parser) {
    JsonStreamContext context = parser.getParsingContext();
    while (context.getParent() != null && !context.getParent().inRoot()) {
      context = context.getParent();
    }
    return JsonRecord.quoted(String.valueOf(context.getCurrentName()));
  }

  private static JsonParser parser(CharBuffer text) throws IOException {
    return READER.createParser(
        text.array(), text.arrayOffset() + text.position(), text.remaining());
  }

  /** The bytes of an object. */
  public static byte[] object(Writing members) {
    return write(
        json -> {
          json.writeStartObject();
          members.writeTo(json);
          json.writeEndObject();
        });
  }

  /** The bytes of an array. */
  public static byte[] array(Writing elements) {
    return write(
        json -> {
          json.writeStartArray();
          elements.writeTo(json);
          json.writeEndArray();
        });
  }

  private static byte[] write(Writing value) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream(512);
    try (JsonGenerator json = WRITER.createGenerator(bytes)) {
      value.writeTo(json);
    } catch (IOException e) {
      throw new UncheckedIOException("memory doesn't fail", e);
    }
    return bytes.toByteArray();
  }

  private static ProblemException malformed(String detail) {
    return Problem.of(ProblemType.MALFORMED, detail).asException();
  }
}
