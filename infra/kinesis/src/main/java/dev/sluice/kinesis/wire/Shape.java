package dev.sluice.kinesis.wire;

import java.util.List;

/**
 * What a value in a request is: its type and what it must satisfy. Immutable.
 *
 * @param name of a structure, as AWS prints it; else null
 * @param fields of a structure
 * @param member of a list, or the value of a map
 * @param key of a map
 */
record Shape(
    Type type,
    String name,
    List<Constraint> constraints,
    List<Field> fields,
    Shape member,
    Shape key) {

  /** What is read from a body. */
  enum Type {
    STRING("an String"),
    INTEGER("an Integer"),
    LONG("an Long"),
    BOOLEAN("an Boolean"),
    BLOB("a Blob"),
    TIMESTAMP("milliseconds since epoch"),
    LIST("list or null"),
    MAP("map or null"),
    STRUCTURE("null");

    /** As AWS says what it wanted. */
    final String words;

    Type(String words) {
      this.words = words;
    }
  }

  /** Whether a structure must have a field. */
  enum Presence {
    OPTIONAL,
    /** Its absence is an error of validation. */
    REQUIRED,
    /** A body without it isn't a request at all. */
    INTEGRAL
  }

  /**
   * A field of a structure.
   *
   * @param path its name as errors have it, with a small first letter
   */
  record Field(String name, String path, Shape shape, Presence presence) {
    private Field(String name, Shape shape, Presence presence) {
      this(name, Character.toLowerCase(name.charAt(0)) + name.substring(1), shape, presence);
    }

    static Field optional(String name, Shape shape) {
      return new Field(name, shape, Presence.OPTIONAL);
    }

    static Field required(String name, Shape shape) {
      return new Field(name, shape, Presence.REQUIRED);
    }

    static Field integral(String name, Shape shape) {
      return new Field(name, shape, Presence.INTEGRAL);
    }
  }

  /** A value without parts. */
  static Shape scalar(Type type, Constraint... constraints) {
    return new Shape(type, null, List.of(constraints), List.of(), null, null);
  }

  static Shape list(Shape member, Constraint... constraints) {
    return new Shape(Type.LIST, null, List.of(constraints), List.of(), member, null);
  }

  static Shape map(Shape key, Shape value, Constraint... constraints) {
    return new Shape(Type.MAP, null, List.of(constraints), List.of(), value, key);
  }

  /** Its fields in the order in which errors name them. */
  static Shape structure(String name, Field... fields) {
    return new Shape(Type.STRUCTURE, name, List.of(), List.of(fields), null, null);
  }

  /** Where a structure has the field; -1 if it hasn't. */
  int indexOf(String field) {
    for (int i = 0; i < fields.size(); i++) {
      if (fields.get(i).name.equals(field)) {
        return i;
      }
    }
    return -1;
  }
}
