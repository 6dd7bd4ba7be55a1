package dev.sluice.query;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import dev.sluice.admission.RankIndex;
import dev.sluice.contract.PersonStatus;
import dev.sluice.contract.PooledJson;
import dev.sluice.contract.Receipt;
import dev.sluice.contract.RoomState;
import dev.sluice.contract.Version;
import dev.sluice.query.SystemView.PartitionStatus;
import dev.sluice.query.SystemView.PartitionView;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Questions and answers between processes as JSON. Both ends are of one installation and of
 * neighbouring releases: fields may be added, and unknown ones are passed over. Thread-safe.
 */
final class QueryJson {
  private static final JsonFactory JSON = PooledJson.builder().build();

  private QueryJson() {}

  /** Any JSON object, its numbers as {@code Long} or {@code Double}. */
  record Fields(Map<String, Object> fields) {
    String text(String name) {
      return (String) fields.get(name);
    }

    long number(String name) {
      return ((Number) fields.get(name)).longValue();
    }

    int integer(String name) {
      return Math.toIntExact(number(name));
    }

    double decimal(String name) {
      return ((Number) fields.get(name)).doubleValue();
    }

    boolean flag(String name) {
      return (Boolean) fields.get(name);
    }

    List<Long> numbers(String name) {
      return ((List<?>) fields.get(name)).stream().map(Long.class::cast).toList();
    }

    List<String> texts(String name) {
      return ((List<?>) fields.get(name)).stream().map(String.class::cast).toList();
    }

    /** Null when it is. */
    Fields object(String name) {
      return (Fields) fields.get(name);
    }

    List<Fields> objects(String name) {
      return ((List<?>) fields.get(name)).stream().map(Fields.class::cast).toList();
    }
  }

  /** Writes the content of an object. */
  interface Content {
    void write(JsonGenerator to) throws IOException;
  }

  static byte[] write(Content content) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream(512);
    try (JsonGenerator to = JSON.createGenerator(bytes)) {
      to.writeStartObject();
      content.write(to);
      to.writeEndObject();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return bytes.toByteArray();
  }

  /**
   * @throws IOException if it is no JSON object
   */
  static Fields read(byte[] json) throws IOException {
    try (JsonParser from = JSON.createParser(json)) {
      if (from.nextToken() != JsonToken.START_OBJECT) {
        throw new IOException("not a JSON object");
      }
      return object(from);
    }
  }

  private static Fields object(JsonParser from) throws IOException {
    Map<String, Object> fields = new LinkedHashMap<>();
    while (from.nextToken() != JsonToken.END_OBJECT) {
      String name = from.currentName();
      from.nextToken();
      fields.put(name, value(from));
    }
    return new Fields(fields);
  }

  private static Object value(JsonParser from) throws IOException {
    return switch (from.currentToken()) {
      case START_OBJECT -> object(from);
      case START_ARRAY -> array(from);
      case VALUE_STRING -> from.getText();
      case VALUE_NUMBER_INT -> from.getLongValue();
      case VALUE_NUMBER_FLOAT -> from.getDoubleValue();
      case VALUE_TRUE -> true;
      case VALUE_FALSE -> false;
      case VALUE_NULL -> null;
      default -> throw new IOException("unexpected " + from.currentToken());
    };
  }

  private static List<Object> array(JsonParser from) throws IOException {
    List<Object> list = new ArrayList<>();
    while (from.nextToken() != JsonToken.END_ARRAY) {
      list.add(value(from));
    }
    return list;
  }

  static byte[] answer(Answer answer) {
    return write(
        to -> {
          to.writeNumberField("partition", answer.partition());
          to.writeNumberField("offset", answer.offset());
          to.writeStringField("result", answer.result().name());
          to.writeStringField("detail", answer.detail());
          person(to, "person", answer.person());
        });
  }

