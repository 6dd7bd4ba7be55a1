package dev.sluice.kinesis.wire;

import dev.sluice.kinesis.shard.ErrorType;
import dev.sluice.kinesis.shard.KinesisException;
import dev.sluice.kinesis.wire.Shape.Field;
import dev.sluice.kinesis.wire.Shape.Presence;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Whether an input satisfies the service model. Most do, and are only looked at; what is wrong with
 * one is put in words in a second pass.
 */
public final class Validation {
  /** AWS counts no further. */
  private static final int MAX_ERRORS = 10;

  /** Longest value that is repeated in an error. */
  private static final int MAX_QUOTED = 4096;

  private final List<String> errors = new ArrayList<>();

  private Validation() {}

  /**
   * @throws KinesisException if it doesn't satisfy the model, naming all that is wrong
   */
  public static void check(Input input) {
    if (isValid(input)) {
      return;
    }
    Validation validation = new Validation();
    validation.describe(input, "");
    List<String> errors = validation.errors;
    throw new KinesisException(
        ErrorType.VALIDATION,
        errors.size()
            + (errors.size() == 1
                ? " validation error detected: "
                : " validation errors detected: ")
            + String.join("; ", errors));
  }

  private static boolean isValid(Input input) {
    List<Field> fields = input.shape().fields();
    for (int i = 0; i < fields.size(); i++) {
      Object value = input.value(i);
      if (value == null
          ? fields.get(i).presence() != Presence.OPTIONAL
          : !isValid(fields.get(i).shape(), value)) {
        return false;
      }
    }
    return true;
  }

  /** Whether there is a value and it satisfies the shape. */
  private static boolean isValid(Shape shape, Object value) {
    if (value == null) {
      return false;
    }
    List<Constraint> constraints = shape.constraints();
    for (int i = 0; i < constraints.size(); i++) {
      if (!constraints.get(i).holds().test(value)) {
        return false;
      }
    }
    return switch (shape.type()) {
      case STRUCTURE -> isValid((Input) value);
      case LIST -> allValid(shape.member(), (List<?>) value);
      case MAP ->
          allValid(shape.key(), List.copyOf(((Map<?, ?>) value).keySet()))
              && allValid(shape.member(), new ArrayList<>(((Map<?, ?>) value).values()));
      default -> true;
    };
  }

  private static boolean allValid(Shape shape, List<?> values) {
    for (int i = 0; i < values.size(); i++) {
      if (!isValid(shape, values.get(i))) {
        return false;
      }
    }
    return true;
  }

  private void describe(Input input, String path) {
    List<Field> fields = input.shape().fields();
    for (int i = 0; i < fields.size() && errors.size() < MAX_ERRORS; i++) {
      Field field = fields.get(i);
      Object value = input.value(i);
      if (value != null) {
        describe(field.shape(), value, path + field.path());
      } else if (field.presence() == Presence.INTEGRAL) {
        throw new KinesisException(ErrorType.SERIALIZATION, nothing(path + field.path()));
      } else if (field.presence() == Presence.REQUIRED) {
        add(nothing(path + field.path()));
      }
    }
  }

  private void describe(Shape shape, Object value, String path) {
    for (Constraint constraint : shape.constraints()) {
      if (!constraint.holds().test(value)) {
        add(value, path, constraint.words());
      }
    }
    switch (shape.type()) {
      case STRUCTURE -> describe((Input) value, path + ".");
      case LIST -> {
        if (shape.member().type() == Shape.Type.STRUCTURE) {
          describeAll((List<?>) value, shape.member(), path);
        } else if (!allValid(shape.member(), (List<?>) value)) {
          add(value, path, "Member must satisfy constraint: " + words(shape.member()));
        }
      }
      case MAP -> {
        Map<?, ?> map = (Map<?, ?>) value;
        if (!allValid(shape.key(), List.copyOf(map.keySet()))) {
          add(value, path, "Map keys must satisfy constraint: " + words(shape.key()));
        }
        if (!allValid(shape.member(), new ArrayList<>(map.values()))) {
          add(value, path, "Map value must satisfy constraint: " + words(shape.member()));
        }
      }
      default -> {}
    }
  }

  private void describeAll(List<?> structures, Shape shape, String path) {
    for (int i = 0; i < structures.size() && errors.size() < MAX_ERRORS; i++) {
      String member = path + "." + (i + 1) + ".member";
      if (structures.get(i) == null) {
        add(nothing(member));
      } else if (!isValid(shape, structures.get(i))) {
        describe(shape, structures.get(i), member);
      }
    }
  }

  /** All constraints of what a list or map holds, the upper bound first. */
  private static String words(Shape shape) {
    Stream<Constraint> longestFirst =
        shape.constraints().stream().sorted((a, b) -> b.words().compareTo(a.words()));
    return longestFirst.map(Constraint::words).collect(Collectors.joining(", ", "[", "]"));
  }

  private void add(Object value, String path, String words) {
    String text =
        value instanceof byte[] bytes
            ? "java.nio.HeapByteBuffer[pos=0 lim=%1$d cap=%1$d]".formatted(bytes.length)
            : value.toString();
    add("Value '" + quoted(text) + "' at '" + path + "' failed to satisfy constraint: " + words);
  }

  private void add(String error) {
    if (errors.size() < MAX_ERRORS) {
      errors.add(error);
    }
  }

  private static String nothing(String path) {
    return "Value null at '" + path + "' failed to satisfy constraint: Member must not be null";
  }

  /** What a client sent, as an answer can repeat it: not too much, and encodable. */
  static String quoted(String text) {
    String some = text.length() > MAX_QUOTED ? text.substring(0, MAX_QUOTED) + "..." : text;
    return new String(some.getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8);
  }
}
