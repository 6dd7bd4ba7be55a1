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
    SharedFeedCache one = open(new RedisLink(redis.address()));
    SharedFeedCache other = open(new RedisLink(redis.address()));
    assertThat(other.get("lobby").join()).isEmpty();

    one.put("lobby", PAGE, Duration.ofMillis(1_500));
    await().until(() -> other.get("lobby").join().isPresent());
    Aged young = other.get("lobby").join().orElseThrow();
    assertThat(young.value()).isEqualTo(PAGE);
    await()
        .until(
            () ->
                other.get("lobby").join().map(Aged::age).orElseThrow().compareTo(young.age()) > 0);

    await().until(() -> other.get("lobby").join().isEmpty());
    assertThat(other.hits()).isPositive();
    try (Jedis jedis = new Jedis("127.0.0.1", redis.port())) {
      one.put("lobby", PAGE, Duration.ofSeconds(5));
      await().until(() -> jedis.exists("feed:{lobby}"));
      assertThat(jedis.pttl("feed:{lobby}")).isBetween(1L, 5_000L);
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
      answers.add(cache.get("r" + i));
    }
    assertThat(since(began)).isLessThan(Duration.ofMillis(500));
    for (CompletableFuture<Optional<Aged>> answer : answers) {
      assertThat(answer.join()).isEmpty();
    }
    assertThat(since(began)).isLessThan(Duration.ofSeconds(1));
    assertThat(cache.shed()).isPositive();

    await().until(link::refuses);
    assertThat(cache.get("lobby")).isDone();
  }

  @Test
  void aRedisThatIsBackServesAgain() throws Exception {
    RedisProcess redis = keep(new RedisProcess(directory));
    RedisLink link = new RedisLink(redis.address());
    SharedFeedCache cache = open(link);
    cache.put("lobby", PAGE, Duration.ofSeconds(60));
    await().until(() -> cache.get("lobby").join().isPresent());

    redis.kill();
    await().until(() -> cache.get("lobby").join().isEmpty() && link.refuses());
    redis.start();

    await()
        .until(
            () -> {
              cache.put("lobby", PAGE, Duration.ofSeconds(60));
              return cache.get("lobby").join().isPresent();
            });
  }

  @Test
  void whatSomebodyElseLeftThereIsAMiss() throws Exception {
    RedisProcess redis = keep(new RedisProcess(directory));
    SharedFeedCache cache = open(new RedisLink(redis.address()));
    try (Jedis jedis = new Jedis("127.0.0.1", redis.port())) {
      jedis.set("feed:{short}", "x");
      jedis.set("feed:{immortal}", "a value without a time to live");

      assertThat(cache.get("short").join()).isEmpty();
      assertThat(cache.get("immortal").join()).isEmpty();
    }
  }

  private static Duration since(long nanos) {
    return Duration.ofNanos(System.nanoTime() - nanos);
  }

  private SharedFeedCache open(RedisLink link) {
    keep(link);
    return keep(new SharedFeedCache(link));
  }

  private <T extends AutoCloseable> T keep(T closeable) {
    opened.add(closeable);
    return closeable;
  }
}