  static Answer answer(Fields from) {
    return new Answer(
        from.integer("partition"),
        from.number("offset"),
        Answer.Result.valueOf(from.text("result")),
        person(from.object("person")),
        from.text("detail"));
  }

  static byte[] person(Optional<PersonView> person) {
    return write(to -> person(to, "person", person.orElse(null)));
  }

  static Optional<PersonView> maybePerson(Fields from) {
    return Optional.ofNullable(person(from.object("person")));
  }

  static byte[] people(List<PersonView> people) {
    return write(
        to -> {
          to.writeArrayFieldStart("people");
          for (PersonView person : people) {
            to.writeStartObject();
            person(to, person);
            to.writeEndObject();
          }
          to.writeEndArray();
        });
  }

  static List<PersonView> people(Fields from) {
    return from.objects("people").stream().map(QueryJson::person).toList();
  }

  private static void person(JsonGenerator to, String name, PersonView person) throws IOException {
    if (person == null) {
      to.writeNullField(name);
    } else {
      to.writeObjectFieldStart(name);
      person(to, person);
      to.writeEndObject();
    }
  }

  private static void person(JsonGenerator to, PersonView person) throws IOException {
    to.writeStringField("roomId", person.roomId());
    to.writeStringField("requestId", person.requestId());
    to.writeStringField("session", person.session());
    to.writeStringField("status", person.status().name());
    to.writeNumberField("ticket", person.ticket());
    to.writeNumberField("rank", person.rank());
    to.writeNumberField("totalWaiting", person.totalWaiting());
    to.writeNumberField("estimatedWaitSeconds", person.estimatedWaitSeconds());
    to.writeNumberField("expiresAt", person.expiresAt());
    to.writeStringField("reason", person.reason());
    to.writeNumberField("receiptPartition", person.receipt().partition());
    to.writeNumberField("receiptOffset", person.receipt().offset());
    to.writeNumberField("receiptAt", person.receipt().at());
    to.writeStringField("version", person.version().toString());
  }

  private static PersonView person(Fields from) {
    if (from == null) {
      return null;
    }
    return new PersonView(
        from.text("roomId"),
        from.text("requestId"),
        from.text("session"),
        PersonStatus.valueOf(from.text("status")),
        from.number("ticket"),
        from.number("rank"),
        from.number("totalWaiting"),
        from.number("estimatedWaitSeconds"),
        from.number("expiresAt"),
        from.text("reason"),
        new Receipt(
            from.integer("receiptPartition"),
            from.number("receiptOffset"),
            from.number("receiptAt")),
        Version.parse(from.text("version")));
  }

  static byte[] room(RoomView room) {
    return write(to -> room(to, room));
  }

  private static void room(JsonGenerator to, RoomView room) throws IOException {
    to.writeStringField("roomId", room.roomId());
    to.writeNumberField("partition", room.partition());
    to.writeNumberField("offset", room.offset());
    to.writeBooleanField("configured", room.configured());
    to.writeStringField("state", room.state().name());
    to.writeNumberField("capacity", room.capacity());
    to.writeNumberField("pacePerSecond", room.pacePerSecond());
    to.writeNumberField("waiting", room.waiting());
    to.writeNumberField("active", room.active());
    to.writeNumberField("nextTicket", room.nextTicket());
    to.writeNumberField("admittedLastMinute", room.admittedLastMinute());
  }

  static RoomView room(Fields from) {
    return new RoomView(
        from.text("roomId"),
        from.integer("partition"),
        from.number("offset"),
        from.flag("configured"),
        RoomState.valueOf(from.text("state")),
        from.integer("capacity"),
        from.decimal("pacePerSecond"),
        from.number("waiting"),
        from.number("active"),
        from.number("nextTicket"),
        from.number("admittedLastMinute"));
  }

