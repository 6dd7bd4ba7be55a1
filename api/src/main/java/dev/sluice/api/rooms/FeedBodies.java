package dev.sluice.api.rooms;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.api.exchange.JsonBody;
import dev.sluice.api.rooms.SharedFeed.Reading;
import dev.sluice.contract.InvalidRecordException;
import dev.sluice.contract.Rfc3339;
import dev.sluice.contract.RoomEvent;
import dev.sluice.contract.RoomEventJson;
import dev.sluice.query.FeedPage.FeedEvent;
import java.io.ByteArrayOutputStream;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The answers that one reading of the store gives: each event is put into bytes once, and so is
 * each answer that many ask for. Not thread-safe.
 */
final class FeedBodies {
  /** Longest answer, unless a single event is longer; whoever wants more asks on. */
  static final int MAX_BYTES = 256 * 1024;

  private static final Logger LOG = LoggerFactory.getLogger(FeedBodies.class);
  private static final byte[] UNREADABLE = {};

  private final Reading reading;
  private final List<FeedEvent> events;
  private final byte[][] written;
  private final Map<Asked, byte[]> bodies = new HashMap<>();

  private record Asked(long after, int limit) {}

  FeedBodies(Reading reading) {
    this.reading = reading;
    this.events = reading.page().events();
    this.written = new byte[events.size()][];
  }

  /**
   * The answer to who has seen everything up to a cursor that the reading covers.
   *
   * @param limit most events
   */
  byte[] after(long after, int limit) {
    return bodies.computeIfAbsent(new Asked(after, limit), this::body);
  }

  private byte[] body(Asked asked) {
    int index = 0;
    while (index < events.size() && events.get(index).cursor() <= asked.after()) {
      index++;
    }
    ByteArrayOutputStream out = new ByteArrayOutputStream(1024);
    out.writeBytes("{\"events\":[".getBytes(UTF_8));
    long cursor = Math.max(asked.after(), events.isEmpty() ? reading.page().cursor() : -1);
    int count = 0;
    for (; index < events.size() && count < asked.limit(); index++) {
      byte[] event = written(index);
      if (count > 0 && out.size() + event.length > MAX_BYTES) {
        break;
      }
      if (event != UNREADABLE) {
        if (count > 0) {
          out.write(',');
        }
        out.writeBytes(event);
        count++;
      }
      cursor = events.get(index).cursor();
    }
    boolean more = index < events.size() || reading.page().more();
    out.writeBytes("],\"cursor\":\"%d\",\"more\":%b}".formatted(cursor, more).getBytes(UTF_8));
    return out.toByteArray();
  }

  private byte[] written(int index) {
    if (written[index] == null) {
      written[index] = write(events.get(index));
    }
    return written[index];
  }

  private static byte[] write(FeedEvent stored) {
    RoomEvent event;
    try {
      event = RoomEventJson.read(stored.value());
    } catch (InvalidRecordException e) {
      LOG.debug("Passed over event {}: {}", stored.cursor(), e.getMessage());
      return UNREADABLE;
    }
    return JsonBody.object(
        json -> {
          json.writeStringField("cursor", Long.toString(stored.cursor()));
          json.writeStringField("kind", event.kind().name());
          json.writeStringField("userId", event.userId());
          json.writeStringField("country", event.country());
          json.writeStringField("app", event.app());
          json.writeFieldName("payload");
          json.writeRawValue(event.payload() == null ? "null" : event.payload());
          json.writeStringField("at", Rfc3339.format(stored.at()));
        });
  }
}
