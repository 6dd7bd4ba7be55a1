package dev.sluice.notifier.push;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.BiConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Brings the answers of queries to their receivers, on threads that serve only that. */
final class AnswerDelivery {
  private static final Logger LOG = LoggerFactory.getLogger(AnswerDelivery.class);

  private final Executor workers;

  AnswerDelivery(Executor workers) {
    this.workers = workers;
  }

  /** Gives {@code receiver} the answer or the failure; what it throws is logged. */
  <T> void deliver(CompletableFuture<T> answer, BiConsumer<T, Throwable> receiver) {
    var unused =
        answer
            .whenCompleteAsync(receiver, workers)
            .exceptionally(
                failure -> {
                  if (!answer.isCompletedExceptionally()) {
                    LOG.error("An answer could not be delivered", failure);
                  }
                  return null;
                });
  }
}
