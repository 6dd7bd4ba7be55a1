package dev.sluice.kinesis.shard;

/** What an answer's {@code __type} can be, as AWS names it. */
public enum ErrorType {
  ACCESS_DENIED("AccessDeniedException"),
  EXPIRED_ITERATOR("ExpiredIteratorException"),
  EXPIRED_NEXT_TOKEN("ExpiredNextTokenException"),
  INCOMPLETE_SIGNATURE("IncompleteSignatureException"),
  INTERNAL_FAILURE("InternalFailure", 500),
  INVALID_ARGUMENT("InvalidArgumentException"),
  INVALID_SIGNATURE("InvalidSignatureException"),
  LIMIT_EXCEEDED("LimitExceededException"),
  MISSING_AUTHENTICATION_TOKEN("MissingAuthenticationTokenException"),
  PROVISIONED_THROUGHPUT_EXCEEDED("ProvisionedThroughputExceededException"),
  REQUEST_ENTITY_TOO_LARGE("RequestEntityTooLargeException", 413),
  RESOURCE_IN_USE("ResourceInUseException"),
  RESOURCE_NOT_FOUND("ResourceNotFoundException"),
  SERIALIZATION("SerializationException"),
  SERVICE_UNAVAILABLE("ServiceUnavailableException", 503),
  UNKNOWN_OPERATION("UnknownOperationException"),
  UNRECOGNIZED_CLIENT("UnrecognizedClientException"),
  VALIDATION("ValidationException");

  private final String text;
  private final int status;

  ErrorType(String text) {
    this(text, 400);
  }

  ErrorType(String text, int status) {
    this.text = text;
    this.status = status;
  }

  /** As it stands in an answer. */
  public String text() {
    return text;
  }

  /** HTTP status of the answer. */
  public int status() {
    return status;
  }
}
