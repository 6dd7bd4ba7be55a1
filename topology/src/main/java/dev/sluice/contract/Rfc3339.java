package dev.sluice.contract;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;

/** Times as written in records and answers: {@code 2026-11-29T12:00:00.123Z}. */
public final class Rfc3339 {
  private static final long DAY = 86_400_000;
  private static final long FIRST = LocalDate.of(0, 1, 1).toEpochDay() * DAY;
  private static final long LAST = LocalDate.of(10_000, 1, 1).toEpochDay() * DAY - 1;
  private static final String MARKS = "0000-00-00T00:00:00.000Z";
  private static final int LENGTH = MARKS.length();

  private Rfc3339() {}

  /** A time in milliseconds since the epoch, in UTC and with three decimals. */
  public static String format(long millis) {
    if (millis < FIRST || millis > LAST) {
      return Instant.ofEpochMilli(millis).toString();
    }
    LocalDate date = LocalDate.ofEpochDay(Math.floorDiv(millis, DAY));
    int rest = (int) Math.floorMod(millis, DAY);
    char[] out = new char[LENGTH];
    digits(out, 0, 4, date.getYear());
    out[4] = '-';
    digits(out, 5, 2, date.getMonthValue());
    out[7] = '-';
    digits(out, 8, 2, date.getDayOfMonth());
    out[10] = 'T';
    digits(out, 11, 2, rest / 3_600_000);
    out[13] = ':';
    digits(out, 14, 2, rest / 60_000 % 60);
    out[16] = ':';
    digits(out, 17, 2, rest / 1000 % 60);
    out[19] = '.';
    digits(out, 20, 3, rest % 1000);
    out[23] = 'Z';
    return new String(out);
  }

  /**
   * Milliseconds since the epoch of a time in UTC; digits below are dropped.
   *
   * @throws IllegalArgumentException if it is not a time, or too far from now to be one
   */
  public static long parse(String text) {
    try {
      return isAsWritten(text) ? read(text) : Instant.parse(text).toEpochMilli();
    } catch (DateTimeException | ArithmeticException e) {
      throw new IllegalArgumentException("not a time: " + JsonRecord.quoted(text), e);
    }
  }

  private static boolean isAsWritten(String text) {
    if (text.length() != LENGTH) {
      return false;
    }
    for (int i = 0; i < LENGTH; i++) {
      char c = text.charAt(i);
      char mark = MARKS.charAt(i);
      if (mark == '0' ? c < '0' || c > '9' : c != mark) {
        return false;
      }
    }
    return true;
  }

  private static long read(String text) {
    LocalDate date = LocalDate.of(number(text, 0, 4), number(text, 5, 7), number(text, 8, 10));
    int hour = number(text, 11, 13);
    int minute = number(text, 14, 16);
    int second = number(text, 17, 19);
    if (hour > 23 || minute > 59 || second > 59) {
      throw new DateTimeException("no such time of day");
    }
    return date.toEpochDay() * DAY
        + hour * 3_600_000L
        + minute * 60_000L
        + second * 1000L
        + number(text, 20, 23);
  }

  private static int number(String text, int from, int to) {
    int number = 0;
    for (int i = from; i < to; i++) {
      number = number * 10 + text.charAt(i) - '0';
    }
    return number;
  }

  private static void digits(char[] out, int from, int count, int value) {
    int rest = value;
    for (int i = from + count - 1; i >= from; i--) {
      out[i] = (char) ('0' + rest % 10);
      rest /= 10;
    }
  }
}
