package dev.sluice.api.problem;

/**
 * What is wrong with one field of a request.
 *
 * @param field as the caller named it
 */
public record FieldError(String field, String message) {}
