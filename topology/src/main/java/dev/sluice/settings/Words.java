package dev.sluice.settings;

/** Quoting of what others wrote, at a bounded length. */
final class Words {
  private static final int MAX = 64;

  private Words() {}

  /** The first 64 characters, control characters replaced. */
  static String cut(String text) {
    StringBuilder out = new StringBuilder();
    for (int i = 0; i < Math.min(text.length(), MAX); i++) {
      char c = text.charAt(i);
      out.append(Character.isISOControl(c) ? '?' : c);
    }
    return text.length() > MAX ? out + "..." : out.toString();
  }
}
