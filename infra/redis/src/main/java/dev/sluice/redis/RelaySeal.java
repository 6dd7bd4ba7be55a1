package dev.sluice.redis;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.contract.InvalidRecordException;
import dev.sluice.contract.Outcome;
import dev.sluice.contract.OutcomeJson;
import dev.sluice.contract.PersonStatus;
import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Clock;
import java.time.Duration;
import java.util.Arrays;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Messages of the relay: an HMAC-SHA256, when it was sealed (8 bytes, milliseconds since the
 * epoch), and an outcome as JSON. The code covers the channel too, so that a message of one
 * installation is none of another. Thread-safe.
 */
final class RelaySeal {
  /** Far more than an outcome of a person has. */
  static final int MAX_BYTES = 4 * 1024;

  /** Of a message; clocks may be as far apart. */
  static final Duration MAX_AGE = Duration.ofSeconds(10);

  private static final String ALGORITHM = "HmacSHA256";
  private static final int MAC_BYTES = 32;
  private static final int HEAD_BYTES = MAC_BYTES + Long.BYTES;

  private final byte[] channel;
  private final SecretKeySpec key;
  private final Clock clock;

  RelaySeal(String channel, byte[] key, Clock clock) {
    this.channel = channel.getBytes(UTF_8);
    this.key = new SecretKeySpec(key, ALGORITHM);
    this.clock = clock;
  }

  /** A message is refused, for a reason in words. */
  static final class Refused extends Exception {
    private static final long serialVersionUID = 1L;

    Refused(String words) {
      super(words, null, false, false);
    }
  }

  byte[] channel() {
    return channel.clone();
  }

  /** Whether an outcome is one to be relayed. */
  static boolean isRelayed(Outcome outcome) {
    return outcome instanceof Outcome.PersonChanged changed
        && (changed.status() == PersonStatus.ADMITTED || changed.status() == PersonStatus.EXPIRED);
  }

  /** A message that {@link #open} takes for {@link #MAX_AGE}. */
  byte[] seal(Outcome outcome) {
    byte[] json = OutcomeJson.write(outcome);
    ByteBuffer message = ByteBuffer.allocate(HEAD_BYTES + json.length);
    message.putLong(MAC_BYTES, clock.millis());
    message.position(HEAD_BYTES).put(json);
    message.put(0, code(message.array()));
    return message.array();
  }

  /** The outcome of a message that was sealed with this key a moment ago. */
  Outcome open(byte[] message) throws Refused {
    if (message.length <= HEAD_BYTES || message.length > MAX_BYTES) {
      throw new Refused("it has " + message.length + " bytes");
    }
    if (!MessageDigest.isEqual(code(message), Arrays.copyOf(message, MAC_BYTES))) {
      throw new Refused("it is not signed by this installation");
    }
    long age = clock.millis() - ByteBuffer.wrap(message).getLong(MAC_BYTES);
    if (Math.abs(age) > MAX_AGE.toMillis()) {
      throw new Refused("it is " + age + " ms old by this clock");
    }
    Outcome outcome;
    try {
      outcome = OutcomeJson.read(Arrays.copyOfRange(message, HEAD_BYTES, message.length));
    } catch (InvalidRecordException e) {
      throw new Refused(e.getMessage());
    }
    if (!isRelayed(outcome)) {
      throw new Refused("it is no admission and no expiry");
    }
    return outcome;
  }

  /** Over the channel and all of a message behind the place of the code. */
  private byte[] code(byte[] message) {
    try {
      Mac mac = Mac.getInstance(ALGORITHM);
      mac.init(key);
      mac.update(channel);
      mac.update((byte) 0);
      mac.update(message, MAC_BYTES, message.length - MAC_BYTES);
      return mac.doFinal();
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every JDK has " + ALGORITHM, e);
    }
  }
}
