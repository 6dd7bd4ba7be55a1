package dev.sluice.kinesis.shard;

/** A request is refused, in AWS's words. Carries no stack: it is an answer, not a fault. */
public final class KinesisException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final ErrorType type;

  public KinesisException(ErrorType type, String message) {
    super(message, null, false, false);
    this.type = type;
  }

  /** Kafka can't be asked now: the request may be made again. */
  public static KinesisException unavailable(String why) {
    return new KinesisException(ErrorType.SERVICE_UNAVAILABLE, why);
  }

  public ErrorType type() {
    return type;
  }
}
