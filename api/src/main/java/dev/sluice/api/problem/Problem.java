package dev.sluice.api.problem;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import dev.sluice.contract.PooledJson;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;

/**
 * A failure as told over REST (RFC 9457). Immutable.
 *
 * @param detail a sentence for a person to read; never a class name or what an exception said
 * @param errors what is wrong with which field, else empty
 * @param retryAfter seconds after which trying again may help, 0 if it won't
 */
public record Problem(
    ProblemType type,
    int status,
    String title,
    String detail,
    List<FieldError> errors,
    int retryAfter) {
  public static final String MEDIA_TYPE = "application/problem+json";

  private static final JsonFactory JSON = PooledJson.builder().build();
  private static final int LONGEST_INSTANCE = 256;

  public Problem {
    errors = List.copyOf(errors);
  }

  /** A failure of {@code type}. */
  public static Problem of(ProblemType type, String detail) {
    return new Problem(type, type.status(), type.title(), detail, List.of(), 0);
  }

  /** A failure of {@code type} that may pass in {@code retryAfter} seconds. */
  public static Problem passing(ProblemType type, String detail, int retryAfter) {
    return new Problem(type, type.status(), type.title(), detail, List.of(), retryAfter);
  }

  /** Bad input, by field. */
  public static Problem invalid(List<FieldError> errors) {
    ProblemType type = ProblemType.INVALID;
    FieldError first = errors.get(0);
    String detail = first.field() + " " + first.message() + ".";
    return new Problem(type, type.status(), type.title(), detail, errors, 0);
  }

  /** Bad input in one field. */
  public static Problem invalid(String field, String message) {
    return invalid(List.of(new FieldError(field, message)));
  }

  /** A refusal that only its HTTP status describes. */
  public static Problem ofStatus(int status) {
    return switch (status) {
      case 400 -> of(ProblemType.MALFORMED, "The request is not well-formed HTTP.");
      case 404 -> of(ProblemType.NO_SUCH_PATH, "There is nothing at this path.");
      case 405 -> of(ProblemType.WRONG_METHOD, "This path doesn't know this method.");
      case 406 -> of(ProblemType.NOT_ACCEPTABLE, "There is no answer of the type asked for.");
      case 408 -> of(ProblemType.TOO_SLOW, "The request took too long to arrive.");
      case 413 -> of(ProblemType.TOO_LARGE, "The body is longer than 64 KiB.");
      case 415 -> of(ProblemType.WRONG_MEDIA_TYPE, "The body must be application/json in UTF-8.");
      case 500 -> of(ProblemType.INTERNAL, "Something went wrong here; it has been logged.");
      case 503 -> passing(ProblemType.BUSY, "This can't be answered now.", 1);
      default ->
          new Problem(
              ProblemType.OTHER,
              status,
              ProblemType.OTHER.title(),
              "The request was refused with status " + status + ".",
              List.of(),
              0);
    };
  }

  /** As an exception to be answered with. */
  public ProblemException asException() {
    return new ProblemException(this);
  }

  /**
   * The JSON of it.
   *
   * @param instance path of the request, or null when that couldn't be read
   */
  public byte[] toJson(String instance) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream(256);
    try (JsonGenerator json = JSON.createGenerator(bytes)) {
      json.writeStartObject();
      json.writeStringField("type", type.uri());
      json.writeStringField("title", title);
      json.writeNumberField("status", status);
      json.writeStringField("detail", detail);
      if (instance != null) {
        json.writeStringField("instance", shortened(instance));
      }
      if (!errors.isEmpty()) {
        json.writeArrayFieldStart("errors");
        for (FieldError error : errors) {
          json.writeStartObject();
          json.writeStringField("field", error.field());
          json.writeStringField("message", error.message());
          json.writeEndObject();
        }
        json.writeEndArray();
      }
      json.writeEndObject();
    } catch (IOException e) {
      throw new UncheckedIOException("memory doesn't fail", e);
    }
    return bytes.toByteArray();
  }

  private static String shortened(String instance) {
    return instance.length() <= LONGEST_INSTANCE
        ? instance
        : instance.substring(0, LONGEST_INSTANCE);
  }
}
