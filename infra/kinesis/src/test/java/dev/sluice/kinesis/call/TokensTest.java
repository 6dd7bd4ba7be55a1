package dev.sluice.kinesis.call;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.kinesis.call.Tokens.Kind;
import dev.sluice.kinesis.shard.ErrorType;
import dev.sluice.kinesis.shard.KinesisException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.Test;

class TokensTest {
  private static final Instant NOW = Instant.parse("2015-01-22T01:22:02Z");
  private static final byte[] SECRET = "0123456789abcdef".getBytes(UTF_8);
  private static final Token TOKEN =
      new Token("s".repeat(128), 1_700_000_000_123L, 7, Long.MAX_VALUE, "c".repeat(128));

  private final Tokens tokens = tokens(Duration.ZERO);

  private static Tokens tokens(Duration later) {
    return new Tokens(SECRET, Clock.fixed(NOW.plus(later), ZoneOffset.UTC));
  }

  @Test
  void theLargestTokenIsReadAsItWasIssued() {
    String iterator = tokens.issue(Kind.ITERATOR, TOKEN);

    assertThat(iterator).hasSizeLessThanOrEqualTo(512).matches("[A-Za-z0-9_-]+");
    assertThat(tokens.iterator(iterator)).isEqualTo(TOKEN);
    assertThat(tokens.next(Kind.CONSUMERS, tokens.issue(Kind.CONSUMERS, TOKEN))).isEqualTo(TOKEN);
  }

  @Test
  void aTokenIsGoodForFiveMinutes() {
    String iterator = tokens.issue(Kind.ITERATOR, TOKEN);
    String next = tokens.issue(Kind.SHARDS, TOKEN);

    assertThat(tokens(Tokens.VALID).iterator(iterator)).isEqualTo(TOKEN);
    assertThat(tokens(Tokens.VALID).next(Kind.SHARDS, next)).isEqualTo(TOKEN);
    Tokens later = tokens(Tokens.VALID.plusMillis(1));
    assertThatThrownBy(() -> later.iterator(iterator))
        .hasMessage(
            "Iterator expired. The iterator was created at time Thu Jan 22 01:22:02 UTC 2015 while right now it is Thu Jan 22 01:27:02 UTC 2015 which is further in the future than the tolerated delay of 300000 milliseconds.");
    assertThatThrownBy(() -> later.next(Kind.SHARDS, next))
        .isInstanceOfSatisfying(
            KinesisException.class,
            e -> assertThat(e.type()).isEqualTo(ErrorType.EXPIRED_NEXT_TOKEN));
  }

  @Test
  void noBitOfATokenCanBeChanged() {
    byte[] bytes = Base64.getUrlDecoder().decode(tokens.issue(Kind.ITERATOR, TOKEN));

    for (int i = 0; i < bytes.length * 8; i++) {
      bytes[i / 8] ^= (byte) (1 << i % 8);
      String changed = Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
      assertThatThrownBy(() -> tokens.iterator(changed)).hasMessage("Invalid ShardIterator.");
      bytes[i / 8] ^= (byte) (1 << i % 8);
    }
  }

  @Test
  void aTokenIsSpelledInOneWay() {
    // Of every remainder by three.
    for (String word : List.of("c", "cc", "ccc")) {
      String iterator = tokens.issue(Kind.ITERATOR, new Token("s", 1, 7, 9, word));
      assertThat(tokens.iterator(iterator).word()).isEqualTo(word);

      List<String> others = new ArrayList<>(List.of(iterator + "=", iterator + "=="));
      for (char last = '-'; last <= 'z'; last++) {
        others.add(iterator.substring(0, iterator.length() - 1) + last);
      }
      others.removeIf(iterator::equals);
      for (String other : others) {
        assertThatThrownBy(() -> tokens.iterator(other)).hasMessage("Invalid ShardIterator.");
      }
    }
  }

  @Test
  void aTokenServesNothingElseAndNobodyElse() {
    String next = tokens.issue(Kind.SHARDS, TOKEN);
    Tokens others =
        new Tokens("fedcba9876543210".getBytes(UTF_8), Clock.fixed(NOW, ZoneOffset.UTC));

    assertThatThrownBy(() -> tokens.iterator(next)).isInstanceOf(KinesisException.class);
    assertThatThrownBy(() -> tokens.next(Kind.STREAMS, next)).isInstanceOf(KinesisException.class);
    assertThatThrownBy(() -> others.next(Kind.SHARDS, next)).isInstanceOf(KinesisException.class);
    assertThatThrownBy(() -> tokens.iterator("?")).hasMessage("Invalid ShardIterator.");
    assertThatThrownBy(() -> tokens.iterator("")).hasMessage("Invalid ShardIterator.");
  }
}
