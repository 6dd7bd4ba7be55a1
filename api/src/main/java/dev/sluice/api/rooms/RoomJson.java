package dev.sluice.api.rooms;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.sluice.api.exchange.JsonBody;
import dev.sluice.contract.HotVerdict;
import dev.sluice.contract.Rfc3339;
import dev.sluice.query.RoomHeat;
import dev.sluice.query.RoomHeat.Slice;
import java.io.IOException;
import java.util.List;
import java.util.Map;

/** The JSON in which rooms are told of. */
final class RoomJson {
  /** {@code {}}. */
  static final byte[] NOTHING = "{}".getBytes(UTF_8);

  private RoomJson() {}

  static byte[] cursor(long offset) {
    return JsonBody.object(json -> json.writeStringField("cursor", Long.toString(offset)));
  }

  static byte[] room(RoomHeat heat, long members) {
    return JsonBody.object(
        json -> {
          json.writeStringField("roomId", heat.roomId());
          json.writeBooleanField("hot", heat.isHot());
          json.writeStringField("because", heat.isHot() ? heat.verdict().because() : null);
          json.writeNumberField("rate", heat.rate());
          json.writeNumberField("demand", heat.demand());
          json.writeNumberField("threshold", heat.threshold());
          json.writeNumberField("window", heat.windowSeconds());
          json.writeNumberField("members", members);
          json.writeNumberField("audience", heat.audience());
          slices(json, "byCountry", heat.byCountry());
          slices(json, "byApp", heat.byApp());
        });
  }

  private static void slices(JsonGenerator json, String field, Map<String, Slice> slices)
      throws IOException {
    json.writeObjectFieldStart(field);
    for (Map.Entry<String, Slice> slice : slices.entrySet()) {
      json.writeObjectFieldStart(slice.getKey());
      json.writeNumberField("rate", slice.getValue().rate());
      if (slice.getValue().threshold() > 0) {
        json.writeNumberField("threshold", slice.getValue().threshold());
      }
      json.writeEndObject();
    }
    json.writeEndObject();
  }

  static byte[] hot(List<RoomHeat> rooms) {
    return JsonBody.array(
        json -> {
          for (RoomHeat room : rooms) {
            HotVerdict verdict = room.verdict();
            json.writeStartObject();
            json.writeStringField("roomId", room.roomId());
            json.writeStringField("since", Rfc3339.format(verdict.since()));
            json.writeNumberField("rate", verdict.rate());
            json.writeNumberField("threshold", verdict.threshold());
            json.writeNumberField("window", verdict.windowSeconds());
            json.writeStringField("because", verdict.because());
            json.writeEndObject();
          }
        });
  }
}
