package dev.sluice.kinesis.call;

import dev.sluice.kinesis.shard.Account;
import dev.sluice.kinesis.shard.ErrorType;
import dev.sluice.kinesis.shard.KinesisException;
import dev.sluice.kinesis.shard.StreamState;
import java.util.Collection;

/** How many open shards there may be in all streams together, since each takes a partition. */
final class ShardLimit {
  /** What AWS gives large regions is 20,000; a document of the table has room for as many. */
  static final int SHARDS = 20_000;

  private ShardLimit() {}

  static int open(Collection<StreamState> streams) {
    return streams.stream().mapToInt(stream -> stream.open().size()).sum();
  }

  static void check(Account account, Collection<StreamState> streams, long more) {
    int open = open(streams);
    if (more > 0 && open + more > SHARDS) {
      throw new KinesisException(
          ErrorType.LIMIT_EXCEEDED,
          "This request would exceed the shard limit for the account %s in %s. Current shard count for the account: %d. Limit: %d. Number of additional shards that would have resulted from this request: %d. Refer to the AWS Service Limits page (https://docs.aws.amazon.com/general/latest/gr/aws_service_limits.html) for current limits and how to request higher limits."
              .formatted(account.id(), account.region(), open, SHARDS, more));
    }
  }
}
