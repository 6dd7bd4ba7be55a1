package dev.sluice.kinesis.call;

import dev.sluice.kinesis.wire.Answer;
import dev.sluice.kinesis.wire.Input;
import java.util.concurrent.CompletableFuture;

/** One that answers at once. Thread-safe. */
@FunctionalInterface
public interface Operation {
  /**
   * @param input satisfies the service model
   * @return the answer; a refusal is a {@link dev.sluice.kinesis.shard.KinesisException}, thrown or
   *     as how it completes
   */
  CompletableFuture<Answer> call(Input input, Caller caller);
}
