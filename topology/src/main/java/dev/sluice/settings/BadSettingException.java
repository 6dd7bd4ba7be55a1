package dev.sluice.settings;

/** A setting that can't be accepted; the message says in words what would be. */
public final class BadSettingException extends Exception {
  private static final long serialVersionUID = 1L;

  public BadSettingException(String message) {
    super(message);
  }
}
