package dev.sluice.kinesis.call;

import dev.sluice.kinesis.wire.Input;
import java.util.concurrent.CompletableFuture;

/** Answers with events, for minutes. Thread-safe. */
@FunctionalInterface
public interface SubscribeOperation {
  /** Begins a subscription, or refuses as {@link Operation#call} does. */
  CompletableFuture<Subscription> subscribe(Input input, Caller caller);
}
