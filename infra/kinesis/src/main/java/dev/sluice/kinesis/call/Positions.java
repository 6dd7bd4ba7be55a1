package dev.sluice.kinesis.call;

import dev.sluice.kinesis.log.ShardReader;
import dev.sluice.kinesis.shard.Account;
import dev.sluice.kinesis.shard.ErrorType;
import dev.sluice.kinesis.shard.KinesisException;
import dev.sluice.kinesis.shard.SequenceNumber;
import dev.sluice.kinesis.shard.Shard;
import dev.sluice.kinesis.shard.StreamState;
import java.time.Clock;

/** Where in a shard a reader asks to begin. Thread-safe. */
final class Positions {
  private final ShardReader reader;
  private final Account account;
  private final Clock clock;

  Positions(ShardReader reader, Account account, Clock clock) {
    this.reader = reader;
    this.account = account;
    this.clock = clock;
  }

  /**
   * A shard of a stream that can be read.
   *
   * @throws KinesisException if it isn't there, or no longer
   */
  Shard shard(StreamState stream, String id) {
    int number = Shard.number(id);
    if (number == Shard.NONE) {
      throw account.noShard(stream.name(), id);
    }
    return shard(stream, number);
  }

  Shard shard(StreamState stream, int number) {
    return stream
        .shard(number)
        .filter(shard -> stream.isVisible(shard, clock.millis()))
        .orElseThrow(() -> account.shardGone(stream.name(), Shard.id(number)));
  }

  /**
   * The offset to begin at; may ask Kafka, and blocks then.
   *
   * @param type of iterator
   * @param sequenceNumber null if none is given
   * @param timestamp in milliseconds since the epoch; null if none is given
   */
  long offset(StreamState stream, Shard shard, String type, String sequenceNumber, Long timestamp) {
    boolean bySequenceNumber = type.endsWith("_SEQUENCE_NUMBER");
    if (bySequenceNumber != (sequenceNumber != null)) {
      throw new KinesisException(
          ErrorType.INVALID_ARGUMENT,
          "Must either specify (1) AT_SEQUENCE_NUMBER or AFTER_SEQUENCE_NUMBER and StartingSequenceNumber or (2) TRIM_HORIZON or LATEST and no StartingSequenceNumber. Request specified %s and %s StartingSequenceNumber."
              .formatted(type, bySequenceNumber ? "no" : "also a"));
    }
    return switch (type) {
      case "AT_SEQUENCE_NUMBER" -> shard.offset(sequenceNumber(stream, shard, sequenceNumber));
      case "AFTER_SEQUENCE_NUMBER" ->
          shard.offsetAfter(sequenceNumber(stream, shard, sequenceNumber));
      case "AT_TIMESTAMP" -> reader.at(stream, shard, time(timestamp));
      case "LATEST" -> reader.latest(stream, shard);
      default -> shard.start();
    };
  }

  private long time(Long timestamp) {
    if (timestamp == null) {
      throw new KinesisException(
          ErrorType.INVALID_ARGUMENT,
          "Must specify timestampInMillis parameter for iterator of type AT_TIMESTAMP. Current request has no timestamp parameter.");
    }
    long now = clock.millis();
    if (timestamp > now) {
      throw new KinesisException(
          ErrorType.INVALID_ARGUMENT,
          "The timestampInMillis parameter cannot be greater than the currentTimestampInMillis. timestampInMillis: %d, currentTimestampInMillis: %d"
              .formatted(timestamp, now));
    }
    return timestamp;
  }

  private SequenceNumber sequenceNumber(StreamState stream, Shard shard, String text) {
    SequenceNumber number;
    try {
      number = SequenceNumber.parse(text);
    } catch (IllegalArgumentException e) {
      throw invalid(stream, shard, text, ".");
    }
    if (number.shard() != shard.number()) {
      throw new KinesisException(
          ErrorType.INVALID_ARGUMENT,
          "Invalid StartingSequenceNumber. It encodes %s, while it was used in a call to a shard with %s"
              .formatted(Shard.id(number.shard()), shard.id()));
    }
    if (!shard.has(number) || isBeyond(stream, shard, number)) {
      throw invalid(stream, shard, text, " because it did not come from this stream.");
    }
    return number;
  }

  /**
   * Whether a number names what no record has yet. Of a stream of others that isn't known, since
   * its records may stand behind a transaction under way.
   */
  private boolean isBeyond(StreamState stream, Shard shard, SequenceNumber number) {
    return !stream.isOfOthers()
        && !number.equals(shard.endingSequenceNumber())
        && number.index() > reader.latest(stream, shard);
  }

  private KinesisException invalid(StreamState stream, Shard shard, String text, String why) {
    return new KinesisException(
        ErrorType.INVALID_ARGUMENT,
        "StartingSequenceNumber %s used in GetShardIterator on shard %s in stream %s under account %s is invalid%s"
            .formatted(text, shard.id(), stream.name(), account.id(), why));
  }
}
