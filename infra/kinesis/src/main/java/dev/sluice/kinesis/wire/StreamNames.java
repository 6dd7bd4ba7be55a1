package dev.sluice.kinesis.wire;

import dev.sluice.kinesis.shard.Account;
import dev.sluice.kinesis.shard.ErrorType;
import dev.sluice.kinesis.shard.KinesisException;

/**
 * Which stream or consumer an input names.
 *
 * @param account whose streams can be named
 */
public record StreamNames(Account account) {
  private static final String STREAM = ":stream/";
  private static final String CONSUMER = "/consumer/";
  private static final int MAX_SECONDS_DIGITS = 18;

  /** A consumer as its ARN has it. */
  public record ConsumerName(String stream, String name, long createdSeconds) {}

  /**
   * The name of the stream that an input names by StreamName, StreamARN or both.
   *
   * @throws KinesisException if it names none, two, or one of another account or region
   */
  public String stream(Input input) {
    String name = input.text("StreamName");
    String arn = input.text("StreamARN");
    if (arn == null) {
      if (name == null) {
        throw new KinesisException(
            ErrorType.INVALID_ARGUMENT, "Either StreamName or StreamARN must be provided.");
      }
      return name;
    }
    String named = stream(arn);
    if (name != null && !name.equals(named)) {
      throw new KinesisException(
          ErrorType.INVALID_ARGUMENT, "StreamName and StreamARN name different streams.");
    }
    return named;
  }

  /**
   * The name of the stream of an ARN that is one by its form.
   *
   * @throws KinesisException if it is of another account or region
   */
  public String stream(String arn) {
    String name = arn.substring(arn.indexOf(STREAM) + STREAM.length());
    if (!arn.equals(account.streamArn(name))) {
      throw new KinesisException(
          ErrorType.RESOURCE_NOT_FOUND,
          "Stream " + name + " under account " + arn.split(":")[4] + " not found.");
    }
    return name;
  }

  /**
   * The consumer of an ARN that is one by its form.
   *
   * @throws KinesisException if it is of another account or region
   */
  public ConsumerName consumer(String arn) {
    int at = arn.indexOf(CONSUMER);
    int colon = arn.lastIndexOf(':');
    String stream = stream(arn.substring(0, at));
    String seconds = arn.substring(colon + 1);
    if (seconds.length() > MAX_SECONDS_DIGITS) {
      throw account.noConsumer(arn);
    }
    return new ConsumerName(
        stream, arn.substring(at + CONSUMER.length(), colon), Long.parseLong(seconds));
  }

  /** Whether the ARN, which is one by its form, is a consumer's. */
  public static boolean isConsumer(String arn) {
    return Names.isConsumerArn(arn);
  }
}
