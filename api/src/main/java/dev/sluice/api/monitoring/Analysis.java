package dev.sluice.api.monitoring;

import java.util.List;
import java.util.Locale;

/**
 * What the last minute suggests.
 *
 * @param utilisation of the latest point
 * @param reason the figures behind the advice, as a sentence
 */
public record Analysis(double utilisation, Trend trend, Advice advice, String reason) {
  static final double HIGH = 0.8;
  static final double LOW = 0.3;

  /** Points looked at: two groups of this many. */
  static final int GROUP = 3;

  /** Changes of demand below this part of it are noise. */
  private static final double NOISE = 0.02;

  /** Where demand (people active and waiting) is going. */
  public enum Trend {
    GROWING,
    FLAT,
    SHRINKING
  }

  /** What to do about capacity. */
  public enum Advice {
    SCALE_UP,
    SCALE_DOWN,
    STEADY
  }

  /**
   * Judges {@code points}, oldest first. Above 80 % and growing is SCALE_UP, below 30 % and
   * shrinking SCALE_DOWN, anything else STEADY. Demand grows when its mean over the last three
   * points is above that over the three before.
   */
  public static Analysis of(List<Point> points) {
    if (points.isEmpty()) {
      return new Analysis(0, Trend.FLAT, Advice.STEADY, "Nothing has been measured yet.");
    }
    double utilisation = points.get(points.size() - 1).utilisation();
    Trend trend = trend(points);
    Advice advice = Advice.STEADY;
    if (utilisation > HIGH && trend == Trend.GROWING) {
      advice = Advice.SCALE_UP;
    } else if (utilisation < LOW && trend == Trend.SHRINKING) {
      advice = Advice.SCALE_DOWN;
    }
    return new Analysis(utilisation, trend, advice, reason(points, utilisation, trend));
  }

  private static Trend trend(List<Point> points) {
    int size = points.size();
    if (size < 2) {
      return Trend.FLAT;
    }
    int group = Math.min(GROUP, size / 2);
    double late = demand(points.subList(size - group, size));
    double early = demand(points.subList(size - 2 * group, size - group));
    double noise = NOISE * Math.max(late, early);
    if (late - early > noise) {
      return Trend.GROWING;
    }
    return early - late > noise ? Trend.SHRINKING : Trend.FLAT;
  }

  private static double demand(List<Point> points) {
    return points.stream().mapToLong(Point::demand).average().orElse(0);
  }

  private static String reason(List<Point> points, double utilisation, Trend trend) {
    Point latest = points.get(points.size() - 1);
    return String.format(
        Locale.ROOT,
        "%d of %d places are taken (%.0f %%), %d people wait, and demand is %s.",
        latest.active(),
        latest.capacity(),
        utilisation * 100,
        latest.totalWaiting(),
        trend.name().toLowerCase(Locale.ROOT));
  }
}
