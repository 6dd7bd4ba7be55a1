package dev.sluice.api.rooms;

import dev.sluice.api.problem.FieldError;
import dev.sluice.api.problem.Problem;
import dev.sluice.api.problem.ProblemException;
import dev.sluice.query.RoomQueries;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;

/**
 * What a fetch asks for, all of it valid.
 *
 * @param after a cursor, or {@link RoomQueries#BEGINNING}
 * @param upTo a cursor that the answer must reflect, or {@link RoomQueries#BEGINNING}
 * @param limit most events
 */
record FetchQuery(long after, long upTo, int limit, String country, String app) {
  static final int DEFAULT_LIMIT = 100;

  /**
   * Reads the query.
   *
   * @param parameter the value of a parameter by its name, null if it is not there
   * @throws ProblemException if anything is invalid; it tells all that is
   */
  static FetchQuery of(UnaryOperator<String> parameter) {
    List<FieldError> errors = new ArrayList<>(0);
    long after = cursor("after", parameter.apply("after"), errors);
    long upTo = cursor("upTo", parameter.apply("upTo"), errors);
    int limit = limit(parameter.apply("limit"), errors);
    String country = parameter.apply("country");
    String app = parameter.apply("app");
    note("country", country == null ? null : RoomBody.wrongCountry(country), errors);
    note("app", app == null ? null : RoomBody.wrongApp(app), errors);
    if (!errors.isEmpty()) {
      throw Problem.invalid(errors).asException();
    }
    return new FetchQuery(after, upTo, limit, country, app);
  }

  private static long cursor(String field, String text, List<FieldError> errors) {
    if (text == null || text.equals("-1")) {
      return RoomQueries.BEGINNING;
    }
    if (text.matches("[0-9]{1,18}")) {
      return Long.parseLong(text);
    }
    note(field, "must be a cursor, as an answer gave it", errors);
    return RoomQueries.BEGINNING;
  }

  private static int limit(String text, List<FieldError> errors) {
    if (text == null) {
      return DEFAULT_LIMIT;
    }
    int limit = text.matches("[0-9]{1,9}") ? Integer.parseInt(text) : 0;
    if (limit < 1 || limit > FetchGate.MAX_PAGE) {
      note("limit", "must be 1 to " + FetchGate.MAX_PAGE, errors);
    }
    return limit;
  }

  private static void note(String field, String words, List<FieldError> errors) {
    if (words != null) {
      errors.add(new FieldError(field, words));
    }
  }
}
