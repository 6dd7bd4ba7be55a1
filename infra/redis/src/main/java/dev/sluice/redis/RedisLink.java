package dev.sluice.redis;

import io.github.resilience4j.circuitbreaker.CallNotPermittedException;
import io.github.resilience4j.circuitbreaker.CircuitBreaker;
import io.github.resilience4j.circuitbreaker.CircuitBreakerConfig;
import java.time.Duration;
import java.util.HashSet;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import redis.clients.jedis.ConnectionPoolConfig;
import redis.clients.jedis.JedisClientConfig;
import redis.clients.jedis.JedisCluster;
import redis.clients.jedis.JedisPooled;
import redis.clients.jedis.UnifiedJedis;
import redis.clients.jedis.exceptions.JedisException;

/**
 * The connections to Redis, behind a circuit breaker: a Redis that is away costs a caller a quarter
 * of a second a few times and then, until it is back, nothing. Thread-safe.
 */
public final class RedisLink implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(RedisLink.class);

  private static final int CONNECTIONS = 4;
  private static final Duration CONNECT_AND_READ = Duration.ofMillis(250);
  private static final Duration WAIT_FOR_CONNECTION = Duration.ofMillis(50);
  private static final Duration LOOK_AGAIN_AFTER = Duration.ofSeconds(1);
  private static final int CLUSTER_ATTEMPTS = 3;

  private final RedisAddress address;
  private final CircuitBreaker breaker;
  private final LongAdder calls = new LongAdder();
  private final LongAdder failures = new LongAdder();
  private final LongAdder refused = new LongAdder();
  private volatile UnifiedJedis jedis;
  private volatile long downSince;
  private volatile String reason = "";
  private boolean closed;

  /** Whether Redis is asked. */
  public enum State {
    UP,
    /** Not asked but once a second, since it failed. */
    DOWN,
    /** Being asked whether it is back. */
    TRYING
  }

  /** Connects with the first call. */
  public RedisLink(RedisAddress address) {
    this.address = address;
    this.breaker =
        CircuitBreaker.of(
            "redis",
            CircuitBreakerConfig.custom()
                .slidingWindowType(CircuitBreakerConfig.SlidingWindowType.COUNT_BASED)
                .slidingWindowSize(6)
                .minimumNumberOfCalls(3)
                .failureRateThreshold(50)
                .waitDurationInOpenState(LOOK_AGAIN_AFTER)
                .permittedNumberOfCallsInHalfOpenState(1)
                .writableStackTraceEnabled(false)
                .build());
    breaker
        .getEventPublisher()
        .onError(event -> reason = event.getThrowable().getMessage())
        .onStateTransition(
            event -> {
              downSince = System.nanoTime();
              switch (event.getStateTransition()) {
                case CLOSED_TO_OPEN -> LOG.warn("Redis at {} is away: {}", address, reason);
                case HALF_OPEN_TO_CLOSED -> LOG.info("Redis at {} is back", address);
                default -> LOG.debug("Redis: {}", event.getStateTransition());
              }
            });
  }

  /**
   * Asks Redis, for a second at most, most often a quarter of it.
   *
   * @throws RedisUnavailableException if it fails, or isn't asked at the moment
   */
  <T> T call(Function<UnifiedJedis, T> command) throws RedisUnavailableException {
    try {
      T answer = breaker.executeSupplier(() -> command.apply(connected()));
      calls.increment();
      return answer;
    } catch (CallNotPermittedException e) {
      refused.increment();
      throw new RedisUnavailableException("Redis is away", e);
    } catch (JedisException | IllegalStateException e) {
      calls.increment();
      failures.increment();
      LOG.debug("Redis at {} failed", address, e);
      throw new RedisUnavailableException("Redis failed: " + e.getMessage(), e);
    }
  }

  private UnifiedJedis connected() {
    UnifiedJedis present = jedis;
    return present == null ? connect() : present;
  }

  private synchronized UnifiedJedis connect() {
    if (closed) {
      throw new IllegalStateException("closed");
    }
    if (jedis == null) {
      jedis = open();
    }
    return jedis;
  }

  private UnifiedJedis open() {
    ConnectionPoolConfig pool = new ConnectionPoolConfig();
    pool.setMaxTotal(CONNECTIONS);
    pool.setMaxIdle(CONNECTIONS);
    pool.setMaxWait(WAIT_FOR_CONNECTION);
    pool.setJmxEnabled(false);
    JedisClientConfig client = address.client(CONNECT_AND_READ);
    return address.isCluster()
        ? new JedisCluster(
            new HashSet<>(address.hosts()), client, CLUSTER_ATTEMPTS, CONNECT_AND_READ, pool)
        : new JedisPooled(pool, address.hosts().get(0), client);
  }

  /** Whether a call would be refused at once. */
  boolean refuses() {
    return state() == State.DOWN && System.nanoTime() - downSince < LOOK_AGAIN_AFTER.toNanos();
  }

  public State state() {
    return switch (breaker.getState()) {
      case OPEN, FORCED_OPEN -> State.DOWN;
      case HALF_OPEN -> State.TRYING;
      default -> State.UP;
    };
  }

  /** Calls made so far. */
  public long calls() {
    return calls.sum();
  }

  /** Calls so far that failed. */
  public long failures() {
    return failures.sum();
  }

  /** Calls so far that weren't made since Redis was away. */
  public long refused() {
    return refused.sum();
  }

  /** Ends all connections. */
  @Override
  public synchronized void close() {
    closed = true;
    if (jedis != null) {
      jedis.close();
    }
  }

  /** Hosts and ports; no password. */
  @Override
  public String toString() {
    return "RedisLink[" + address + ", " + state() + "]";
  }
}
