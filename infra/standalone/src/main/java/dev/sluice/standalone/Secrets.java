package dev.sluice.standalone;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.identity.PassKey;
import java.nio.file.Files;
import java.security.GeneralSecurityException;
import java.util.HexFormat;
import java.util.Set;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * The one secret and the key of passes.
 *
 * @param secret behind sessions, the internal port and what Kinesis's readers carry; null where no
 *     tier here needs it
 * @param passKey signs passes; null where no tier here does
 */
record Secrets(String secret, PassKey passKey) {
  /**
   * Those given; or, where everything runs in one process and nobody else can reach it, those kept
   * in the data directory.
   *
   * @throws StartRefusal when one is needed and not given, or can't be used
   */
  static Secrets of(
      SluiceProperties properties, Set<Role> roles, Exposure exposure, DataDirectory directory) {
    boolean alone = roles.containsAll(Set.of(Role.TOPOLOGY, Role.API, Role.NOTIFIER));
    boolean web = roles.stream().anyMatch(Role::isWeb);
    return new Secrets(
        web || roles.contains(Role.TOPOLOGY) || roles.contains(Role.KINESIS)
            ? secret(properties, directory, alone && exposure.isLoopbackOnly())
            : null,
        web ? passKey(properties, directory, alone) : null);
  }

  /** What the processes of an installation show each other; tells nothing of the secret. */
  String internalToken() {
    return HexFormat.of().formatHex(derived("sluice-internal-port"));
  }

  /** The key under which they tell each other of admissions through Redis. */
  byte[] relayKey() {
    return derived("sluice-admission-relay");
  }

  /** The key of iterators and tokens that one Kinesis endpoint gives and another takes. */
  byte[] iteratorKey() {
    return derived("sluice-kinesis-iterator");
  }

  private byte[] derived(String purpose) {
    try {
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(new SecretKeySpec(secret.getBytes(UTF_8), "HmacSHA256"));
      return mac.doFinal(purpose.getBytes(UTF_8));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every JDK has HmacSHA256", e);
    }
  }

  private static String secret(
      SluiceProperties properties, DataDirectory directory, boolean mayBeKept) {
    if (Exposure.isGiven(properties.secret())) {
      return properties.secret().strip();
    }
    if (!mayBeKept) {
      throw new StartRefusal(
          "The tiers of this installation run in several processes, which must share a secret: set"
              + " SLUICE_SECRET, the same for each (where one of them has run alone, what stands in"
              + " its data directory's file \"secret\"; with another all sessions end)");
    }
    return directory.secret();
  }

  private static PassKey passKey(
      SluiceProperties properties, DataDirectory directory, boolean mayBeKept) {
    if (Exposure.isGiven(properties.passKey())) {
      try {
        return PassKey.fromPem(properties.passKey());
      } catch (IllegalArgumentException e) {
        throw new StartRefusal("SLUICE_PASS_KEY can't be used: " + e.getMessage(), e);
      }
    }
    if (properties.passKeyFile() != null) {
      if (!Files.exists(properties.passKeyFile())) {
        throw new StartRefusal(
            "There is no key of passes in %s (SLUICE_PASS_KEY_FILE)"
                .formatted(properties.passKeyFile()));
      }
      return DataDirectory.passKey(properties.passKeyFile());
    }
    if (!mayBeKept) {
      throw new StartRefusal(
          "The tiers of this installation run in several processes, which must share the key of"
              + " passes: set SLUICE_PASS_KEY_FILE, the same for each: pass-key.pem in the data"
              + " directory of one that has run alone, or one made with"
              + " `openssl genpkey -algorithm ed25519`");
    }
    return directory.passKey();
  }
}
