package dev.sluice.kinesis.http;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.kinesis.shard.ErrorType;
import dev.sluice.kinesis.shard.KinesisException;
import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Clock;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Verifies requests that are signed by AWS's Signature Version 4, in a header or in the query, with
 * one of the keys it knows. Thread-safe.
 */
final class SignatureVerifier {
  private static final String ALGORITHM = "AWS4-HMAC-SHA256";
  private static final String TERMINATOR = "aws4_request";
  private static final Duration SKEW = Duration.ofMinutes(5);

  /** Longest life of a request that is signed in its query. */
  private static final long MAX_EXPIRES = 7 * 24 * 3600;

  private static final DateTimeFormatter BASIC =
      DateTimeFormatter.ofPattern("uuuuMMdd'T'HHmmss'Z'").withZone(ZoneOffset.UTC);

  private static final HexFormat HEX = HexFormat.of();

  private final Map<String, String> keys;
  private final String service;
  private final Clock clock;

  /**
   * @param keys the secret of each access key
   * @param service that requests must be meant for
   */
  SignatureVerifier(Map<String, String> keys, String service, Clock clock) {
    this.keys = Map.copyOf(keys);
    this.service = service;
    this.clock = clock;
  }

  /**
   * The access key that the request is signed with.
   *
   * @throws KinesisException in AWS's words, if it isn't
   */
  String verify(SignedRequest request, Authentication authentication) {
    String[] scope = authentication.credential().split("/");
    if (!authentication.algorithm().equals(ALGORITHM)
        || scope.length != 5
        || !scope[4].equals(TERMINATOR)) {
      throw new KinesisException(
          ErrorType.INCOMPLETE_SIGNATURE,
          "Credential must have exactly 5 slash-delimited elements, e.g."
              + " keyid/date/region/service/term, of "
              + ALGORITHM
              + ", got a signature of another"
              + " form");
    }
    if (!scope[3].equals(service)) {
      throw invalid("Credential should be scoped to correct service: '" + service + "'. ");
    }
    String secret = keys.get(scope[0]);
    if (secret == null) {
      throw new KinesisException(
          ErrorType.UNRECOGNIZED_CLIENT, "The security token included in the request is invalid.");
    }
    String date = checkTime(request, authentication, scope[1]);
    List<String> signed = checkHeaders(request, authentication.signedHeaders());
    String canonical = canonical(request, signed, authentication.inQuery());
    String toSign =
        String.join(
            "\n",
            ALGORITHM,
            date,
            String.join("/", scope[1], scope[2], scope[3], TERMINATOR),
            HEX.formatHex(sha256(ByteBuffer.wrap(canonical.getBytes(UTF_8)))));
    byte[] key = ("AWS4" + secret).getBytes(UTF_8);
    for (int i = 1; i < scope.length; i++) {
      key = hmac(key, scope[i]);
    }
    byte[] expected = HEX.formatHex(hmac(key, toSign)).getBytes(UTF_8);
    if (!MessageDigest.isEqual(expected, authentication.signature().getBytes(UTF_8))) {
      throw mismatch();
    }
    return scope[0];
  }

  /** The date as it is signed. */
  private String checkTime(SignedRequest request, Authentication authentication, String day) {
    Instant at;
    try {
      at =
          authentication.date() != null
              ? Instant.from(BASIC.parse(authentication.date()))
              : Instant.from(
                  DateTimeFormatter.RFC_1123_DATE_TIME.parse(
                      request.headers().values("date").get(0)));
    } catch (DateTimeException e) {
      throw new KinesisException(
          ErrorType.INCOMPLETE_SIGNATURE,
          "Date must be in ISO-8601 'basic format'. Got '" + authentication.date() + "'.");
    }
    String date = BASIC.format(at);
    if (!date.startsWith(day) || day.length() != 8) {
      throw invalid(
          "Date in Credential scope does not match YYYYMMDD from ISO-8601 version of date from"
              + " HTTP: '%s' != '%s', from '%s'.".formatted(day, date.substring(0, 8), date));
    }
    Instant now = clock.instant();
    Duration life =
        authentication.inQuery() && authentication.expires() >= 0
            ? Duration.ofSeconds(Math.min(MAX_EXPIRES, authentication.expires()))
            : SKEW;
    if (at.plus(life).isBefore(now)) {
      throw invalid(
          "Signature expired: %s is now earlier than %s (%s - %d min.)"
              .formatted(date, BASIC.format(now.minus(life)), BASIC.format(now), life.toMinutes()));
    }
    if (at.minus(SKEW).isAfter(now)) {
      throw invalid(
          "Signature not yet current: %s is still later than %s (%s + %d min.)"
              .formatted(date, BASIC.format(now.plus(SKEW)), BASIC.format(now), SKEW.toMinutes()));
    }
    return date;
  }

