package dev.sluice.query;

import dev.sluice.query.QueryException.Kind;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.IntPredicate;
import java.util.function.Supplier;

/**
 * Brings a question to whoever owns the partition: a call in this process when it is the owner,
 * else over the internal port; and asks again, for as long as the caller may wait, while the
 * partition moves. Thread-safe.
 */
final class Routing {
  private static final long FIRST_PAUSE_MILLIS = 10;
  private static final long LONGEST_PAUSE_MILLIS = 160;

  private final IntPredicate ownedHere;
  private final Owners owners;
  private final boolean asksOthers;

  /**
   * @param asksOthers whether there is anyone to ask; if not all is answered here
   */
  Routing(IntPredicate ownedHere, Owners owners, boolean asksOthers) {
    this.ownedHere = ownedHere;
    this.owners = owners;
    this.asksOthers = asksOthers;
  }

  Owners owners() {
    return owners;
  }

  <T> CompletableFuture<T> ask(
      int partition,
      long deadlineNanos,
      Supplier<CompletableFuture<T>> here,
      Function<Address, CompletableFuture<T>> there) {
    Supplier<CompletableFuture<T>> ask = () -> route(partition, here, there);
    CompletableFuture<T> first = ask.get();
    if (first.isDone() && !first.isCompletedExceptionally()) {
      return first;
    }
    return again(first, deadlineNanos, FIRST_PAUSE_MILLIS, ask);
  }

  private <T> CompletableFuture<T> route(
      int partition,
      Supplier<CompletableFuture<T>> here,
      Function<Address, CompletableFuture<T>> there) {
    if (!asksOthers || ownedHere.test(partition)) {
      return here.get();
    }
    Address owner = owners.all().get(partition);
    if (owner == null) {
      owners.refresh();
      return CompletableFuture.failedFuture(
          new QueryException(Kind.MOVING, "partition " + partition + " has no known owner"));
    }
    return there
        .apply(owner)
        .whenComplete(
            (answer, failure) -> {
              if (failure != null && isMoving(failure)) {
                owners.refresh();
              }
            });
  }

  private static <T> CompletableFuture<T> again(
      CompletableFuture<T> asked,
      long deadlineNanos,
      long pauseMillis,
      Supplier<CompletableFuture<T>> ask) {
    return asked.exceptionallyCompose(
        failure -> {
          long next = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(pauseMillis);
          if (!isMoving(failure) || next - deadlineNanos > 0) {
            return CompletableFuture.failedFuture(cause(failure));
          }
          Executor later = CompletableFuture.delayedExecutor(pauseMillis, TimeUnit.MILLISECONDS);
          return again(
              CompletableFuture.runAsync(() -> {}, later).thenCompose(paused -> ask.get()),
              deadlineNanos,
              Math.min(2 * pauseMillis, LONGEST_PAUSE_MILLIS),
              ask);
        });
  }

  private static boolean isMoving(Throwable failure) {
    return cause(failure) instanceof QueryException refused
        && (refused.kind() == Kind.MOVING || refused.kind() == Kind.UNREACHABLE);
  }

  static Throwable cause(Throwable failure) {
    return failure instanceof CompletionException && failure.getCause() != null
        ? failure.getCause()
        : failure;
  }
}
