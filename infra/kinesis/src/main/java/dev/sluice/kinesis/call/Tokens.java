package dev.sluice.kinesis.call;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.kinesis.shard.ErrorType;
import dev.sluice.kinesis.shard.KinesisException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Arrays;
import java.util.Base64;
import java.util.Locale;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Tokens as text that only who has the secret can make: what one says, when it was issued, and an
 * HMAC of both. Every instance with the secret takes those of the others. Thread-safe.
 */
final class Tokens {
  /** How long a token is good. */
  static final Duration VALID = Duration.ofMinutes(5);

  private static final String ALGORITHM = "HmacSHA256";
  private static final int MAC_BYTES = 16;

  /** Without its texts: kind, issued, created, shard, value, length of the stream's name. */
  private static final int FIXED_BYTES = 1 + 8 + 8 + 4 + 8 + 1;

  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("EEE MMM dd HH:mm:ss 'UTC' yyyy", Locale.ROOT)
          .withZone(ZoneOffset.UTC);

  private final SecretKeySpec key;
  private final Clock clock;

  /** What a token is for; one can't be used as another. */
  enum Kind {
    ITERATOR('i'),
    SHARDS('s'),
    STREAMS('l'),
    CONSUMERS('c');

    /** As tokens have it. */
    private final byte code;

    Kind(char code) {
      this.code = (byte) code;
    }
  }

  Tokens(byte[] secret, Clock clock) {
    this.key = new SecretKeySpec(secret, ALGORITHM);
    this.clock = clock;
  }

  /** A token issued now; at most 512 characters, since names have 128 at most. */
  String issue(Kind kind, Token token) {
    byte[] stream = token.stream().getBytes(UTF_8);
    byte[] word = token.word().getBytes(UTF_8);
    ByteBuffer bytes =
        ByteBuffer.allocate(FIXED_BYTES + stream.length + word.length + MAC_BYTES)
            .put(kind.code)
            .putLong(clock.millis())
            .putLong(token.created())
            .putInt(token.shard())
            .putLong(token.value())
            .put((byte) stream.length)
            .put(stream)
            .put(word);
    bytes.put(mac(bytes.array(), bytes.position()));
    return encode(bytes.array());
  }

  private static String encode(byte[] bytes) {
    return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
  }

  /**
   * Where an iterator stands.
   *
   * @throws KinesisException if it is none, or too old
   */
  Token iterator(String text) {
    ByteBuffer bytes = open(Kind.ITERATOR, text);
    if (bytes == null) {
      throw new KinesisException(ErrorType.INVALID_ARGUMENT, "Invalid ShardIterator.");
    }
    long issued = bytes.getLong();
    long now = clock.millis();
    if (now - issued > VALID.toMillis()) {
      throw new KinesisException(
          ErrorType.EXPIRED_ITERATOR,
          "Iterator expired. The iterator was created at time %s while right now it is %s which is further in the future than the tolerated delay of %d milliseconds."
              .formatted(time(issued), time(now), VALID.toMillis()));
    }
    return token(bytes);
  }

  private static String time(long millis) {
    return TIME.format(Instant.ofEpochMilli(millis));
  }

  /**
   * Where a list goes on.
   *
   * @throws KinesisException if the token is none of such a list, or too old
   */
  Token next(Kind kind, String text) {
    ByteBuffer bytes = open(kind, text);
    if (bytes == null) {
      throw new KinesisException(ErrorType.INVALID_ARGUMENT, "Invalid NextToken.");
    }
    if (clock.millis() - bytes.getLong() > VALID.toMillis()) {
      throw new KinesisException(ErrorType.EXPIRED_NEXT_TOKEN, "The NextToken has expired.");
    }
    return token(bytes);
  }

  /** What stands behind the kind, if this instance or another has issued it; else null. */
  private ByteBuffer open(Kind kind, String text) {
    byte[] bytes;
    try {
      bytes = Base64.getUrlDecoder().decode(text);
    } catch (IllegalArgumentException e) {
      return null;
    }
    int length = bytes.length - MAC_BYTES;
    if (length < FIXED_BYTES
        || !encode(bytes).equals(text)
        || !MessageDigest.isEqual(
            mac(bytes, length), Arrays.copyOfRange(bytes, length, bytes.length))
        || bytes[0] != kind.code) {
      return null;
    }
    return ByteBuffer.wrap(bytes, 1, length - 1);
  }

  private static Token token(ByteBuffer bytes) {
    try {
      long created = bytes.getLong();
      int shard = bytes.getInt();
      long value = bytes.getLong();
      byte[] stream = new byte[Byte.toUnsignedInt(bytes.get())];
      bytes.get(stream);
      byte[] word = new byte[bytes.remaining()];
      bytes.get(word);
      return new Token(new String(stream, UTF_8), created, shard, value, new String(word, UTF_8));
    } catch (BufferUnderflowException e) {
      throw new IllegalStateException("a token of another program has the same secret", e);
    }
  }

  private byte[] mac(byte[] bytes, int length) {
    try {
      Mac mac = Mac.getInstance(ALGORITHM);
      mac.init(key);
      mac.update(bytes, 0, length);
      return Arrays.copyOf(mac.doFinal(), MAC_BYTES);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }
}
