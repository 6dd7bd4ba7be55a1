package dev.sluice.kinesis.wire;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;

/**
 * What a value must satisfy.
 *
 * @param words as AWS says it
 */
record Constraint(String words, Predicate<Object> holds) {
  static Constraint longest(int max) {
    return new Constraint(
        "Member must have length less than or equal to " + max, value -> !isLonger(value, max));
  }

  static Constraint shortest(int min) {
    return new Constraint(
        "Member must have length greater than or equal to " + min, value -> units(value) >= min);
  }

  static Constraint most(long max) {
    return new Constraint(
        "Member must have value less than or equal to " + max,
        value -> ((Number) value).longValue() <= max);
  }

  static Constraint least(long min) {
    return new Constraint(
        "Member must have value greater than or equal to " + min,
        value -> ((Number) value).longValue() >= min);
  }

  /**
   * @param pattern as AWS writes it
   * @param matches the same without a regular expression: values are as long as a client likes
   */
  static Constraint pattern(String pattern, Predicate<String> matches) {
    return new Constraint(
        "Member must satisfy regular expression pattern: " + pattern,
        value -> matches.test((String) value));
  }

  static Constraint oneOf(List<String> words) {
    Set<String> set = Set.copyOf(words);
    return new Constraint(
        "Member must satisfy enum value set: [" + String.join(", ", words) + "]",
        value -> set.contains((String) value));
  }

  /** Characters of a text are code points, which need counting only if it seems too long. */
  private static boolean isLonger(Object value, int max) {
    return units(value) > max
        && !(value instanceof String text && text.codePointCount(0, text.length()) <= max);
  }

  private static int units(Object value) {
    if (value instanceof String text) {
      return text.length();
    }
    if (value instanceof byte[] bytes) {
      return bytes.length;
    }
    return value instanceof Map<?, ?> map ? map.size() : ((List<?>) value).size();
  }
}
