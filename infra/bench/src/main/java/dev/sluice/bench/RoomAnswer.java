package dev.sluice.bench;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;

/**
 * What an operator sees of one room.
 *
 * @param state such as {@code OPEN}, or null
 */
public record RoomAnswer(String state, long capacity, long waiting, long active) {
  public static final RoomAnswer EMPTY = new RoomAnswer(null, 0, 0, 0);

  private static final JsonFactory JSON = new JsonFactory();

  /**
   * @throws IOException if {@code body} isn't a JSON object with the fields of a room
   */
  public static RoomAnswer read(String body) throws IOException {
    String state = null;
    long capacity = -1;
    long waiting = -1;
    long active = -1;
    try (JsonParser json = JSON.createParser(body)) {
      if (json.nextToken() != JsonToken.START_OBJECT) {
        throw new IOException("not a JSON object");
      }
      String field = json.nextFieldName();
      while (field != null) {
        JsonToken value = json.nextToken();
        if (value == JsonToken.VALUE_NUMBER_INT) {
          switch (field) {
            case "capacity" -> capacity = json.getLongValue();
            case "waiting", "totalWaiting" -> waiting = json.getLongValue();
            case "active" -> active = json.getLongValue();
            default -> {}
          }
        } else if (value == JsonToken.VALUE_STRING && field.equals("state")) {
          state = json.getText();
        } else {
          json.skipChildren();
        }
        field = json.nextFieldName();
      }
    }
    if (waiting < 0 || active < 0) {
      throw new IOException("no \"waiting\" or \"active\" in it");
    }
    return new RoomAnswer(state, capacity, waiting, active);
  }
}
