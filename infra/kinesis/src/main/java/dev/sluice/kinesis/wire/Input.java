package dev.sluice.kinesis.wire;

import java.util.List;
import java.util.Map;

/**
 * What a request asks with, or a structure in it: the values of its fields, of the types that the
 * service model has. Asking for a field that the model doesn't have throws. Not to be changed.
 */
public final class Input {
  private final Shape shape;
  private final Object[] values;

  Input(Shape shape, Object[] values) {
    this.shape = shape;
    this.values = values;
  }

  Shape shape() {
    return shape;
  }

  Object value(int index) {
    return values[index];
  }

  private Object value(String field) {
    int index = shape.indexOf(field);
    if (index < 0) {
      throw new IllegalArgumentException(shape.name() + " has no " + field);
    }
    return values[index];
  }

  /** Whether the request has the field. */
  public boolean has(String field) {
    return value(field) != null;
  }

  /** The text; null if absent. */
  public String text(String field) {
    return (String) value(field);
  }

  /** The number; {@code absent} if absent. */
  public int number(String field, int absent) {
    Object value = value(field);
    return value == null ? absent : ((Number) value).intValue();
  }

  /** The flag; false if absent. */
  public boolean flag(String field) {
    return Boolean.TRUE.equals(value(field));
  }

  /** The bytes; null if absent. */
  public byte[] blob(String field) {
    return (byte[]) value(field);
  }

  /** Milliseconds since the epoch; null if absent. */
  public Long time(String field) {
    return (Long) value(field);
  }

  /** The structure; null if absent. */
  public Input structure(String field) {
    return (Input) value(field);
  }

  /** The structures of a list; empty if absent. */
  @SuppressWarnings("unchecked")
  public List<Input> structures(String field) {
    Object value = value(field);
    return value == null ? List.of() : (List<Input>) value;
  }

  /** The texts of a list; empty if absent. */
  @SuppressWarnings("unchecked")
  public List<String> texts(String field) {
    Object value = value(field);
    return value == null ? List.of() : (List<String>) value;
  }

  /** The texts of a map in the order of the request; empty if absent. */
  @SuppressWarnings("unchecked")
  public Map<String, String> map(String field) {
    Object value = value(field);
    return value == null ? Map.of() : (Map<String, String>) value;
  }

  /** As AWS prints a structure in errors. */
  @Override
  public String toString() {
    return "com.amazonaws.kinesis.v20131202."
        + shape.name()
        + "@"
        + Integer.toHexString(System.identityHashCode(this));
  }
}
