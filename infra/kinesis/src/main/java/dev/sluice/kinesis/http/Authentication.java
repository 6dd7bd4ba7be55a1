package dev.sluice.kinesis.http;

import dev.sluice.kinesis.shard.ErrorType;
import dev.sluice.kinesis.shard.KinesisException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What a request says of who signed it, in its header or its query: complete, but not verified.
 *
 * @param credential the scope with its key
 * @param signedHeaders their names
 * @param date when it was signed, as it was written; null if the Date header says it
 * @param expires seconds after the date; -1 if the request doesn't say
 * @param inQuery whether the query says it
 */
record Authentication(
    String algorithm,
    String credential,
    String signedHeaders,
    String signature,
    String date,
    long expires,
    boolean inQuery) {
  private static final List<String> HEADER_PARTS =
      List.of("Credential", "Signature", "SignedHeaders");
  private static final List<String> QUERY_PARTS =
      List.of(
          "X-Amz-Algorithm",
          "X-Amz-Credential",
          "X-Amz-Signature",
          "X-Amz-SignedHeaders",
          "X-Amz-Date");
  private static final int MAX_EXPIRES_DIGITS = 6;

  /**
   * @throws KinesisException in AWS's words, if there is none or a part is missing
   */
  static Authentication of(SignedRequest request) {
    List<String> headers = request.headers().values("authorization");
    String header = headers.isEmpty() ? null : headers.get(0);
    Map<String, String> query = parameters(request.query());
    boolean inQuery = query.containsKey("X-Amz-Algorithm");
    if (header != null && inQuery) {
      throw new KinesisException(
          ErrorType.INVALID_SIGNATURE,
          "Found both 'X-Amz-Algorithm' as a query-string param and 'Authorization' as HTTP"
              + " header.");
    }
    if (header == null && !inQuery) {
      throw new KinesisException(
          ErrorType.MISSING_AUTHENTICATION_TOKEN, "Missing Authentication Token");
    }
    return inQuery ? ofQuery(query) : ofHeader(header, request.headers());
  }

  private static Authentication ofHeader(String header, SignedRequest.Headers headers) {
    Map<String, String> parts = new HashMap<>();
    String[] words = header.split("[, ]+");
    for (int i = 1; i < words.length; i++) {
      int equals = words[i].indexOf('=');
      if (equals > 0) {
        parts.put(words[i].substring(0, equals), words[i].substring(equals + 1));
      }
    }
    StringBuilder missing = new StringBuilder();
    for (String part : HEADER_PARTS) {
      if (parts.getOrDefault(part, "").isEmpty()) {
        missing.append("Authorization header requires '").append(part).append("' parameter. ");
      }
    }
    List<String> date = headers.values("x-amz-date");
    if (date.isEmpty() && headers.values("date").isEmpty()) {
      missing.append(
          "Authorization header requires existence of either a 'X-Amz-Date' or a 'Date' header. ");
    }
    if (missing.length() > 0) {
      throw new KinesisException(
          ErrorType.INCOMPLETE_SIGNATURE, missing + "Authorization=" + header);
    }
    return new Authentication(
        words[0],
        parts.get("Credential"),
        parts.get("SignedHeaders"),
        parts.get("Signature"),
        date.isEmpty() ? null : date.get(0),
        -1,
        false);
  }

  private static Authentication ofQuery(Map<String, String> query) {
    StringBuilder missing = new StringBuilder();
    for (String part : QUERY_PARTS) {
      if (query.getOrDefault(part, "").isEmpty()) {
        missing.append("AWS query-string parameters must include '").append(part).append("'. ");
      }
    }
    if (missing.length() > 0) {
      throw new KinesisException(
          ErrorType.INCOMPLETE_SIGNATURE, missing + "Re-examine the query-string parameters.");
    }
    String expires = query.get("X-Amz-Expires");
    return new Authentication(
        query.get("X-Amz-Algorithm"),
        query.get("X-Amz-Credential"),
        query.get("X-Amz-SignedHeaders"),
        query.get("X-Amz-Signature"),
        query.get("X-Amz-Date"),
        expires != null && expires.matches("[0-9]{1," + MAX_EXPIRES_DIGITS + "}")
            ? Long.parseLong(expires)
            : -1,
        true);
  }

  /** The first value of each parameter of a query. */
  private static Map<String, String> parameters(String query) {
    Map<String, String> parameters = new HashMap<>();
    if (query != null) {
      for (String parameter : query.split("&")) {
        int equals = parameter.indexOf('=');
        String name = equals < 0 ? parameter : parameter.substring(0, equals);
        parameters.putIfAbsent(
            decoded(name), equals < 0 ? "" : decoded(parameter.substring(equals + 1)));
      }
    }
    return parameters;
  }

  /** Without its percent signs; as it is if they are wrong. */
  static String decoded(String text) {
    try {
      return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
    } catch (IllegalArgumentException e) {
      return text;
    }
  }
}
