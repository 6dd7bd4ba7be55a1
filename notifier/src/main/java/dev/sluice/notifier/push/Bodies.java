package dev.sluice.notifier.push;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import dev.sluice.contract.HotVerdict;
import dev.sluice.contract.PooledJson;
import dev.sluice.contract.Version;
import dev.sluice.identity.Passes;
import dev.sluice.notifier.stomp.Encoded;
import dev.sluice.query.RoomView;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;

/** Writes the bodies of pushes, as JSON of ASCII characters only. Signs the pass. Thread-safe. */
public final class Bodies {
  private static final JsonFactory JSON =
      PooledJson.builder().enable(JsonWriteFeature.ESCAPE_NON_ASCII).build();

  private final Passes passes;
  private final Clock clock;

  public Bodies(Passes passes, Clock clock) {
    this.passes = passes;
    this.clock = clock;
  }

  /**
   * @param expiresAt milliseconds since the epoch
   */
  Encoded admission(String roomId, String requestId, long ticket, long expiresAt, Version version) {
    return json(
        out -> {
          out.writeStringField("type", "admission");
          out.writeStringField("status", "ADMITTED");
          out.writeStringField("action", "REDIRECT_TO_SEATS");
          writePerson(out, roomId, requestId);
          out.writeNumberField("ticket", ticket);
          out.writeStringField("expiresAt", Instant.ofEpochMilli(expiresAt).toString());
          out.writeStringField("pass", passes.sign(requestId, roomId, ticket, expiresAt));
          writeEnd(out, version);
        });
  }

  /**
   * @param estimatedWaitSeconds negative while unknown
   */
  Encoded rank(
      String roomId,
      String requestId,
      long rank,
      long totalWaiting,
      long estimatedWaitSeconds,
      Version version) {
    return json(
        out -> {
          out.writeStringField("type", "rank");
          out.writeStringField("status", "WAITING");
          writePerson(out, roomId, requestId);
          out.writeNumberField("rank", rank);
          out.writeNumberField("totalWaiting", totalWaiting);
          if (estimatedWaitSeconds < 0) {
            out.writeNullField("estimatedWaitSeconds");
          } else {
            out.writeNumberField("estimatedWaitSeconds", estimatedWaitSeconds);
          }
          writeEnd(out, version);
        });
  }

  Encoded timeout(String roomId, String requestId, String reason, Version version) {
    return json(
        out -> {
          out.writeStringField("type", "timeout");
          out.writeStringField("status", "EXPIRED");
          out.writeStringField("reason", reason);
          writePerson(out, roomId, requestId);
          writeEnd(out, version);
        });
  }

  Encoded stats(RoomView room) {
    return json(
        out -> {
          out.writeStringField("type", "stats");
          out.writeStringField("roomId", room.roomId());
          out.writeNumberField("totalWaiting", room.waiting());
          out.writeNumberField("active", room.active());
          out.writeNumberField("capacity", room.capacity());
          out.writeStringField("state", room.state().name());
          writeTimestamp(out);
        });
  }

  /**
   * @param cursor of the last event, or -1 when none is known
   */
  Encoded room(String roomId, long cursor, boolean hot) {
    return json(
        out -> {
          out.writeStringField("type", "room");
          out.writeStringField("roomId", roomId);
          out.writeStringField("cursor", Long.toString(cursor));
          out.writeBooleanField("hot", hot);
        });
  }

  /**
   * @param status {@code HOT} or {@code COOLED}
   * @param verdict the present one, or the last
   */
  Encoded hot(String status, HotVerdict verdict) {
    return json(
        out -> {
          out.writeStringField("type", "hot");
          out.writeStringField("status", status);
          out.writeStringField("roomId", verdict.roomId());
          out.writeStringField("because", verdict.because());
          out.writeNumberField("rate", verdict.rate());
          out.writeNumberField("threshold", verdict.threshold());
          out.writeNumberField("window", verdict.windowSeconds());
          out.writeStringField("since", Instant.ofEpochMilli(verdict.since()).toString());
          writeTimestamp(out);
        });
  }

  /** Asks a client to come back, here or elsewhere, {@code delay} from now. */
  public Encoded reconnectSoon(Duration delay) {
    return json(
        out -> {
          out.writeStringField("type", "RECONNECT_SOON");
          out.writeStringField("reason", "SERVER_SHUTDOWN");
          out.writeNumberField("delayMs", delay.toMillis());
        });
  }

  /** Names the room twice, for clients from before rooms were called so. */
  private static void writePerson(JsonGenerator out, String roomId, String requestId)
      throws IOException {
    out.writeStringField("roomId", roomId);
    out.writeStringField("movieId", roomId);
    out.writeStringField("requestId", requestId);
  }

  private void writeEnd(JsonGenerator out, Version version) throws IOException {
    out.writeStringField("version", version.toString());
    writeTimestamp(out);
  }

  private void writeTimestamp(JsonGenerator out) throws IOException {
    out.writeStringField("timestamp", Instant.ofEpochMilli(clock.millis()).toString());
  }

  private static Encoded json(Content content) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream(512);
    try (JsonGenerator out = JSON.createGenerator(bytes)) {
      out.writeStartObject();
      content.writeTo(out);
      out.writeEndObject();
    } catch (IOException e) {
      throw new UncheckedIOException("bytes in memory can't fail", e);
    }
    return Encoded.owning(bytes.toByteArray());
  }

  @FunctionalInterface
  private interface Content {
    void writeTo(JsonGenerator out) throws IOException;
  }
}
