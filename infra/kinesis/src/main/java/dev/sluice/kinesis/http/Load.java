package dev.sluice.kinesis.http;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** What is under way, and how much of it there may be. Thread-safe. */
final class Load {
  private final HttpSettings settings;
  private final AtomicInteger requests = new AtomicInteger();
  private final AtomicInteger subscriptions = new AtomicInteger();
  private final AtomicLong bytes = new AtomicLong();

  Load(HttpSettings settings) {
    this.settings = settings;
  }

  boolean beginRequest() {
    return begin(requests, settings.concurrentRequests());
  }

  void endRequest() {
    requests.decrementAndGet();
  }

  boolean beginSubscription() {
    return begin(subscriptions, settings.subscriptions());
  }

  void endSubscription() {
    subscriptions.decrementAndGet();
  }

  /** Takes memory for a body; false if there is none left. */
  boolean take(int count) {
    if (bytes.addAndGet(count) <= settings.bufferedBytes()) {
      return true;
    }
    bytes.addAndGet(-count);
    return false;
  }

  /** Takes memory for a small body, of which there is always room for as many as there can be. */
  void occupy(int count) {
    bytes.addAndGet(count);
  }

  void release(int count) {
    bytes.addAndGet(-count);
  }

  private static boolean begin(AtomicInteger count, int limit) {
    if (count.incrementAndGet() <= limit) {
      return true;
    }
    count.decrementAndGet();
    return false;
  }
}
