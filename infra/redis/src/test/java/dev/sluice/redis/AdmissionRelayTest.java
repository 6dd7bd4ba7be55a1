package dev.sluice.redis;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.contract.Outcome;
import dev.sluice.contract.PersonStatus;
import dev.sluice.contract.Receipt;
import dev.sluice.contract.RoomState;
import dev.sluice.contract.Version;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import redis.clients.jedis.Jedis;

/** Admissions through a real Redis, which is killed, hangs, and is written to by strangers. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class AdmissionRelayTest {
  private static final String CHANNEL = "sluice.admissions";
  private static final byte[] KEY = "a key of tests".getBytes(UTF_8);
  private static final Clock CLOCK = Clock.systemUTC();

  @TempDir Path directory;
  private final List<AutoCloseable> opened = new ArrayList<>();

  @AfterEach
  void closeAll() throws Exception {
    for (int i = opened.size() - 1; i >= 0; i--) {
      opened.get(i).close();
    }
  }

  @Test
  void everySubscriberHearsEachAdmissionAndExpiryOnceAndNothingElse() throws Exception {
    RedisProcess redis = keep(new RedisProcess(directory));
    Heard one = listen(redis.address());
    Heard other = listen(redis.address());
    AdmissionPublisher publisher = publish(redis.address(), partition -> partition != 7);

    publisher.accept(person(0, 1, PersonStatus.WAITING));
    publisher.accept(
        new Outcome.Progress("r", 1, 1, 1, RoomState.OPEN, new Version(0, 2, 0), 1_000));
    publisher.accept(person(7, 3, PersonStatus.ADMITTED));
    List<Outcome> told =
        IntStream.range(10, 1_010)
            .mapToObj(i -> person(0, i, i % 2 == 0 ? PersonStatus.ADMITTED : PersonStatus.EXPIRED))
            .toList();
    told.forEach(publisher);

    for (Heard heard : List.of(one, other)) {
      await().until(() -> heard.outcomes.size() >= told.size());
      assertThat(heard.outcomes).isEqualTo(told);
      assertThat(heard.subscriber.received()).isEqualTo(told.size());
      assertThat(heard.subscriber.refused()).isZero();
    }
    assertThat(publisher.published()).isEqualTo(told.size());
    assertThat(publisher.dropped()).isZero();
  }

  @Test
  void whatIsForgedStaleTooLongOrNoAdmissionIsRefusedAndCounted() throws Exception {
    RedisProcess redis = keep(new RedisProcess(directory));
    Heard heard = listen(redis.address());
    Outcome admitted = person(0, 1, PersonStatus.ADMITTED);
    byte[] good = new RelaySeal(CHANNEL, KEY, CLOCK).seal(admitted);
    byte[] tampered = good.clone();
    tampered[tampered.length - 2] ^= 1;
    byte[] rejuvenated = good.clone();
    rejuvenated[39] ^= 1;
    Clock longAgo = Clock.offset(CLOCK, Duration.ofSeconds(-11));
    Clock ahead = Clock.offset(CLOCK, Duration.ofSeconds(11));
    Outcome tooLong =
        new Outcome.Rejected(
            "r", "u", Outcome.Rejected.Reason.INVALID, "x".repeat(5_000), new Version(0, 1, 0), 1);
    List<byte[]> bad =
        List.of(
            tampered,
            rejuvenated,
            new RelaySeal(CHANNEL, "another key".getBytes(UTF_8), CLOCK).seal(admitted),
            new RelaySeal("another.admissions", KEY, CLOCK).seal(admitted),
            new RelaySeal(CHANNEL, KEY, longAgo).seal(admitted),
            new RelaySeal(CHANNEL, KEY, ahead).seal(admitted),
            new RelaySeal(CHANNEL, KEY, CLOCK).seal(tooLong),
            new RelaySeal(CHANNEL, KEY, CLOCK).seal(person(0, 1, PersonStatus.WAITING)),
            Arrays.copyOf(good, 40),
            new byte[0],
            new byte[1_000_000],
            "{\"type\":\"ADMITTED\"}".getBytes(UTF_8));

    try (Jedis stranger = new Jedis("127.0.0.1", redis.port())) {
      bad.forEach(message -> stranger.publish(CHANNEL.getBytes(UTF_8), message));
      stranger.publish(CHANNEL.getBytes(UTF_8), good);
    }

    await().until(() -> !heard.outcomes.isEmpty());
    assertThat(heard.outcomes).containsExactly(admitted);
    assertThat(heard.subscriber.refused()).isEqualTo(bad.size());
  }

  @Test
  void aRedisThatIsKilledHoldsNobodyUpAndIsFoundAgain() throws Exception {
    RedisProcess redis = keep(new RedisProcess(directory));
    Heard heard = listen(redis.address());
    AdmissionPublisher publisher = publish(redis.address(), partition -> true);
    publisher.accept(person(0, 0, PersonStatus.ADMITTED));
    await().until(() -> heard.outcomes.size() == 1);

    redis.kill();
    await().until(() -> !heard.subscriber.isSubscribed());
    long began = System.nanoTime();
    for (int i = 1; i <= 50_000; i++) {
      publisher.accept(person(0, i, PersonStatus.ADMITTED));
    }
    assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(Duration.ofSeconds(2));
    await().until(() -> publisher.dropped() >= 40_000);
    redis.start();

    await().until(heard.subscriber::isSubscribed);
    Outcome after = person(0, 100_000, PersonStatus.ADMITTED);
    await()
        .until(
            () -> {
              publisher.accept(after);
              return heard.outcomes.contains(after);
            });
  }

  @Test
  void aRedisThatHangsIsLeftAndFoundAgain() throws Exception {
    RedisProcess redis = keep(new RedisProcess(directory));
    Heard heard = listen(redis.address());

    redis.signal("STOP");
    await().until(() -> !heard.subscriber.isSubscribed());
    redis.signal("CONT");

    await().until(heard.subscriber::isSubscribed);
  }

  @Test
  void silenceInItselfLosesNoConnection() throws Exception {
    RedisProcess redis = keep(new RedisProcess(directory));
    Heard heard = listen(redis.address());

    await()
        .during(Duration.ofSeconds(4))
        .atMost(Duration.ofSeconds(6))
        .pollInterval(Duration.ofMillis(20))
        .until(heard.subscriber::isSubscribed);
  }

  @Test
  void aClusterRelaysToo() throws Exception {
    RedisProcess redis = keep(new RedisProcess(directory, "--cluster-enabled", "yes"));
    try (Jedis jedis = new Jedis("127.0.0.1", redis.port())) {
      jedis.clusterAddSlotsRange(0, 16_383);
      await().until(() -> jedis.clusterInfo().contains("cluster_state:ok"));
    }
    String node = "redis://127.0.0.1:" + redis.port();
    RedisAddress address = RedisAddress.parse(node + "," + node);
    Heard heard = listen(address);
    Outcome admitted = person(0, 1, PersonStatus.ADMITTED);

    publish(address, partition -> true).accept(admitted);

    await().until(() -> heard.outcomes.equals(List.of(admitted)));
  }

  /** A subscriber and what it told. */
  private record Heard(AdmissionSubscriber subscriber, List<Outcome> outcomes) {}

  private Heard listen(RedisAddress address) {
    AdmissionSubscriber subscriber =
        keep(new AdmissionSubscriber(address, CHANNEL, KEY, CLOCK, System::nanoTime));
    Heard heard = new Heard(subscriber, new CopyOnWriteArrayList<>());
    subscriber.start(heard.outcomes()::add);
    await().until(subscriber::isSubscribed);
    return heard;
  }

  private AdmissionPublisher publish(RedisAddress address, IntPredicate ours) {
    RedisLink link = keep(new RedisLink(address));
    AdmissionPublisher publisher = keep(new AdmissionPublisher(link, CHANNEL, KEY, ours, CLOCK));
    publisher.start();
    return publisher;
  }

  private static Outcome person(int partition, long offset, PersonStatus status) {
    return new Outcome.PersonChanged(
        "r",
        "u" + offset,
        "session",
        status,
        offset + 1,
        status == PersonStatus.ADMITTED ? 4_000_000_000_000L : 0,
        status == PersonStatus.EXPIRED ? "TIMEOUT" : null,
        new Receipt(partition, 0, 1_000),
        new Version(partition, offset, 0),
        2_000);
  }

  private <T extends AutoCloseable> T keep(T closeable) {
    opened.add(closeable);
    return closeable;
  }
}
