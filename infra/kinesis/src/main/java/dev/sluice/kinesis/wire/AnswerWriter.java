package dev.sluice.kinesis.wire;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.dataformat.cbor.CBORGenerator;
import java.io.IOException;

/** Writes an answer's fields. A field that is null isn't written. Not thread-safe. */
public final class AnswerWriter {
  /** CBOR's tag of a time since the epoch. */
  private static final int EPOCH = 1;

  private final JsonGenerator out;

  AnswerWriter(JsonGenerator out) {
    this.out = out;
  }

  public AnswerWriter text(String field, String value) throws IOException {
    if (value != null) {
      out.writeStringField(field, value);
    }
    return this;
  }

  /** An element of an array. */
  public AnswerWriter text(String value) throws IOException {
    out.writeString(value);
    return this;
  }

  public AnswerWriter number(String field, long value) throws IOException {
    out.writeNumberField(field, value);
    return this;
  }

  public AnswerWriter flag(String field, boolean value) throws IOException {
    out.writeBooleanField(field, value);
    return this;
  }

  public AnswerWriter blob(String field, byte[] value) throws IOException {
    if (value != null) {
      out.writeBinaryField(field, value);
    }
    return this;
  }

  /**
   * A point in time: in JSON as seconds with a fraction, in CBOR as it is.
   *
   * @param millis since the epoch
   */
  public AnswerWriter time(String field, long millis) throws IOException {
    out.writeFieldName(field);
    if (out instanceof CBORGenerator cbor) {
      cbor.writeTag(EPOCH);
      cbor.writeNumber(millis);
    } else {
      long fraction = Math.floorMod(millis, 1000L);
      out.writeNumber(
          Math.floorDiv(millis, 1000L)
              + (fraction < 10 ? ".00" : fraction < 100 ? ".0" : ".")
              + fraction);
    }
    return this;
  }

  /** Begins an object as a field. */
  public AnswerWriter object(String field) throws IOException {
    out.writeObjectFieldStart(field);
    return this;
  }

  /** Begins an object as an element of an array. */
  public AnswerWriter object() throws IOException {
    out.writeStartObject();
    return this;
  }

  /** Begins an array as a field. */
  public AnswerWriter array(String field) throws IOException {
    out.writeArrayFieldStart(field);
    return this;
  }

  /** Ends the array or object begun last. */
  public AnswerWriter end() throws IOException {
    if (out.getOutputContext().inArray()) {
      out.writeEndArray();
    } else {
      out.writeEndObject();
    }
    return this;
  }
}
