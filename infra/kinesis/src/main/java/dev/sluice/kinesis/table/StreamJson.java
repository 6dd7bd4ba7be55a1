package dev.sluice.kinesis.table;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import dev.sluice.contract.PooledJson;
import dev.sluice.kinesis.shard.Consumer;
import dev.sluice.kinesis.shard.HashKey;
import dev.sluice.kinesis.shard.HashRange;
import dev.sluice.kinesis.shard.Resharding;
import dev.sluice.kinesis.shard.Shard;
import dev.sluice.kinesis.shard.StreamState;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** A stream as its document in the table. Fields that it doesn't know are passed over. */
final class StreamJson {
  /** The version {@code v} that it writes, and the highest that it reads. */
  static final int VERSION = 1;

  private static final JsonFactory FACTORY = PooledJson.builder().build();

  private StreamJson() {}

  /** What stands in the table isn't a stream that this program knows. */
  static final class UnreadableException extends Exception {
    private static final long serialVersionUID = 1L;

    UnreadableException(String message) {
      super(message);
    }
  }

  static byte[] write(StreamState stream) {
    ByteArrayOutputStream out = new ByteArrayOutputStream(1_024);
    try (JsonGenerator json = FACTORY.createGenerator(out)) {
      json.writeStartObject();
      json.writeNumberField("v", VERSION);
      json.writeStringField("name", stream.name());
      json.writeStringField("status", stream.status().name());
      json.writeStringField("mode", stream.mode().name());
      json.writeNumberField("created", stream.created());
      json.writeNumberField("retentionHours", stream.retentionHours());
      json.writeNumberField("maxRecordKiB", stream.maxRecordKiB());
      if (stream.keyId() != null) {
        json.writeStringField("keyId", stream.keyId());
      }
      json.writeArrayFieldStart("metrics");
      for (String metric : stream.metrics()) {
        json.writeString(metric);
      }
      json.writeEndArray();
      json.writeObjectFieldStart("tags");
      for (Map.Entry<String, String> tag : stream.tags().entrySet()) {
        json.writeStringField(tag.getKey(), tag.getValue());
      }
      json.writeEndObject();
      json.writeArrayFieldStart("consumers");
      for (Consumer consumer : stream.consumers()) {
        json.writeStartObject();
        json.writeStringField("name", consumer.name());
        json.writeNumberField("created", consumer.created());
        json.writeEndObject();
      }
      json.writeEndArray();
      json.writeArrayFieldStart("shards");
      for (Shard shard : stream.shards()) {
        write(json, shard);
      }
      json.writeEndArray();
      json.writeNumberField("nextShard", stream.nextShard());
      json.writeNumberField("partitions", stream.partitions());
      if (stream.resharding() != null) {
        write(json, stream.resharding());
      }
      if (stream.topic() != null) {
        json.writeStringField("topic", stream.topic());
      }
      json.writeEndObject();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return out.toByteArray();
  }

  private static void write(JsonGenerator json, Shard shard) throws IOException {
    json.writeStartObject();
    json.writeNumberField("number", shard.number());
    json.writeStringField("from", shard.range().start().toString());
    json.writeStringField("to", shard.range().end().toString());
    optional(json, "parent", shard.parent());
    optional(json, "adjacentParent", shard.adjacentParent());
    json.writeNumberField("created", shard.createdSeconds());
    json.writeNumberField("partition", shard.partition());
    json.writeNumberField("start", shard.start());
    optional(json, "end", shard.end());
    json.writeStringField("state", shard.state().name());
    optional(json, "closedAt", shard.closedAt());
    json.writeEndObject();
  }

  private static void write(JsonGenerator json, Resharding step) throws IOException {
    json.writeObjectFieldStart("resharding");
    json.writeNumberField("parent", step.parent());
    optional(json, "adjacentParent", step.adjacentParent());
    if (step.at() != null) {
      json.writeStringField("at", step.at().toString());
    }
    optional(json, "partition", step.partition());
    json.writeNumberField("target", step.target());
    json.writeEndObject();
  }

  private static void optional(JsonGenerator json, String field, long number) throws IOException {
    if (number != Shard.NONE) {
      json.writeNumberField(field, number);
    }
  }

  static StreamState read(byte[] document) throws UnreadableException {
    try (JsonParser json = FACTORY.createParser(document)) {
      if (json.nextToken() != JsonToken.START_OBJECT) {
        throw new UnreadableException("not a JSON object");
      }
      return stream(json);
    } catch (IOException e) {
      throw new UnreadableException("not JSON as expected: " + e.getClass().getSimpleName());
    } catch (IllegalArgumentException | NullPointerException e) {
      throw new UnreadableException("not a stream: " + e.getMessage());
    }
  }

  private static StreamState stream(JsonParser json) throws IOException, UnreadableException {
    long version = 0;
    String name = null;
    String status = null;
    String mode = null;
    long created = 0;
    int retentionHours = StreamState.MIN_RETENTION;
    int maxRecordKiB = StreamState.DEFAULT_MAX_RECORD_KIB;
    String keyId = null;
    List<String> metrics = List.of();
    Map<String, String> tags = Map.of();
    List<Consumer> consumers = List.of();
    List<Shard> shards = List.of();
    int nextShard = 0;
    int partitions = 0;
    Resharding resharding = null;
    String topic = null;
    for (String field = json.nextFieldName(); field != null; field = json.nextFieldName()) {
      json.nextToken();
      switch (field) {
        case "v" -> version = json.getLongValue();
        case "name" -> name = json.getText();
        case "status" -> status = json.getText();
        case "mode" -> mode = json.getText();
        case "created" -> created = json.getLongValue();
        case "retentionHours" -> retentionHours = json.getIntValue();
        case "maxRecordKiB" -> maxRecordKiB = json.getIntValue();
        case "keyId" -> keyId = json.getText();
        case "metrics" -> metrics = list(json, JsonParser::getText);
        case "tags" -> tags = tags(json);
        case "consumers" -> consumers = list(json, StreamJson::consumer);
        case "shards" -> shards = list(json, StreamJson::shard);
        case "nextShard" -> nextShard = json.getIntValue();
        case "partitions" -> partitions = json.getIntValue();
        case "resharding" -> resharding = resharding(json);
        case "topic" -> topic = json.getText();
        default -> json.skipChildren();
      }
    }
    if (version < 1 || version > VERSION) {
      throw new UnreadableException(
          "v is %d; this program reads 1 to %d".formatted(version, VERSION));
    }
    return new StreamState(
        name,
        StreamState.Status.valueOf(status),
        StreamState.Mode.valueOf(mode),
        created,
        retentionHours,
        maxRecordKiB,
        keyId,
        metrics,
        tags,
        consumers,
        shards,
        nextShard,
        partitions,
        resharding,
        topic);
  }

  /** Reads what the parser stands on. */
  private interface Element<T> {
    T read(JsonParser json) throws IOException;
  }

  private static <T> List<T> list(JsonParser json, Element<T> element) throws IOException {
    List<T> list = new ArrayList<>();
    while (json.nextToken() != JsonToken.END_ARRAY) {
      list.add(element.read(json));
    }
    return list;
  }

  private static Map<String, String> tags(JsonParser json) throws IOException {
    Map<String, String> tags = new TreeMap<>();
    for (String key = json.nextFieldName(); key != null; key = json.nextFieldName()) {
      tags.put(key, json.nextTextValue());
    }
    return tags;
  }

  private static Consumer consumer(JsonParser json) throws IOException {
    String name = null;
    long created = 0;
    for (String field = json.nextFieldName(); field != null; field = json.nextFieldName()) {
      json.nextToken();
      switch (field) {
        case "name" -> name = json.getText();
        case "created" -> created = json.getLongValue();
        default -> json.skipChildren();
      }
    }
    return new Consumer(name, created);
  }

  private static Shard shard(JsonParser json) throws IOException {
    int number = 0;
    HashKey from = null;
    HashKey to = null;
    int parent = Shard.NONE;
    int adjacentParent = Shard.NONE;
    long created = 0;
    int partition = 0;
    long start = 0;
    long end = Shard.NONE;
    Shard.State state = null;
    long closedAt = Shard.NONE;
    for (String field = json.nextFieldName(); field != null; field = json.nextFieldName()) {
      json.nextToken();
      switch (field) {
        case "number" -> number = json.getIntValue();
        case "from" -> from = HashKey.parse(json.getText());
        case "to" -> to = HashKey.parse(json.getText());
        case "parent" -> parent = json.getIntValue();
        case "adjacentParent" -> adjacentParent = json.getIntValue();
        case "created" -> created = json.getLongValue();
        case "partition" -> partition = json.getIntValue();
        case "start" -> start = json.getLongValue();
        case "end" -> end = json.getLongValue();
        case "state" -> state = Shard.State.valueOf(json.getText());
        case "closedAt" -> closedAt = json.getLongValue();
        default -> json.skipChildren();
      }
    }
    return new Shard(
        number,
        new HashRange(from, to),
        parent,
        adjacentParent,
        created,
        partition,
        start,
        end,
        state,
        closedAt);
  }

  private static Resharding resharding(JsonParser json) throws IOException {
    int parent = Shard.NONE;
    int adjacentParent = Shard.NONE;
    HashKey at = null;
    int partition = Shard.NONE;
    int target = 0;
    for (String field = json.nextFieldName(); field != null; field = json.nextFieldName()) {
      json.nextToken();
      switch (field) {
        case "parent" -> parent = json.getIntValue();
        case "adjacentParent" -> adjacentParent = json.getIntValue();
        case "at" -> at = HashKey.parse(json.getText());
        case "partition" -> partition = json.getIntValue();
        case "target" -> target = json.getIntValue();
        default -> json.skipChildren();
      }
    }
    return new Resharding(parent, adjacentParent, at, partition, target);
  }
}
