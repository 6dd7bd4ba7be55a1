package dev.sluice.api.admission;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.sluice.api.exchange.JsonBody;
import dev.sluice.contract.PersonStatus;
import dev.sluice.contract.Receipt;
import dev.sluice.contract.Rfc3339;
import dev.sluice.identity.Passes;
import dev.sluice.query.PersonView;
import java.io.IOException;

/** The one JSON shape in which every admission call tells of a person. Thread-safe. */
final class PersonJson {
  private final Passes passes;

  PersonJson(Passes passes) {
    this.passes = passes;
  }

  /**
   * The JSON of {@code reply}; an admitted person's has a fresh pass.
   *
   * @param newSession the token of a session issued by this very call, or null
   */
  byte[] write(Reply.Found reply, String newSession) {
    PersonView person = reply.person();
    return JsonBody.object(
        json -> {
          json.writeStringField("status", person.status().name());
          json.writeStringField("roomId", person.roomId());
          json.writeStringField("requestId", person.requestId());
          json.writeNumberField("ticket", person.ticket());
          json.writeNumberField("rank", person.rank());
          json.writeNumberField("totalWaiting", person.totalWaiting());
          if (person.status() == PersonStatus.WAITING) {
            writeWait(json, person);
          } else if (person.status() == PersonStatus.ADMITTED) {
            writePlace(json, person);
          }
          if (person.reason() != null) {
            json.writeStringField("reason", person.reason());
          }
          json.writeStringField("version", person.version().toString());
          writeReceipt(json, person.receipt());
          writeSession(json, newSession);
        });
  }

  /** The JSON of {@code reply}; what isn't known yet is null. */
  byte[] write(Reply.Pending reply, String newSession) {
    return JsonBody.object(
        json -> {
          json.writeStringField("status", "PENDING");
          json.writeStringField("roomId", reply.name().roomId());
          json.writeStringField("requestId", reply.name().requestId());
          json.writeNumberField("recommendedPollingInterval", PollingInterval.SHORTEST);
          Receipt receipt = reply.receipt();
          if (receipt == null) {
            json.writeObjectFieldStart("receipt");
            json.writeNumberField("partition", reply.partition());
            json.writeNullField("offset");
            json.writeNullField("at");
            json.writeEndObject();
          } else {
            writeReceipt(json, receipt);
          }
          writeSession(json, newSession);
        });
  }

  private static void writeWait(JsonGenerator json, PersonView person) throws IOException {
    if (person.estimatedWaitSeconds() < 0) {
      json.writeNullField("estimatedWaitSeconds");
    } else {
      json.writeNumberField("estimatedWaitSeconds", person.estimatedWaitSeconds());
    }
    json.writeNumberField(
        "recommendedPollingInterval", PollingInterval.of(person.rank(), person.totalWaiting()));
  }

  private void writePlace(JsonGenerator json, PersonView person) throws IOException {
    json.writeStringField("expiresAt", Rfc3339.format(person.expiresAt()));
    json.writeStringField(
        "pass",
        passes.sign(person.requestId(), person.roomId(), person.ticket(), person.expiresAt()));
  }

  private static void writeReceipt(JsonGenerator json, Receipt receipt) throws IOException {
    json.writeObjectFieldStart("receipt");
    json.writeNumberField("partition", receipt.partition());
    json.writeNumberField("offset", receipt.offset());
    if (receipt.at() < 0) {
      json.writeNullField("at");
    } else {
      json.writeStringField("at", Rfc3339.format(receipt.at()));
    }
    json.writeEndObject();
  }

  /** {@code {"sessionId": token}}. */
  static byte[] session(String token) {
    return JsonBody.object(json -> writeSession(json, token));
  }

  private static void writeSession(JsonGenerator json, String token) throws IOException {
    if (token != null) {
      json.writeStringField("sessionId", token);
    }
  }
}
