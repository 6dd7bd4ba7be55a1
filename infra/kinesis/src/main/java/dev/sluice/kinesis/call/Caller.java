package dev.sluice.kinesis.call;

/** Who calls, and for what. Thread-safe. */
public final class Caller {
  private final String requestId;
  private final String accessKey;
  private volatile String stream;
  private volatile long held;

  /**
   * @param requestId as the answer has it
   * @param accessKey of the key that signed the request; null if signatures aren't verified
   */
  public Caller(String requestId, String accessKey) {
    this.requestId = requestId;
    this.accessKey = accessKey;
  }

  public String requestId() {
    return requestId;
  }

  public String accessKey() {
    return accessKey;
  }

  /** The stream that the call is for, once it is known to be there; else null. */
  public String stream() {
    return stream;
  }

  void isFor(String name) {
    stream = name;
  }

  /** Bytes of {@link AnswerMemory} that the answer has, to be released once it has been sent. */
  public long held() {
    return held;
  }

  void holds(long bytes) {
    held = bytes;
  }
}
