package dev.sluice.kinesis.wire;

/** Whether texts are of the forms that the service model knows, in one pass over each. */
final class Names {
  private Names() {}

  /** {@code [a-zA-Z0-9_.-]+}. */
  static boolean isName(String text) {
    return isName(text, 0, text.length());
  }

  private static boolean isName(String text, int from, int to) {
    for (int i = from; i < to; i++) {
      char c = text.charAt(i);
      boolean allowed =
          (c >= 'a' && c <= 'z')
              || (c >= 'A' && c <= 'Z')
              || (c >= '0' && c <= '9')
              || c == '_'
              || c == '.'
              || c == '-';
      if (!allowed) {
        return false;
      }
    }
    return from < to;
  }

  /** A decimal number without leading zeros. */
  static boolean isNumber(String text, int digits) {
    return isDigits(text)
        && text.length() <= digits
        && (text.charAt(0) != '0' || text.length() == 1);
  }

  private static boolean isDigits(String text) {
    for (int i = 0; i < text.length(); i++) {
      if (text.charAt(i) < '0' || text.charAt(i) > '9') {
        return false;
      }
    }
    return !text.isEmpty();
  }

  /** {@code arn:aws...:kinesis:region:account:stream/} and something without white space. */
  static boolean isStreamArn(String text) {
    String resource = resource(text);
    return resource != null
        && !resource.isEmpty()
        && resource.chars().noneMatch(Character::isWhitespace);
  }

  /** The same of a consumer: {@code stream/name/consumer/name:number}. */
  static boolean isConsumerArn(String text) {
    String resource = resource(text);
    if (resource == null) {
      return false;
    }
    String[] parts = resource.split("/", -1);
    if (parts.length != 3 || !parts[1].equals("consumer") || !isName(parts[0])) {
      return false;
    }
    int colon = parts[2].indexOf(':');
    return colon > 0 && isName(parts[2], 0, colon) && isDigits(parts[2].substring(colon + 1));
  }

  /** What follows {@code stream/} in an ARN of Kinesis; null if it is none. */
  private static String resource(String text) {
    String[] parts = text.split(":", 6);
    boolean isArn =
        parts.length == 6
            && parts[0].equals("arn")
            && parts[1].startsWith("aws")
            && parts[2].equals("kinesis")
            && parts[4].length() == 12
            && isDigits(parts[4])
            && parts[5].startsWith("stream/");
    return isArn ? parts[5].substring("stream/".length()) : null;
  }
}
