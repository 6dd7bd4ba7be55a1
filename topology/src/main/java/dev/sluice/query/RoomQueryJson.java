package dev.sluice.query;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.sluice.contract.HotVerdict;
import dev.sluice.query.FeedPage.FeedEvent;
import dev.sluice.query.HeatSystem.PartitionHeat;
import dev.sluice.query.QueryJson.Fields;
import dev.sluice.query.RoomHeat.Slice;
import dev.sluice.query.SystemView.PartitionStatus;
import java.io.IOException;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/** Answers about rooms as JSON between processes; see {@link QueryJson}. Thread-safe. */
final class RoomQueryJson {
  private RoomQueryJson() {}

  static byte[] feed(FeedPage page) {
    return QueryJson.write(
        to -> {
          to.writeNumberField("cursor", page.cursor());
          to.writeBooleanField("more", page.more());
          to.writeArrayFieldStart("events");
          for (FeedEvent event : page.events()) {
            to.writeStartObject();
            to.writeNumberField("cursor", event.cursor());
            to.writeNumberField("at", event.at());
            to.writeStringField("value", Base64.getEncoder().encodeToString(event.value()));
            to.writeEndObject();
          }
          to.writeEndArray();
        });
  }

  static FeedPage feed(Fields from) {
    return new FeedPage(
        from.objects("events").stream()
            .map(
                event ->
                    new FeedEvent(
                        event.number("cursor"),
                        event.number("at"),
                        Base64.getDecoder().decode(event.text("value"))))
            .toList(),
        from.number("cursor"),
        from.flag("more"));
  }

  static byte[] members(long members) {
    return QueryJson.write(to -> to.writeNumberField("members", members));
  }

  static long members(Fields from) {
    return from.number("members");
  }

  static byte[] heat(RoomHeat room) {
    return QueryJson.write(to -> heat(to, room));
  }

  static byte[] rooms(List<RoomHeat> rooms) {
    return QueryJson.write(to -> rooms(to, rooms));
  }

  static List<RoomHeat> rooms(Fields from) {
    return from.objects("rooms").stream().map(RoomQueryJson::heat).toList();
  }

  private static void rooms(JsonGenerator to, List<RoomHeat> rooms) throws IOException {
    to.writeArrayFieldStart("rooms");
    for (RoomHeat room : rooms) {
      to.writeStartObject();
      heat(to, room);
      to.writeEndObject();
    }
    to.writeEndArray();
  }

  private static void heat(JsonGenerator to, RoomHeat room) throws IOException {
    to.writeStringField("roomId", room.roomId());
    to.writeNumberField("rate", room.rate());
    to.writeNumberField("demand", room.demand());
    to.writeNumberField("threshold", room.threshold());
    to.writeNumberField("windowSeconds", room.windowSeconds());
    to.writeNumberField("audience", room.audience());
    slices(to, "byCountry", room.byCountry());
    slices(to, "byApp", room.byApp());
    HotVerdict verdict = room.verdict();
    if (verdict == null) {
      to.writeNullField("verdict");
      return;
    }
    to.writeObjectFieldStart("verdict");
    to.writeStringField("because", verdict.because());
    to.writeNumberField("rate", verdict.rate());
    to.writeNumberField("threshold", verdict.threshold());
    to.writeNumberField("windowSeconds", verdict.windowSeconds());
    to.writeNumberField("since", verdict.since());
    to.writeNumberField("at", verdict.at());
    to.writeEndObject();
  }

  static RoomHeat heat(Fields from) {
    String roomId = from.text("roomId");
    Fields hot = from.object("verdict");
    HotVerdict verdict =
        hot == null
            ? null
            : new HotVerdict(
                roomId,
                hot.text("because"),
                hot.number("rate"),
                hot.number("threshold"),
                hot.integer("windowSeconds"),
                hot.number("since"),
                hot.number("at"));
    return new RoomHeat(
        roomId,
        verdict,
        from.number("rate"),
        from.number("demand"),
        from.number("threshold"),
        from.integer("windowSeconds"),
        from.number("audience"),
        slices(from.objects("byCountry")),
        slices(from.objects("byApp")));
  }

  private static void slices(JsonGenerator to, String name, Map<String, Slice> slices)
      throws IOException {
    to.writeArrayFieldStart(name);
    for (Map.Entry<String, Slice> slice : slices.entrySet()) {
      to.writeStartObject();
      to.writeStringField("name", slice.getKey());
      to.writeNumberField("rate", slice.getValue().rate());
      to.writeNumberField("threshold", slice.getValue().threshold());
      to.writeEndObject();
    }
    to.writeEndArray();
  }

  private static SortedMap<String, Slice> slices(List<Fields> from) {
    SortedMap<String, Slice> slices = new TreeMap<>();
    for (Fields slice : from) {
      slices.put(slice.text("name"), new Slice(slice.number("rate"), slice.number("threshold")));
    }
    return slices;
  }

  static byte[] system(HeatSystem system) {
    return QueryJson.write(
        to -> {
          to.writeArrayFieldStart("partitions");
          for (PartitionHeat view : system.partitions()) {
            to.writeStartObject();
            to.writeNumberField("partition", view.partition());
            to.writeStringField("status", view.status().name());
            to.writeStringField("owner", view.owner());
            to.writeNumberField("lag", view.lag());
            to.writeNumberField("eventLag", view.eventLag());
            to.writeNumberField("rooms", view.rooms());
            to.writeNumberField("late", view.late());
            to.writeNumberField("ahead", view.ahead());
            to.writeNumberField("shed", view.shed());
            to.writeArrayFieldStart("decisionMillis");
            for (long millis : view.decisionMillis()) {
              to.writeNumber(millis);
            }
            to.writeEndArray();
            to.writeEndObject();
          }
          to.writeEndArray();
          rooms(to, system.rooms());
        });
  }

  static HeatSystem system(Fields from) {
    return new HeatSystem(
        from.objects("partitions").stream()
            .map(
                view ->
                    new PartitionHeat(
                        view.integer("partition"),
                        PartitionStatus.valueOf(view.text("status")),
                        view.text("owner"),
                        view.number("lag"),
                        view.number("eventLag"),
                        view.integer("rooms"),
                        view.number("late"),
                        view.number("ahead"),
                        view.number("shed"),
                        view.numbers("decisionMillis")))
            .toList(),
        rooms(from));
  }
}
