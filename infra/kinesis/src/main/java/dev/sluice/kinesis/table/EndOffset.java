package dev.sluice.kinesis.table;

import dev.sluice.kinesis.shard.KinesisException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.ListOffsetsResult.ListOffsetsResultInfo;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.TopicPartition;

/**
 * Where a partition ends. Any number may ask at once: one question to the broker serves all who
 * asked before it began. Thread-safe.
 */
public final class EndOffset {
  /** When a broker that doesn't answer is given up. */
  public static final Duration TIMEOUT = Duration.ofSeconds(5);

  private final Admin admin;
  private final TopicPartition partition;
  private final IsolationLevel isolation;
  private boolean asking;

  /** For those who came while a question was under way; null if none has. */
  private CompletableFuture<Long> next;

  /**
   * @param isolation with READ_COMMITTED, the end is where the first open transaction begins
   */
  public EndOffset(Admin admin, TopicPartition partition, IsolationLevel isolation) {
    this.admin = admin;
    this.partition = partition;
    this.isolation = isolation;
  }

  /**
   * The end, as it is after this call began.
   *
   * @return completed on the admin client's thread, which must not be kept; fails with {@link
   *     KinesisException} when Kafka can't be asked
   */
  public CompletableFuture<Long> ask() {
    CompletableFuture<Long> mine;
    synchronized (this) {
      if (next == null) {
        next = new CompletableFuture<>();
      }
      mine = next;
      if (asking) {
        return mine;
      }
      asking = true;
      next = null;
    }
    send(mine);
    return mine;
  }

  private void send(CompletableFuture<Long> answer) {
    try {
      var unused =
          admin
              .listOffsets(
                  Map.of(partition, OffsetSpec.latest()),
                  new ListOffsetsOptions(isolation).timeoutMs((int) TIMEOUT.toMillis()))
              .partitionResult(partition)
              .whenComplete((info, failure) -> answered(answer, info, failure));
    } catch (IllegalStateException closed) {
      answered(answer, null, closed);
    }
  }

  private void answered(
      CompletableFuture<Long> answer, ListOffsetsResultInfo info, Throwable failure) {
    CompletableFuture<Long> others;
    synchronized (this) {
      others = next;
      next = null;
      asking = others != null;
    }
    if (others != null) {
      send(others);
    }
    if (failure == null) {
      answer.complete(info.offset());
    } else {
      answer.completeExceptionally(
          KinesisException.unavailable("Kafka doesn't say where " + partition + " ends."));
    }
  }
}
