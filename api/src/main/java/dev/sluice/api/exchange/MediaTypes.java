package dev.sluice.api.exchange;

import java.util.Locale;

/** Which {@code Content-Type} counts as JSON. */
final class MediaTypes {
  private MediaTypes() {}

  /** Whether {@code contentType} is {@code application/json}, in UTF-8 if it names a charset. */
  static boolean isJson(String contentType) {
    if (contentType == null) {
      return false;
    }
    if (contentType.equals("application/json")) {
      return true;
    }
    String[] parts = contentType.toLowerCase(Locale.ROOT).split(";", -1);
    if (!parts[0].strip().equals("application/json")) {
      return false;
    }
    for (int i = 1; i < parts.length; i++) {
      String parameter = parts[i].strip().replace("\"", "");
      if (parameter.startsWith("charset=") && !parameter.matches("charset=utf-?8")) {
        return false;
      }
    }
    return true;
  }
}
