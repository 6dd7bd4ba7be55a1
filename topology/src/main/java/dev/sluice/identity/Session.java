package dev.sluice.identity;

/**
 * A verified session.
 *
 * @param token the secret that its holder shows; never logged, never written to a topic
 * @param hash what the log knows it by: a one-way hash of the token's random part, 22 characters of
 *     {@code A-Z a-z 0-9 _ -}
 */
public record Session(String token, String hash) {
  /** Leaves the token out. */
  @Override
  public String toString() {
    return "Session[" + hash + "]";
  }
}
