package dev.sluice.kinesis.wire;

import dev.sluice.kinesis.shard.ErrorType;
import dev.sluice.kinesis.shard.KinesisException;

/**
 * Whose streams these are, as resource names say.
 *
 * @param region like {@code us-east-1}
 * @param id twelve digits
 */
public record Account(String region, String id) {
  private static final String STREAM = ":stream/";
  private static final String CONSUMER = "/consumer/";

  public Account {
    if (!id.matches("[0-9]{12}")) {
      throw new IllegalArgumentException("an account has twelve digits, not '" + id + "'");
    }
    if (!region.matches("[a-z0-9-]{1,32}")) {
      throw new IllegalArgumentException("there is no region '" + region + "'");
    }
  }

  /** A consumer as its ARN has it. */
  public record Consumer(String stream, String name, long createdSeconds) {}

  /** The ARN of a stream. */
  public String arn(String stream) {
    return "arn:aws:kinesis:" + region + ":" + id + STREAM + stream;
  }

  /** The ARN of a consumer. */
  public String arn(Consumer consumer) {
    return arn(consumer.stream) + CONSUMER + consumer.name + ":" + consumer.createdSeconds;
  }

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
    if (!arn.equals(arn(name))) {
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
  public Consumer consumer(String arn) {
    int at = arn.indexOf(CONSUMER);
    int colon = arn.lastIndexOf(':');
    String stream = stream(arn.substring(0, at));
    String seconds = arn.substring(colon + 1);
    if (seconds.length() > 18) {
      throw new KinesisException(
          ErrorType.RESOURCE_NOT_FOUND, "Consumer " + arn + " under account " + id + " not found.");
    }
    return new Consumer(
        stream, arn.substring(at + CONSUMER.length(), colon), Long.parseLong(seconds));
  }

  /** Whether the ARN, which is one by its form, is a consumer's. */
  public static boolean isConsumer(String arn) {
    return Names.isConsumerArn(arn);
  }
}
