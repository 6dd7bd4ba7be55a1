package dev.sluice.kinesis.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.dataformat.cbor.CBORFactory;
import dev.sluice.kinesis.wire.Action;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;

/** Whatever is sent, the endpoint answers, and the fault is the client's. */
class GarbageProperties {
  private static final int TRIES = 100;
  private static final List<String> NAMES =
      List.of(
          "StreamName",
          "StreamARN",
          "Records",
          "Data",
          "PartitionKey",
          "ExplicitHashKey",
          "Tags",
          "TagKeys",
          "ShardCount",
          "Timestamp",
          "StartingPosition",
          "ShardFilter",
          "Type",
          "Limit",
          "ConsumerARN",
          "EnforceConsumerDeletion",
          "StreamModeDetails",
          "other");

  private static KinesisServer server;
  private static HttpClient http;

  @BeforeContainer
  static void start() throws IOException {
    server =
        new KinesisServer(
            HttpSettings.local(0),
            new FakeOperations().operations(),
            Clock.systemUTC(),
            FakeOperations.MEMORY,
            FakeOperations.METERS);
    server.start();
    http = HttpClient.newHttpClient();
  }

  @AfterContainer
  static void stop() {
    server.close();
  }

  @Property(tries = TRIES)
  void randomBytesAreRefused(@ForAll Action action, @ForAll boolean cbor, @ForAll byte[] body)
      throws Exception {
    assertThat(status(action, cbor, body)).isBetween(200, 499);
  }

  @Property(tries = TRIES)
  void objectsOfAnyShapeAreRefusedOrServed(
      @ForAll Action action, @ForAll boolean cbor, @ForAll("objects") Map<String, Object> object)
      throws Exception {
    assertThat(status(action, cbor, encoded(object, cbor))).isBetween(200, 499);
  }

  @Property(tries = TRIES)
  void whatIsDamagedOnItsWayIsRefusedOrServed(
      @ForAll Action action,
      @ForAll boolean cbor,
      @ForAll("objects") Map<String, Object> object,
      @ForAll int at,
      @ForAll byte value,
      @ForAll boolean truncated)
      throws Exception {
    byte[] body = encoded(object, cbor);
    int index = Math.floorMod(at, body.length);
    body[index] = value;
    byte[] sent = truncated ? java.util.Arrays.copyOf(body, index) : body;

    assertThat(status(action, cbor, sent)).isBetween(200, 499);
  }

  @Provide
  Arbitrary<Map<String, Object>> objects() {
    return object(2);
  }

  private static Arbitrary<Map<String, Object>> object(int depth) {
    return Arbitraries.maps(Arbitraries.of(NAMES), value(depth)).ofMaxSize(6);
  }

  private static Arbitrary<Object> value(int depth) {
    Arbitrary<Object> scalar =
        Arbitraries.oneOf(
            Arbitraries.strings().ofMaxLength(20).map(text -> (Object) text),
            Arbitraries.of("a", "LATEST", FakeOperations.ARN, "YQ==", "0").map(text -> text),
            Arbitraries.longs().map(number -> (Object) number),
            Arbitraries.doubles().map(number -> (Object) number),
            Arbitraries.bigIntegers().map(number -> (Object) number),
            Arbitraries.of(true, false).map(flag -> (Object) flag),
            Arbitraries.bytes().array(byte[].class).ofMaxSize(9).map(bytes -> (Object) bytes));
    if (depth == 0) {
      return scalar;
    }
    return Arbitraries.oneOf(
        scalar,
        value(depth - 1).list().ofMaxSize(3).map(list -> (Object) list),
        Combinators.combine(object(depth - 1), Arbitraries.just(0)).as((map, none) -> map));
  }

  private static byte[] encoded(Map<String, Object> object, boolean cbor) throws IOException {
    JsonFactory factory = cbor ? new CBORFactory() : new JsonFactory();
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (JsonGenerator out = factory.createGenerator(bytes)) {
      write(out, object);
    }
    return bytes.toByteArray();
  }

  private static void write(JsonGenerator out, Object value) throws IOException {
    if (value instanceof Map<?, ?> map) {
      out.writeStartObject();
      for (Map.Entry<?, ?> entry : map.entrySet()) {
        out.writeFieldName((String) entry.getKey());
        write(out, entry.getValue());
      }
      out.writeEndObject();
    } else if (value instanceof List<?> list) {
      out.writeStartArray();
      for (Object element : list) {
        write(out, element);
      }
      out.writeEndArray();
    } else if (value instanceof byte[] bytes) {
      out.writeBinary(bytes);
    } else if (value instanceof Number number) {
      if (number instanceof java.math.BigInteger big) {
        out.writeNumber(big);
      } else if (number instanceof Double) {
        out.writeNumber(number.doubleValue());
      } else {
        out.writeNumber(number.longValue());
      }
    } else if (value instanceof Boolean flag) {
      out.writeBoolean(flag);
    } else {
      // Without lone surrogates, which a generator refuses.
      out.writeString(((String) value).replaceAll("[\\ud800-\\udfff]", "?"));
    }
  }

  private static int status(Action action, boolean cbor, byte[] body) throws Exception {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.port() + "/"))
            .header("Content-Type", "application/x-amz-" + (cbor ? "cbor" : "json") + "-1.1")
            .header("X-Amz-Target", "Kinesis_20131202." + action.title())
            .header("X-Amz-Date", "20260101T000000Z")
            .header("Authorization", "a Credential=b SignedHeaders=c Signature=d")
            .POST(HttpRequest.BodyPublishers.ofByteArray(body))
            .build();
    return http.send(request, HttpResponse.BodyHandlers.discarding()).statusCode();
  }
}
