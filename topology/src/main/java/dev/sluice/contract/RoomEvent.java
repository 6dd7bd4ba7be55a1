package dev.sluice.contract;

/**
 * Something that happened in a room.
 *
 * @param userId who did it, or null
 * @param country of that person, two capital letters (ISO 3166-1 alpha-2), or null
 * @param app that person uses, an identifier of at most {@link #MAX_APP} characters, or null
 * @param payload any JSON value as text, at most {@link #MAX_PAYLOAD} bytes of UTF-8, or null; what
 *     it means is the site's own affair
 */
public record RoomEvent(
    EventKind kind, String roomId, String userId, String country, String app, String payload) {
  /** Longest name of an app, in characters. */
  public static final int MAX_APP = 64;

  /** The app of events that came when a room had too many apps already to tell them apart. */
  public static final String OTHER_APP = "other";

  /** Longest payload, in bytes of UTF-8. */
  public static final int MAX_PAYLOAD = 8 * 1024;

  /** Whether {@code country} is two capital letters. */
  public static boolean isCountry(String country) {
    return country.length() == 2 && isCapital(country.charAt(0)) && isCapital(country.charAt(1));
  }

  private static boolean isCapital(char c) {
    return c >= 'A' && c <= 'Z';
  }

  /** Whether {@code app} can be the name of an app. */
  public static boolean isApp(String app) {
    return app.length() <= MAX_APP && Ids.isValid(app);
  }
}