  /** The signed headers, among which must be all that say what is asked of whom. */
  private static List<String> checkHeaders(SignedRequest request, String signedHeaders) {
    List<String> signed = List.of(signedHeaders.split(";"));
    if (!signed.contains("host") && !signed.contains(":authority")) {
      throw invalid("'Host' or ':authority' must be a 'SignedHeader' in the AWS Authorization.");
    }
    for (String name : request.headers().names()) {
      if (name.startsWith("x-amz-") && !signed.contains(name)) {
        throw invalid("'" + name + "' must be a 'SignedHeader' in the AWS Authorization.");
      }
    }
    return signed;
  }

  private static String canonical(SignedRequest request, List<String> signed, boolean inQuery) {
    StringBuilder out = new StringBuilder(512);
    out.append(request.method()).append('\n');
    out.append(path(request.path())).append('\n');
    out.append(query(request.query(), inQuery)).append('\n');
    for (String name : new TreeSet<>(signed)) {
      List<String> values = request.headers().values(name);
      if (values.isEmpty()) {
        throw mismatch();
      }
      out.append(name).append(':');
      for (int i = 0; i < values.size(); i++) {
        out.append(i == 0 ? "" : ",").append(values.get(i).strip().replaceAll(" +", " "));
      }
      out.append('\n');
    }
    out.append('\n').append(String.join(";", new TreeSet<>(signed))).append('\n');
    return out.append(HEX.formatHex(sha256(request.body()))).toString();
  }

  /** Without dots and empty segments, encoded once more than it is. */
  private static String path(String path) {
    Deque<String> segments = new ArrayDeque<>();
    for (String segment : path.split("/")) {
      if (segment.equals("..")) {
        segments.pollLast();
      } else if (!segment.isEmpty() && !segment.equals(".")) {
        segments.addLast(encoded(segment));
      }
    }
    String joined = "/" + String.join("/", segments);
    return path.endsWith("/") && joined.length() > 1 ? joined + "/" : joined;
  }

  private static String query(String query, boolean inQuery) {
    if (query == null || query.isEmpty()) {
      return "";
    }
    List<String[]> parameters = new ArrayList<>();
    for (String parameter : query.split("&")) {
      int equals = parameter.indexOf('=');
      String name = equals < 0 ? parameter : parameter.substring(0, equals);
      String value = equals < 0 ? "" : parameter.substring(equals + 1);
      if (!(inQuery && name.equals("X-Amz-Signature"))) {
        parameters.add(
            new String[] {
              encoded(Authentication.decoded(name)), encoded(Authentication.decoded(value))
            });
      }
    }
    parameters.sort((a, b) -> a[0].equals(b[0]) ? a[1].compareTo(b[1]) : a[0].compareTo(b[0]));
    return String.join("&", parameters.stream().map(p -> p[0] + "=" + p[1]).toList());
  }

  /** All bytes but letters, digits and {@code -_.~} by their numbers. */
  private static String encoded(String text) {
    StringBuilder out = new StringBuilder(text.length());
    for (byte b : text.getBytes(UTF_8)) {
      char c = (char) (b & 0xff);
      boolean plain =
          (c >= 'a' && c <= 'z')
              || (c >= 'A' && c <= 'Z')
              || (c >= '0' && c <= '9')
              || "-_.~".indexOf(c) >= 0;
      if (plain) {
        out.append(c);
      } else {
        out.append('%').append(HEX.withUpperCase().toHexDigits(b));
      }
    }
    return out.toString();
  }

  private static byte[] sha256(ByteBuffer bytes) {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      digest.update(bytes.duplicate());
      return digest.digest();
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  private static byte[] hmac(byte[] key, String text) {
    try {
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(new SecretKeySpec(key, "HmacSHA256"));
      return mac.doFinal(text.getBytes(UTF_8));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  private static KinesisException invalid(String message) {
    return new KinesisException(ErrorType.INVALID_SIGNATURE, message);
  }

  private static KinesisException mismatch() {
    return invalid(
        "The request signature we calculated does not match the signature you provided. Check your"
            + " AWS Secret Access Key and signing method. Consult the service documentation for"
            + " details.");
  }
}
