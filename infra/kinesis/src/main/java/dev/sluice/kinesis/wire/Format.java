package dev.sluice.kinesis.wire;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.util.JsonRecyclerPools;
import com.fasterxml.jackson.dataformat.cbor.CBORFactory;
import dev.sluice.contract.PooledJson;
import dev.sluice.kinesis.shard.ErrorType;
import dev.sluice.kinesis.shard.KinesisException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.Locale;

/** How bodies are written. */
public enum Format {
  JSON(
      "application/x-amz-json-1.1",
      PooledJson.builder().disable(JsonFactory.Feature.INTERN_FIELD_NAMES).build()),
  CBOR(
      "application/x-amz-cbor-1.1",
      CBORFactory.builder()
          .recyclerPool(JsonRecyclerPools.sharedConcurrentDequePool())
          .disable(JsonFactory.Feature.INTERN_FIELD_NAMES)
          .build());

  private final String contentType;

  /** Configured once. */
  @SuppressWarnings("ImmutableEnumChecker")
  private final JsonFactory factory;

  Format(String contentType, JsonFactory factory) {
    this.contentType = contentType;
    this.factory = factory;
  }

  /** The format of a content type, whose parameters don't matter; null if there is none. */
  public static Format of(String contentType) {
    if (contentType == null) {
      return null;
    }
    int end = contentType.indexOf(';');
    String type = (end < 0 ? contentType : contentType.substring(0, end)).strip();
    if (JSON.contentType.equals(type)) {
      return JSON;
    }
    if (CBOR.contentType.equals(type)) {
      return CBOR;
    }
    String small = type.toLowerCase(Locale.ROOT);
    return small.equals(type) ? null : of(small);
  }

  public String contentType() {
    return contentType;
  }

  /**
   * What a body asks of the action; not validated yet.
   *
   * @throws KinesisException if a value is of a wrong type
   */
  public Input read(Action action, ByteBuffer body) throws MalformedBodyException {
    return parse(body, reader -> reader.read(action.input()));
  }

  /** Looks whether a body is well formed, whatever it asks. */
  public void skim(ByteBuffer body) throws MalformedBodyException {
    parse(
        body,
        reader -> {
          reader.skim();
          return null;
        });
  }

  private Input parse(ByteBuffer body, Read read) throws MalformedBodyException {
    if (this == JSON && isOfWiderCharacters(body)) {
      throw new MalformedBodyException("not UTF-8");
    }
    try (JsonParser parser =
        factory.createParser(
            body.array(), body.arrayOffset() + body.position(), body.remaining())) {
      return read.from(new InputReader(parser, this));
    } catch (KinesisException wrongType) {
      throw wrongType;
    } catch (IOException | RuntimeException e) {
      // On garbage, the parser of CBOR throws more than it says.
      throw new MalformedBodyException(e.getMessage());
    }
  }

  /** UTF-16 or UTF-32, which the parser would recognise; in UTF-8 no JSON object begins so. */
  private static boolean isOfWiderCharacters(ByteBuffer body) {
    int at = body.position();
    return body.remaining() > 1
        && (body.get(at) == 0
            || body.get(at + 1) == 0
            || body.get(at) == (byte) 0xfe
            || body.get(at) == (byte) 0xff);
  }

  /** The answer's bytes. */
  public ByteBuffer write(Answer answer) {
    Bytes bytes = new Bytes();
    try (JsonGenerator generator = factory.createGenerator(bytes)) {
      generator.writeStartObject();
      answer.write(new AnswerWriter(generator));
      generator.writeEndObject();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return bytes.buffer();
  }

  /** The bytes of an error. */
  public ByteBuffer write(ErrorType type, String message) {
    return write(
        out ->
            out.text("__type", type.text())
                .text(type == ErrorType.SERIALIZATION ? "Message" : "message", message));
  }

  /** Reads from a body. */
  private interface Read {
    Input from(InputReader reader) throws IOException, MalformedBodyException;
  }

  /** Gives its bytes without a copy. */
  private static final class Bytes extends ByteArrayOutputStream {
    private static final int USUAL = 1024;

    Bytes() {
      super(USUAL);
    }

    ByteBuffer buffer() {
      return ByteBuffer.wrap(buf, 0, count);
    }
  }
}
