package dev.sluice.notifier.connection;

import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/** What has happened on all connections since the start. Thread-safe. */
public final class PushCounters {
  private final LongAdder opened = new LongAdder();
  private final LongAdder closed = new LongAdder();
  private final LongAdder sent = new LongAdder();
  private final LongAdder replaced = new LongAdder();
  private final LongAdder errors = new LongAdder();
  private final LongAdder overflows = new LongAdder();
  private final LongAdder silent = new LongAdder();
  private final Map<Refusal, LongAdder> refused = new EnumMap<>(Refusal.class);

  public PushCounters() {
    for (Refusal refusal : Refusal.values()) {
      refused.put(refusal, new LongAdder());
    }
  }

  void countOpened() {
    opened.increment();
  }

  void countClosed() {
    closed.increment();
  }

  void countSent(int frames) {
    sent.add(frames);
  }

  void countReplaced() {
    replaced.increment();
  }

  void countError() {
    errors.increment();
  }

  void countOverflow() {
    overflows.increment();
  }

  void countSilent() {
    silent.increment();
  }

  /** A handshake was refused. */
  public void countRefused(Refusal refusal) {
    refused.get(refusal).increment();
  }

  /** Connections opened. */
  public long opened() {
    return opened.sum();
  }

  /** Connections ended, for whatever reason. */
  public long closed() {
    return closed.sum();
  }

  /** Frames that left, heartbeats included. */
  public long sent() {
    return sent.sum();
  }

  /** Last values that a newer one replaced before they left. */
  public long replaced() {
    return replaced.sum();
  }

  /** ERROR frames said. */
  public long errors() {
    return errors.sum();
  }

  /** Connections ended because the client didn't take what was sent, in bytes or in time. */
  public long overflows() {
    return overflows.sum();
  }

  /** Connections ended because the client fell silent or never began. */
  public long silent() {
    return silent.sum();
  }

  /** Handshakes refused for this reason. */
  public long refused(Refusal refusal) {
    return refused.get(refusal).sum();
  }
}
