package dev.sluice.standalone;

import dev.sluice.api.rooms.ReadingFormat;
import dev.sluice.api.rooms.SharedFeed;
import dev.sluice.contract.Outcome;
import dev.sluice.redis.AdmissionPublisher;
import dev.sluice.redis.AdmissionSubscriber;
import dev.sluice.redis.HotMarks;
import dev.sluice.redis.RedisAddress;
import dev.sluice.redis.RedisLink;
import dev.sluice.redis.SharedFeedCache;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/** What this process does with Redis, where there is one. Thread-safe. */
final class RedisHere implements dev.sluice.api.monitoring.RedisLink, MeterBinder, AutoCloseable {
  private final RedisLink link;
  private final HotMarks marks;
  private final AdmissionPublisher publisher;
  private final AdmissionSubscriber subscriber;
  private final SharedFeedCache feeds;

  /**
   * @param marks started; null where this process keeps none
   * @param publisher started; null where this process relays no admissions
   * @param subscriber not yet started; null where this process hears of none through Redis
   */
  RedisHere(
      RedisLink link,
      HotMarks marks,
      AdmissionPublisher publisher,
      AdmissionSubscriber subscriber) {
    this.link = link;
    this.marks = marks;
    this.publisher = publisher;
    this.subscriber = subscriber;
    this.feeds = new SharedFeedCache(link, Duration.ofMillis(SharedFeed.KEPT_MILLIS));
  }

  /**
   * @throws StartRefusal if the address is none
   */
  static RedisAddress address(String uri) {
    try {
      return RedisAddress.parse(uri);
    } catch (IllegalArgumentException e) {
      throw new StartRefusal("sluice.redis.uri " + e.getMessage(), e);
    }
  }

  /** Tells {@code listener} what is relayed, where this process hears of it. */
  void follow(Consumer<Outcome> listener) {
    if (subscriber != null) {
      subscriber.start(listener);
    }
  }

  /** What was read of rooms, shared with other instances. */
  SharedFeed sharedFeed() {
    return new SharedFeed() {
      @Override
      public CompletableFuture<Optional<Shared>> get(String roomId, String ticket) {
        return feeds.get(roomId, ticket).thenApply(found -> found.flatMap(RedisHere::shared));
      }

      @Override
      public void put(String roomId, String ticket, Reading reading) {
        feeds.put(roomId, ticket, ReadingFormat.write(reading));
      }
    };
  }

  private static Optional<SharedFeed.Shared> shared(SharedFeedCache.Aged found) {
    return ReadingFormat.read(found.value())
        .map(reading -> new SharedFeed.Shared(reading, found.age().toMillis()));
  }

  @Override
  public State state() {
    return switch (link.state()) {
      case UP -> State.UP;
      case DOWN -> State.DOWN;
      case TRYING -> State.TRYING;
    };
  }

  @Override
  public long lagMillis() {
    return marks == null ? 0 : marks.lag().toMillis();
  }

  @Override
  public void bindTo(MeterRegistry registry) {
    Gauge.builder("sluice.redis.up", this, redis -> redis.state() == State.UP ? 1 : 0)
        .description("1 while Redis answers")
        .register(registry);
    Gauge.builder("sluice.redis.lag", this, redis -> redis.lagMillis() / 1e3)
        .description("Age of the oldest change that the marks in Redis don't show")
        .baseUnit("seconds")
        .register(registry);
    FunctionCounter.builder("sluice.redis.calls", link, RedisLink::calls)
        .description("Calls of Redis")
        .register(registry);
    FunctionCounter.builder("sluice.redis.failures", link, RedisLink::failures)
        .description("Calls of Redis that failed")
        .register(registry);
    FunctionCounter.builder("sluice.redis.refused", link, RedisLink::refused)
        .description("Calls not made since Redis was away")
        .register(registry);
    FunctionCounter.builder("sluice.redis.feed.hits", feeds, SharedFeedCache::hits)
        .description("Readings of rooms that another instance had made")
        .register(registry);
    FunctionCounter.builder("sluice.redis.feed.misses", feeds, SharedFeedCache::misses)
        .description("Readings of rooms that no other instance had made")
        .register(registry);
    if (marks != null) {
      Gauge.builder("sluice.redis.marks", marks, HotMarks::marks)
          .description("Marks of hot rooms that this process keeps")
          .register(registry);
    }
    if (publisher != null) {
      FunctionCounter.builder(
              "sluice.redis.relay.published", publisher, AdmissionPublisher::published)
          .description("Admissions and expiries published")
          .register(registry);
      FunctionCounter.builder("sluice.redis.relay.dropped", publisher, AdmissionPublisher::dropped)
          .description("Admissions and expiries that Redis didn't take in time")
          .register(registry);
    }
    if (subscriber != null) {
      FunctionCounter.builder(
              "sluice.redis.relay.received", subscriber, AdmissionSubscriber::received)
          .description("Admissions and expiries heard")
          .register(registry);
      FunctionCounter.builder(
              "sluice.redis.relay.refused", subscriber, AdmissionSubscriber::refused)
          .description("Messages that were forged, stale or malformed")
          .register(registry);
      Gauge.builder("sluice.redis.relay.subscribed", subscriber, all -> all.isSubscribed() ? 1 : 0)
          .description("1 while Redis would tell of admissions")
          .register(registry);
    }
  }

  @Override
  public void close() {
    if (marks != null) {
      marks.close();
    }
    if (publisher != null) {
      publisher.close();
    }
    if (subscriber != null) {
      subscriber.close();
    }
    feeds.close();
    link.close();
  }
}
