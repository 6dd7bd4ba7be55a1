package dev.sluice.redis;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.redis.SharedFeedCache.Aged;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import redis.clients.jedis.Jedis;

@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class SharedFeedCacheTest {
  private static final byte[] PAGE = "[1,2,3]".getBytes(UTF_8);

  @TempDir Path directory;
  private final List<AutoCloseable> opened = new ArrayList<>();

  @AfterEach
  void closeAll() throws Exception {
    for (int i = opened.size() - 1; i >= 0; i--) {
      opened.get(i).close();
    }
  }

  @Test
  void whatOneInstancePutsAnotherGetsWithItsAgeUntilItExpires() throws Exception {
    RedisProcess redis = keep(new RedisProcess(directory));
    SharedFeedCache one = open(new RedisLink(redis.address()), Duration.ofMillis(1_500));
    SharedFeedCache other = open(new RedisLink(redis.address()), Duration.ofMillis(1_500));
    assertThat(one.get("lobby", "t1").join()).isEmpty();

    one.put("lobby", "t1", PAGE);
    await().until(() -> other.get("lobby", "o").join().isPresent());
    Aged young = other.get("lobby", "o").join().orElseThrow();
    assertThat(young.value()).isEqualTo(PAGE);
    await()
        .until(
            () ->
                other.get("lobby", "o").join().map(Aged::age).orElseThrow().compareTo(young.age())
                    > 0);

    await().until(() -> other.get("lobby", "o").join().isEmpty());
    assertThat(other.hits()).isPositive();
  }

  @Test
  void theAgeOfAnEntryIsCountedFromBeforeItWasRead() throws Exception {
    RedisProcess redis = keep(new RedisProcess(directory));
    SharedFeedCache cache = open(new RedisLink(redis.address()));
    try (Jedis jedis = new Jedis("127.0.0.1", redis.port())) {
      assertThat(cache.get("lobby", "t1").join()).isEmpty();
      // The reading took three of five seconds.
      jedis.pexpire("feed:{lobby}:t1", 2_000);
      cache.put("lobby", "t1", PAGE);

      await().until(() -> cache.get("lobby", "t2").join().isPresent());
      assertThat(cache.get("lobby", "t3").join().orElseThrow().age())
          .isGreaterThanOrEqualTo(Duration.ofSeconds(3));
    }
  }

  @Test
  void whatWasReadEarlierDoesNotReplaceWhatWasReadLaterNorComeWithoutATicket() throws Exception {
    RedisProcess redis = keep(new RedisProcess(directory));
    SharedFeedCache cache = open(new RedisLink(redis.address()));
    try (Jedis jedis = new Jedis("127.0.0.1", redis.port())) {
      cache.put("lobby", "none", PAGE);
      assertThat(cache.get("lobby", "early").join()).isEmpty();
      jedis.pexpire("feed:{lobby}:early", 4_000);
      assertThat(cache.get("lobby", "late").join()).isEmpty();
      cache.put("lobby", "late", PAGE);
      await().until(() -> jedis.exists("feed:{lobby}"));
      cache.put("lobby", "early", "[0]".getBytes(UTF_8));

      // A later call in the same queue, so that the one before has been made.
      await().until(() -> cache.get("lobby", "look").join().isPresent());
      assertThat(cache.get("lobby", "again").join().orElseThrow().value()).isEqualTo(PAGE);
    }
  }

  @Test
  void aRedisThatNeverAnswersIsAMissInTimeAndThenAtOnce() throws Exception {
    SilentServer silent = keep(new SilentServer());
    RedisLink link = new RedisLink(silent.address());
    SharedFeedCache cache = open(link);
    long began = System.nanoTime();
    List<CompletableFuture<Optional<Aged>>> answers = new ArrayList<>();
    for (int i = 0; i < 2_000; i++) {
      answers.add(cache.get("r" + i, "t"));
    }
    assertThat(since(began)).isLessThan(Duration.ofMillis(500));
    for (CompletableFuture<Optional<Aged>> answer : answers) {
      assertThat(answer.join()).isEmpty();
    }
    assertThat(since(began)).isLessThan(Duration.ofSeconds(1));
    assertThat(cache.shed()).isPositive();

    await().until(link::refuses);
    assertThat(cache.get("lobby", "t")).isDone();
  }

  @Test
  void aRedisThatIsBackServesAgain() throws Exception {
    RedisProcess redis = keep(new RedisProcess(directory));
    RedisLink link = new RedisLink(redis.address());
    SharedFeedCache cache = open(link);
    cache.get("lobby", "t").join();
    cache.put("lobby", "t", PAGE);
    await().until(() -> cache.get("lobby", "t").join().isPresent());

    redis.kill();
    await().until(() -> cache.get("lobby", "t").join().isEmpty() && link.refuses());
    redis.start();

    await()
        .until(
            () -> {
              cache.put("lobby", "t", PAGE);
              return cache.get("lobby", "t").join().isPresent();
            });
  }

  @Test
  void whatSomebodyElseLeftThereIsAMiss() throws Exception {
    RedisProcess redis = keep(new RedisProcess(directory));
    SharedFeedCache cache = open(new RedisLink(redis.address()));
    try (Jedis jedis = new Jedis("127.0.0.1", redis.port())) {
      jedis.set("feed:{immortal}", "a value without a time to live");

      assertThat(cache.get("immortal", "t").join()).isEmpty();
    }
  }

  private static Duration since(long nanos) {
    return Duration.ofNanos(System.nanoTime() - nanos);
  }

  private SharedFeedCache open(RedisLink link) {
    return open(link, Duration.ofSeconds(5));
  }

  private SharedFeedCache open(RedisLink link, Duration kept) {
    keep(link);
    return keep(new SharedFeedCache(link, kept));
  }

  private <T extends AutoCloseable> T keep(T closeable) {
    opened.add(closeable);
    return closeable;
  }
}
