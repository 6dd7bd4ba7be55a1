package dev.sluice.contract;

/** Rules for the identifiers {@code roomId}, {@code requestId} and {@code userId}. */
public final class Ids {
  /** Longest identifier, in characters. */
  public static final int MAX_LENGTH = 128;

  private Ids() {}

  /** Whether {@code id} is 1 to 128 characters of {@code A-Z a-z 0-9 . _ : -}. */
  public static boolean isValid(String id) {
    if (id == null || id.isEmpty() || id.length() > MAX_LENGTH) {
      return false;
    }
    for (int i = 0; i < id.length(); i++) {
      if (!isAllowed(id.charAt(i))) {
        return false;
      }
    }
    return true;
  }

  private static boolean isAllowed(char c) {
    return (c >= 'a' && c <= 'z')
        || (c >= 'A' && c <= 'Z')
        || (c >= '0' && c <= '9')
        || c == '.'
        || c == '_'
        || c == ':'
        || c == '-';
  }
}
