package dev.sluice.settings;

import dev.sluice.contract.JsonScalar;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Duration;
import java.util.Arrays;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Which JSON values a setting may have and what they mean.
 *
 * @param allowed completes "must be ..."
 */
record SettingType<T>(String allowed, Reader<T> reader) {
  private static final Pattern DURATION = Pattern.compile("(\\d{1,12})(ms|s|m|h)");
  private static final Pattern RATE = Pattern.compile("(\\d{1,7}(?:\\.\\d{1,3})?)/s");
  private static final long MAX_RATE = 1_000_000;

  /** Reads a value, or returns null for one that isn't allowed. */
  interface Reader<T> {
    T read(JsonScalar json);
  }

  static SettingType<Integer> whole(int min, int max) {
    return new SettingType<>(
        "a whole number from " + min + " to " + max, json -> integer(json, min, max));
  }

  static SettingType<Capacity> capacity(int max) {
    return new SettingType<>(
        "\"auto\" or a whole number from 0 to " + max,
        json -> {
          if (json.kind() == JsonScalar.Kind.STRING) {
            return json.text().equals("auto") ? Capacity.AUTO : null;
          }
          Integer places = integer(json, 0, max);
          return places == null ? null : new Capacity(places);
        });
  }

  static SettingType<Double> decimal(String min, String max) {
    return new SettingType<>(
        "a number from " + min + " to " + max,
        json -> {
          if (json.kind() != JsonScalar.Kind.WHOLE_NUMBER
              && json.kind() != JsonScalar.Kind.DECIMAL_NUMBER) {
            return null;
          }
          // Such as 1e99999999999, which no number here comes near.
          if (json.text().length() > 20 || json.text().matches(".*[eE].*")) {
            return null;
          }
          BigDecimal value = new BigDecimal(json.text());
          boolean within =
              value.compareTo(new BigDecimal(min)) >= 0
                  && value.compareTo(new BigDecimal(max)) <= 0;
          return within ? value.doubleValue() : null;
        });
  }

  static SettingType<Duration> duration(String min, String max) {
    return new SettingType<>(
        "a duration from \"%s\" to \"%s\", such as \"250ms\", \"30s\", \"5m\" or \"1h\""
            .formatted(min, max),
        json -> duration(json, min, max));
  }

  static SettingType<Duration> wholeSeconds(String min, String max) {
    return new SettingType<>(
        "a duration of whole seconds from \"%s\" to \"%s\"".formatted(min, max),
        json -> {
          Duration value = duration(json, min, max);
          return value == null || value.toMillis() % 1000 != 0 ? null : value;
        });
  }

  static SettingType<Pace> pace() {
    return new SettingType<>(
        "\"unlimited\" or a rate from \"0.001/s\" to \"%d/s\", such as \"250/s\""
            .formatted(MAX_RATE),
        json -> {
          if (json.kind() != JsonScalar.Kind.STRING) {
            return null;
          }
          if (json.text().equals("unlimited")) {
            return Pace.UNLIMITED;
          }
          Matcher rate = RATE.matcher(json.text());
          if (!rate.matches()) {
            return null;
          }
          BigDecimal perSecond = new BigDecimal(rate.group(1));
          if (perSecond.signum() == 0 || perSecond.compareTo(BigDecimal.valueOf(MAX_RATE)) > 0) {
            return null;
          }
          return new Pace(
              BigDecimal.valueOf(1_000_000)
                  .divide(perSecond, 0, RoundingMode.HALF_UP)
                  .longValueExact());
        });
  }

  static <E extends Enum<E>> SettingType<E> word(Class<E> type) {
    E[] constants = type.getEnumConstants();
    String allowed =
        String.join(", ", Arrays.stream(constants).map(e -> '"' + e.name() + '"').toList());
    return new SettingType<>(
        "one of " + allowed,
        json -> {
          for (E constant : constants) {
            if (json.kind() == JsonScalar.Kind.STRING && json.text().equals(constant.name())) {
              return constant;
            }
          }
          return null;
        });
  }

  private static Integer integer(JsonScalar json, int min, int max) {
    if (json.kind() != JsonScalar.Kind.WHOLE_NUMBER || json.text().length() > 11) {
      return null;
    }
    long value = Long.parseLong(json.text());
    return value >= min && value <= max ? (Integer) (int) value : null;
  }

  private static Duration duration(JsonScalar json, String min, String max) {
    Duration value = json.kind() == JsonScalar.Kind.STRING ? duration(json.text()) : null;
    return value == null || value.compareTo(duration(min)) < 0 || value.compareTo(duration(max)) > 0
        ? null
        : value;
  }

  private static Duration duration(String text) {
    Matcher matcher = DURATION.matcher(text);
    if (!matcher.matches()) {
      return null;
    }
    long amount = Long.parseLong(matcher.group(1));
    return switch (matcher.group(2)) {
      case "ms" -> Duration.ofMillis(amount);
      case "s" -> Duration.ofSeconds(amount);
      case "m" -> Duration.ofMinutes(amount);
      default -> Duration.ofHours(amount);
    };
  }
}
