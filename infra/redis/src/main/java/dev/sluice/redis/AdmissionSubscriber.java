package dev.sluice.redis;

import dev.sluice.contract.Outcome;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import redis.clients.jedis.BinaryJedisPubSub;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.exceptions.JedisException;

/**
 * Hears on a channel of Redis what an {@link AdmissionPublisher} publishes, on a connection of its
 * own, and tells a listener. Whatever isn't sealed with the key, or long ago, is refused and
 * counted: it may come from anybody who may publish there. A Redis that is away is asked again at
 * growing intervals; what is published meanwhile is not heard. Thread-safe; started and closed
 * once.
 */
public final class AdmissionSubscriber implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(AdmissionSubscriber.class);

  private static final Duration PING_EVERY = Duration.ofSeconds(1);

  /** Without a word, an answer to a ping included, after which a connection is lost. */
  private static final Duration SILENCE = Duration.ofSeconds(3);

  private static final Duration FIRST_RETRY = Duration.ofMillis(100);
  private static final Duration SLOWEST_RETRY = Duration.ofSeconds(5);
  private static final Duration WARN_EVERY = Duration.ofMinutes(1);

  private final RedisAddress address;
  private final RelaySeal seal;
  private final LongSupplier nanos;
  private final Channel channel = new Channel();
  private final LongAdder received = new LongAdder();
  private final LongAdder refused = new LongAdder();
  private final ScheduledExecutorService pings =
      Executors.newSingleThreadScheduledExecutor(task -> daemon(task, "sluice-admission-pings"));
  private final Thread thread = daemon(this::run, "sluice-admission-subscriber");

  private Consumer<Outcome> listener;
  private Duration retry = FIRST_RETRY;
  private long warnedAt;
  private volatile Jedis connection;
  private volatile boolean subscribed;
  private volatile boolean closed;

  /**
   * @param key of the relay, known to publishers and subscribers alone
   * @param nanos a clock that only goes forward, in nanoseconds
   */
  public AdmissionSubscriber(
      RedisAddress address, String channel, byte[] key, Clock clock, LongSupplier nanos) {
    this.address = address;
    this.seal = new RelaySeal(channel, key, clock);
    this.nanos = nanos;
    this.warnedAt = nanos.getAsLong() - WARN_EVERY.toNanos();
  }

  private static Thread daemon(Runnable task, String name) {
    Thread made = new Thread(task, name);
    made.setDaemon(true);
    return made;
  }

  /**
   * Begins to listen; returns at once.
   *
   * @param listener called by one thread; what it throws is logged
   */
  public void start(Consumer<Outcome> listener) {
    this.listener = listener;
    thread.start();
    long period = PING_EVERY.toMillis();
    var unused = pings.scheduleWithFixedDelay(this::ping, period, period, TimeUnit.MILLISECONDS);
  }

  private void run() {
    while (!closed) {
      try (Jedis jedis = new Jedis(anyNode(), address.client(SILENCE))) {
        connection = jedis;
        if (!closed) {
          jedis.subscribe(channel, seal.channel());
        }
      } catch (JedisException e) {
        LOG.debug("Admissions are not heard from Redis at {}", address, e);
      } catch (RuntimeException e) {
        LOG.error("Admissions are not heard from Redis", e);
      }
      subscribed = false;
      pause();
    }
  }

  /** In a cluster each node hears what is published at any. */
  private HostAndPort anyNode() {
    List<HostAndPort> nodes = address.hosts();
    return nodes.get(ThreadLocalRandom.current().nextInt(nodes.size()));
  }

  /** Half of it by chance, so that those whom Redis left don't come back together. */
  private void pause() {
    long half = retry.toNanos() / 2;
    retry = min(retry.multipliedBy(2), SLOWEST_RETRY);
    try {
      TimeUnit.NANOSECONDS.sleep(half + ThreadLocalRandom.current().nextLong(half));
    } catch (InterruptedException e) {
      LOG.debug("Closed");
    }
  }

  private static Duration min(Duration one, Duration other) {
    return one.compareTo(other) < 0 ? one : other;
  }

  private void ping() {
    if (subscribed) {
      try {
        channel.ping();
      } catch (RuntimeException e) {
        LOG.debug("A ping failed", e);
      }
    }
  }

  /** What comes from Redis, on the thread that reads. */
  private final class Channel extends BinaryJedisPubSub {
    @Override
    public void onSubscribe(byte[] name, int count) {
      subscribed = true;
      retry = FIRST_RETRY;
    }

    @Override
    public void onMessage(byte[] name, byte[] message) {
      Outcome outcome;
      try {
        outcome = seal.open(message);
      } catch (RelaySeal.Refused e) {
        refused.increment();
        warn(e.getMessage());
        return;
      }
      received.increment();
      try {
        listener.accept(outcome);
      } catch (RuntimeException e) {
        LOG.error("A listener failed at outcome {}", outcome.version(), e);
      }
    }
  }

  private void warn(String reason) {
    long now = nanos.getAsLong();
    if (now - warnedAt >= WARN_EVERY.toNanos()) {
      warnedAt = now;
      LOG.warn("Refused a message of the relay, {} so far: {}", refused.sum(), reason);
    }
  }

  /** Whether Redis would tell it now. */
  public boolean isSubscribed() {
    return subscribed;
  }

  /** Outcomes told so far; some for the second time. */
  public long received() {
    return received.sum();
  }

  /** Messages refused so far. */
  public long refused() {
    return refused.sum();
  }

  /** Stops; the listener may be told one more. */
  @Override
  public void close() {
    closed = true;
    pings.shutdownNow();
    thread.interrupt();
    Jedis open = connection;
    if (open != null) {
      open.disconnect();
    }
  }
}
