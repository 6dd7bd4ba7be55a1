package dev.sluice.identity;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.Base64;
import java.util.Optional;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Issues and verifies sessions. A token is 18 random bytes and their HMAC-SHA256 under the one
 * secret, so that any instance knows its own without a store. Thread-safe.
 */
public final class Sessions {
  private static final String ALGORITHM = "HmacSHA256";
  private static final int RANDOM_BYTES = 18;
  private static final int MAC_BYTES = 32;
  private static final int HASH_BYTES = 16;
  private static final int RANDOM_CHARS = 24;
  private static final int TOKEN_CHARS = RANDOM_CHARS + 1 + 43;
  private static final byte[] PURPOSE = "sluice-session:".getBytes(UTF_8);
  private static final Base64.Encoder ENCODER = Base64.getUrlEncoder().withoutPadding();

  private final SecretKeySpec key;
  private final SecureRandom random = new SecureRandom();

  /**
   * Sessions under {@code secret}, which every instance must share.
   *
   * @throws IllegalArgumentException if it is blank
   */
  public Sessions(String secret) {
    if (secret.isBlank()) {
      throw new IllegalArgumentException("the secret of sessions is blank");
    }
    this.key = new SecretKeySpec(secret.getBytes(UTF_8), ALGORITHM);
  }

  /** A new session, unlike any other. */
  public Session issue() {
    byte[] bytes = new byte[RANDOM_BYTES];
    random.nextBytes(bytes);
    return new Session(ENCODER.encodeToString(bytes) + "." + mac(bytes), hash(bytes));
  }

  /** The session of {@code token}; empty when null, malformed or not issued under this secret. */
  public Optional<Session> verify(String token) {
    if (token == null || token.length() != TOKEN_CHARS || token.charAt(RANDOM_CHARS) != '.') {
      return Optional.empty();
    }
    byte[] bytes;
    try {
      bytes = Base64.getUrlDecoder().decode(token.substring(0, RANDOM_CHARS));
    } catch (IllegalArgumentException e) {
      return Optional.empty();
    }
    byte[] shown = token.substring(RANDOM_CHARS + 1).getBytes(UTF_8);
    return MessageDigest.isEqual(shown, mac(bytes).getBytes(UTF_8))
        ? Optional.of(new Session(token, hash(bytes)))
        : Optional.empty();
  }

  private String mac(byte[] bytes) {
    try {
      Mac mac = Mac.getInstance(ALGORITHM);
      mac.init(key);
      mac.update(PURPOSE);
      byte[] code = mac.doFinal(bytes);
      assert code.length == MAC_BYTES;
      return ENCODER.encodeToString(code);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every JDK has " + ALGORITHM, e);
    }
  }

  private static String hash(byte[] bytes) {
    try {
      byte[] digest = MessageDigest.getInstance("SHA-256").digest(bytes);
      return ENCODER.encodeToString(Arrays.copyOf(digest, HASH_BYTES));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }
}