  /** The set of waiting tickets goes as the bits of its leaves. */
  static byte[] waiting(WaitingSnapshot snapshot) {
    return write(
        to -> {
          to.writeObjectFieldStart("room");
          room(to, snapshot.room());
          to.writeEndObject();
          to.writeNumberField("offset", snapshot.offset());
          to.writeNumberField("outflowPerMinute", snapshot.outflowPerMinute());
          to.writeArrayFieldStart("leaves");
          List<Leaf> leaves = new ArrayList<>();
          snapshot.waiting().forEachLeaf((number, words) -> leaves.add(Leaf.of(number, words)));
          for (Leaf leaf : leaves) {
            to.writeStartObject();
            to.writeNumberField("number", leaf.number());
            to.writeStringField("bits", leaf.bits());
            to.writeEndObject();
          }
          to.writeEndArray();
        });
  }

  static WaitingSnapshot waiting(Fields from) {
    RankIndex waiting = RankIndex.empty();
    for (Fields leaf : from.objects("leaves")) {
      waiting = waiting.withLeaf(leaf.number("number"), new Leaf(0, leaf.text("bits")).words());
    }
    return new WaitingSnapshot(
        room(from.object("room")),
        waiting,
        from.number("offset"),
        from.decimal("outflowPerMinute"));
  }

  private record Leaf(long number, String bits) {
    static Leaf of(long number, long[] words) {
      ByteBuffer bytes = ByteBuffer.allocate(words.length * Long.BYTES);
      bytes.asLongBuffer().put(words);
      return new Leaf(number, Base64.getEncoder().encodeToString(bytes.array()));
    }

    long[] words() {
      byte[] bytes = Base64.getDecoder().decode(bits);
      long[] words = new long[bytes.length / Long.BYTES];
      ByteBuffer.wrap(bytes).asLongBuffer().get(words);
      return words;
    }
  }

  static byte[] system(SystemView system) {
    return write(
        to -> {
          to.writeArrayFieldStart("partitions");
          for (PartitionView view : system.partitions()) {
            to.writeStartObject();
            to.writeNumberField("partition", view.partition());
            to.writeStringField("status", view.status().name());
            to.writeStringField("owner", view.owner());
            to.writeNumberField("appliedOffset", view.appliedOffset());
            to.writeNumberField("lag", view.lag());
            to.writeNumberField("rulesVersion", view.rulesVersion());
            to.writeStringField("detail", view.detail());
            to.writeEndObject();
          }
          to.writeEndArray();
          to.writeArrayFieldStart("rooms");
          for (RoomView room : system.rooms()) {
            to.writeStartObject();
            room(to, room);
            to.writeEndObject();
          }
          to.writeEndArray();
        });
  }

  static SystemView system(Fields from) {
    return new SystemView(
        from.objects("partitions").stream()
            .map(
                view ->
                    new PartitionView(
                        view.integer("partition"),
                        PartitionStatus.valueOf(view.text("status")),
                        view.text("owner"),
                        view.number("appliedOffset"),
                        view.number("lag"),
                        view.number("rulesVersion"),
                        view.text("detail")))
            .toList(),
        from.objects("rooms").stream().map(QueryJson::room).toList());
  }

  static byte[] owners(Map<Integer, Address> owners) {
    return write(
        to -> {
          for (Map.Entry<Integer, Address> owner : owners.entrySet()) {
            to.writeStringField(owner.getKey().toString(), owner.getValue().toString());
          }
        });
  }

  static Map<Integer, Address> owners(Fields from) {
    Map<Integer, Address> owners = new LinkedHashMap<>();
    from.fields()
        .forEach(
            (partition, address) ->
                owners.put(Integer.valueOf(partition), Address.parse((String) address)));
    return owners;
  }

  static byte[] refusal(QueryException refusal) {
    return write(
        to -> {
          to.writeStringField("kind", refusal.kind().name());
          to.writeStringField("message", refusal.getMessage());
        });
  }

  static QueryException refusal(Fields from) {
    return new QueryException(QueryException.Kind.valueOf(from.text("kind")), from.text("message"));
  }
}
