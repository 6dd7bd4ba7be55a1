package dev.sluice.kinesis.call;

/**
 * Who calls.
 *
 * @param requestId as the answer has it
 * @param accessKey of the key that signed the request; null if signatures aren't verified
 */
public record Caller(String requestId, String accessKey) {}
