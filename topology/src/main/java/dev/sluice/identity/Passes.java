package dev.sluice.identity;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import dev.sluice.contract.Ids;
import dev.sluice.identity.PassCheck.Refusal;
import java.io.IOException;
import java.util.Base64;
import java.util.HashMap;
import java.util.Map;

/**
 * Signs and checks admission passes: JWTs (EdDSA) with {@code sub} = requestId, {@code room},
 * {@code ticket} and {@code exp}. Thread-safe.
 */
public final class Passes {
  /** Longest pass looked at, in characters; the longest ever signed has under 700. */
  private static final int MAX_CHARS = 1024;

  private static final JsonFactory JSON = new JsonFactory();
  private static final Base64.Encoder ENCODER = Base64.getUrlEncoder().withoutPadding();

  private final PassKey key;
  private final String encodedHeader;

  public Passes(PassKey key) {
    this.key = key;
    this.encodedHeader = encode("{\"alg\":\"EdDSA\",\"typ\":\"JWT\",\"kid\":\"" + key.id() + "\"}");
  }

  /**
   * A pass for the place that {@code requestId} holds in {@code roomId}.
   *
   * @param expiresAt end of the place, milliseconds since the epoch; the pass ends at the last full
   *     second before, or at it
   * @throws IllegalArgumentException if an identifier is invalid
   */
  public String sign(String requestId, String roomId, long ticket, long expiresAt) {
    if (!Ids.isValid(requestId) || !Ids.isValid(roomId)) {
      throw new IllegalArgumentException("a pass needs valid identifiers");
    }
    String claims =
        "{\"sub\":\""
            + requestId
            + "\",\"room\":\""
            + roomId
            + "\",\"ticket\":"
            + ticket
            + ",\"exp\":"
            + Math.floorDiv(expiresAt, 1000L)
            + "}";
    String message = encodedHeader + "." + encode(claims);
    return message + "." + ENCODER.encodeToString(key.sign(message.getBytes(UTF_8)));
  }

  /** The public keys that check passes, as a JSON Web Key Set. */
  public String jwks() {
    return "{\"keys\":[" + key.toJwk() + "]}";
  }

  /**
   * Checks {@code pass} for {@code roomId}.
   *
   * @param now milliseconds since the epoch; at {@code exp} the pass has expired
   */
  public PassCheck verify(String pass, String roomId, long now) {
    if (pass == null || pass.length() > MAX_CHARS) {
      return new PassCheck.Refused(Refusal.GARBAGE);
    }
    String[] parts = pass.split("\\.", -1);
    if (parts.length != 3) {
      return new PassCheck.Refused(Refusal.GARBAGE);
    }
    try {
      Map<String, Object> header = flatObject(decode(parts[0]));
      byte[] claimed = decode(parts[1]);
      byte[] signed = decode(parts[2]);
      if (!"EdDSA".equals(header.get("alg"))) {
        return new PassCheck.Refused(Refusal.GARBAGE);
      }
      Map<String, Object> claims = flatObject(claimed);
      byte[] message = (parts[0] + "." + parts[1]).getBytes(UTF_8);
      if (!key.id().equals(header.get("kid")) || !key.verify(message, signed)) {
        return new PassCheck.Refused(Refusal.WRONG_SIGNATURE);
      }
      return judge(claims, roomId, now);
    } catch (IOException | IllegalArgumentException | ArithmeticException | ClassCastException e) {
      return new PassCheck.Refused(Refusal.GARBAGE);
    }
  }

  private static PassCheck judge(Map<String, Object> claims, String roomId, long now)
      throws IOException {
    String sub = (String) claims.get("sub");
    String room = (String) claims.get("room");
    Long ticket = (Long) claims.get("ticket");
    Long exp = (Long) claims.get("exp");
    if (sub == null || room == null || ticket == null || exp == null) {
      throw new IOException("a claim is missing");
    }
    if (!room.equals(roomId)) {
      return new PassCheck.Refused(Refusal.OTHER_ROOM);
    }
    long expiresAt = Math.multiplyExact(exp.longValue(), 1000L);
    return now >= expiresAt
        ? new PassCheck.Refused(Refusal.EXPIRED)
        : new PassCheck.Valid(sub, room, ticket, expiresAt);
  }

  /** An object of text and whole numbers, nothing else. */
  private static Map<String, Object> flatObject(byte[] json) throws IOException {
    Map<String, Object> members = new HashMap<>();
    try (JsonParser parser = JSON.createParser(json)) {
      if (parser.nextToken() != JsonToken.START_OBJECT) {
        throw new IOException("no object");
      }
      while (parser.nextToken() == JsonToken.FIELD_NAME) {
        String name = parser.currentName();
        JsonToken value = parser.nextToken();
        if (value == JsonToken.VALUE_STRING) {
          members.put(name, parser.getText());
        } else if (value == JsonToken.VALUE_NUMBER_INT) {
          members.put(name, parser.getLongValue());
        } else {
          throw new IOException("neither text nor a whole number");
        }
      }
      if (parser.currentToken() != JsonToken.END_OBJECT || parser.nextToken() != null) {
        throw new IOException("more than an object");
      }
    }
    return members;
  }

  private static String encode(String json) {
    return ENCODER.encodeToString(json.getBytes(UTF_8));
  }

  /** Refuses what encodes to another text than it was decoded from. */
  private static byte[] decode(String part) throws IOException {
    byte[] bytes = Base64.getUrlDecoder().decode(part);
    if (part.isEmpty() || !ENCODER.encodeToString(bytes).equals(part)) {
      throw new IOException("no base64url");
    }
    return bytes;
  }
}
