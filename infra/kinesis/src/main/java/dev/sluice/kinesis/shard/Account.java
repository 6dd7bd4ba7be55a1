package dev.sluice.kinesis.shard;

/**
 * Whose streams these are, as names of resources and refusals say.
 *
 * @param region such as {@code us-east-1}
 * @param id twelve digits
 */
public record Account(String region, String id) {
  public static final Account DEFAULT = new Account("us-east-1", "000000000000");

  public Account {
    if (!id.matches("[0-9]{12}")) {
      throw new IllegalArgumentException("an account has twelve digits, not '" + id + "'");
    }
    if (!region.matches("[a-z0-9-]{1,32}")) {
      throw new IllegalArgumentException("there is no region '" + region + "'");
    }
  }

  public String streamArn(String stream) {
    return "arn:aws:kinesis:" + region + ":" + id + ":stream/" + stream;
  }

  public String consumerArn(String stream, Consumer consumer) {
    return streamArn(stream) + "/consumer/" + consumer.name() + ":" + consumer.created() / 1_000;
  }

  /** That there is no such stream. */
  public KinesisException noStream(String stream) {
    return new KinesisException(
        ErrorType.RESOURCE_NOT_FOUND,
        "Stream %s under account %s not found.".formatted(stream, id));
  }

  /** That there is such a stream already. */
  public KinesisException streamExists(String stream) {
    return new KinesisException(
        ErrorType.RESOURCE_IN_USE,
        "Stream %s under account %s already exists.".formatted(stream, id));
  }

  /**
   * That a stream of others can't be changed: as if a policy said so, since clients try again after
   * any error that speaks of a state.
   */
  public KinesisException isOfOthers(StreamState stream) {
    return new KinesisException(
        ErrorType.ACCESS_DENIED,
        "Stream %s under account %s stands for the topic %s. It can't be deleted or changed here."
            .formatted(stream.name(), id, stream.topic()));
  }

  /** That nothing can be put into a stream of others. */
  public KinesisException readOnly(StreamState stream) {
    return new KinesisException(
        ErrorType.ACCESS_DENIED,
        "Stream %s under account %s stands for the topic %s. It can only be read here."
            .formatted(stream.name(), id, stream.topic()));
  }

  /** That a stream has no such shard. */
  public KinesisException noShard(String stream, String shard) {
    return new KinesisException(
        ErrorType.RESOURCE_NOT_FOUND,
        "Could not find shard %s in stream %s under account %s.".formatted(shard, stream, id));
  }

  /** That a shard isn't there to be read, or its stream isn't. */
  public KinesisException shardGone(String stream, String shard) {
    return new KinesisException(
        ErrorType.RESOURCE_NOT_FOUND,
        "Shard %s in stream %s under account %s does not exist".formatted(shard, stream, id));
  }

  /** That there is no such consumer. */
  public KinesisException noConsumer(String consumer) {
    return new KinesisException(
        ErrorType.RESOURCE_NOT_FOUND, "Consumer %s, account %s not found.".formatted(consumer, id));
  }

  KinesisException notActive(StreamState stream) {
    return new KinesisException(
        ErrorType.RESOURCE_IN_USE,
        "Stream %s under account %s not ACTIVE, instead in state %s"
            .formatted(stream.name(), id, stream.status()));
  }

  /** That a change needs a stream of provisioned shards. */
  KinesisException onDemand(StreamState stream) {
    return new KinesisException(
        ErrorType.VALIDATION,
        "Request is invalid. Stream %s under account %s is in On-Demand mode."
            .formatted(stream.name(), id));
  }
}
