package dev.sluice.bench;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.time.Instant;

/**
 * What an admission call said of a person. Numbers that aren't there are -1, texts null.
 *
 * @param estimatedWaitSeconds -1 while unknown
 * @param pollMillis the polling interval that the server recommends
 * @param expiresAt end of an ADMITTED place, milliseconds since the epoch
 * @param enteredAt time of the receipt, milliseconds since the epoch
 */
public record PersonAnswer(
    String status,
    long ticket,
    long rank,
    long totalWaiting,
    long estimatedWaitSeconds,
    long pollMillis,
    String version,
    String sessionId,
    long expiresAt,
    long enteredAt) {
  private static final JsonFactory JSON = new JsonFactory();

  /**
   * @throws IOException if {@code body} isn't a JSON object
   */
  public static PersonAnswer read(String body) throws IOException {
    String status = null;
    String version = null;
    String sessionId = null;
    long ticket = -1;
    long rank = -1;
    long totalWaiting = -1;
    long estimate = -1;
    long poll = -1;
    long expiresAt = -1;
    long enteredAt = -1;
    try (JsonParser json = JSON.createParser(body)) {
      if (json.nextToken() != JsonToken.START_OBJECT) {
        throw new IOException("not a JSON object");
      }
      String field = json.nextFieldName();
      while (field != null) {
        JsonToken value = json.nextToken();
        if (value == JsonToken.VALUE_NUMBER_INT) {
          switch (field) {
            case "ticket" -> ticket = json.getLongValue();
            case "rank" -> rank = json.getLongValue();
            case "totalWaiting" -> totalWaiting = json.getLongValue();
            case "estimatedWaitSeconds" -> estimate = json.getLongValue();
            case "recommendedPollingInterval" -> poll = json.getLongValue();
            default -> {}
          }
        } else if (value == JsonToken.VALUE_STRING) {
          switch (field) {
            case "status" -> status = json.getText();
            case "version" -> version = json.getText();
            case "sessionId" -> sessionId = json.getText();
            case "expiresAt" -> expiresAt = Instant.parse(json.getText()).toEpochMilli();
            default -> {}
          }
        } else if (field.equals("receipt") && value == JsonToken.START_OBJECT) {
          enteredAt = timeOf(json);
        } else {
          json.skipChildren();
        }
        field = json.nextFieldName();
      }
    }
    return new PersonAnswer(
        status,
        ticket,
        rank,
        totalWaiting,
        estimate,
        poll,
        version,
        sessionId,
        expiresAt,
        enteredAt);
  }

  private static long timeOf(JsonParser receipt) throws IOException {
    long at = -1;
    String field = receipt.nextFieldName();
    while (field != null) {
      if (receipt.nextToken() == JsonToken.VALUE_STRING && field.equals("at")) {
        at = Instant.parse(receipt.getText()).toEpochMilli();
      }
      field = receipt.nextFieldName();
    }
    return at;
  }
}
