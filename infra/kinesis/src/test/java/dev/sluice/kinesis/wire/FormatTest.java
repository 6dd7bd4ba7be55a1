package dev.sluice.kinesis.wire;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.dataformat.cbor.CBORFactory;
import com.fasterxml.jackson.dataformat.cbor.CBORGenerator;
import dev.sluice.kinesis.shard.ErrorType;
import dev.sluice.kinesis.shard.KinesisException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class FormatTest {
  private static final CBORFactory CBOR = new CBORFactory();

  @Test
  void aTimeIsMillisecondsInCborAndSecondsInJson() throws Exception {
    long millis = 1_459_799_926_480L;
    ByteBuffer tagged =
        cbor(
            out -> {
              out.writeFieldName("Timestamp");
              ((CBORGenerator) out).writeTag(1);
              out.writeNumber(millis);
            });
    ByteBuffer seconds =
        cbor(
            out -> {
              out.writeFieldName("Timestamp");
              ((CBORGenerator) out).writeTag(1);
              out.writeNumber(1_459_799_926.48);
            });
    ByteBuffer json = json("{\"Timestamp\":1459799926.480}");

    assertThat(Format.CBOR.read(Action.GET_SHARD_ITERATOR, tagged).time("Timestamp"))
        .isEqualTo(millis);
    assertThat(Format.CBOR.read(Action.GET_SHARD_ITERATOR, seconds).time("Timestamp"))
        .isEqualTo(millis);
    assertThat(Format.JSON.read(Action.GET_SHARD_ITERATOR, json).time("Timestamp"))
        .isEqualTo(millis);
    assertThat(text(Format.JSON, out -> out.time("t", millis))).isEqualTo("{\"t\":1459799926.480}");
    assertThat(text(Format.JSON, out -> out.time("t", 1_007))).isEqualTo("{\"t\":1.007}");
    assertThat(hex(Format.CBOR, out -> out.time("t", millis)))
        .isEqualTo("bf6174c11b" + "%016x".formatted(millis) + "ff");
  }

  @Test
  void theSameBytesComeOutOfEitherFormat() throws Exception {
    Random random = new Random(1);
    for (int length = 0; length < 70; length++) {
      byte[] data = new byte[length];
      random.nextBytes(data);

      Input ofCbor =
          Format.CBOR.read(Action.PUT_RECORD, cbor(out -> out.writeBinaryField("Data", data)));
      Input ofJson =
          Format.JSON.read(
              Action.PUT_RECORD,
              json("{\"Data\":\"" + Base64.getEncoder().encodeToString(data) + "\"}"));

      assertThat(ofCbor.blob("Data")).isEqualTo(data);
      assertThat(ofJson.blob("Data")).isEqualTo(data);
      assertThat(text(Format.JSON, out -> out.blob("Data", ofCbor.blob("Data"))))
          .isEqualTo("{\"Data\":\"" + Base64.getEncoder().encodeToString(data) + "\"}");
      assertThat(
              Format.CBOR
                  .read(
                      Action.PUT_RECORD,
                      Format.CBOR.write(out -> out.blob("Data", ofJson.blob("Data"))))
                  .blob("Data"))
          .isEqualTo(data);
    }
  }

  @Test
  void largeDataComesThrough() throws Exception {
    byte[] data = new byte[1_000_000];
    new Random(2).nextBytes(data);

    for (Format format : Format.values()) {
      ByteBuffer body = format.write(out -> out.blob("Data", data).text("PartitionKey", "k"));

      assertThat(format.read(Action.PUT_RECORD, body).blob("Data")).isEqualTo(data);
    }
  }

  @Test
  void everyTypeIsReadFromBothFormats() throws Exception {
    Answer request =
        out -> {
          out.text("StreamName", "a").flag("EnforceConsumerDeletion", true).number("Limit", 7);
          out.object("Tags").text("k", "v").text("ü", "").end();
          out.array("TagKeys").text("x").text("y").end();
          out.array("Records").object().text("PartitionKey", "p").end().end();
          out.object("StartingPosition").text("Type", "LATEST").end();
          out.object("Unknown").array("a").object().end().end().end();
        };
    for (Format format : Format.values()) {
      ByteBuffer body = format.write(request);

      assertThat(format.read(Action.DELETE_STREAM, body).flag("EnforceConsumerDeletion")).isTrue();
      assertThat(format.read(Action.DELETE_STREAM, body).text("StreamName")).isEqualTo("a");
      assertThat(format.read(Action.GET_RECORDS, body).number("Limit", 1)).isEqualTo(7);
      assertThat(format.read(Action.LIST_SHARDS, body).number("MaxResults", 1)).isEqualTo(1);
      assertThat(format.read(Action.ADD_TAGS_TO_STREAM, body).map("Tags"))
          .isEqualTo(Map.of("k", "v", "ü", ""));
      assertThat(format.read(Action.UNTAG_RESOURCE, body).texts("TagKeys"))
          .isEqualTo(List.of("x", "y"));
      assertThat(format.read(Action.PUT_RECORDS, body).structures("Records"))
          .singleElement()
          .extracting(record -> record.text("PartitionKey"))
          .isEqualTo("p");
      assertThat(
              format
                  .read(Action.SUBSCRIBE_TO_SHARD, body)
                  .structure("StartingPosition")
                  .text("Type"))
          .isEqualTo("LATEST");
    }
  }

  /** What the service itself has been seen to answer. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "true|class java.lang.Boolean can not be converted to a Blob",
        "23|class com.amazon.coral.value.json.numbers.TruncatingBigNumber can not be converted to a"
            + " Blob",
        "34.56|class com.amazon.coral.value.json.numbers.TruncatingBigNumber can not be converted"
            + " to a Blob",
        "[]|Start of list found where not expected",
        "{}|Start of structure or map found where not expected.",
        "\"23456\"|'23456' can not be converted to a Blob: Base64 encoded length is expected a"
            + " multiple of 4 bytes but found: 5",
        "\"=+/=\"|'=+/=' can not be converted to a Blob: Invalid Base64 character: '='",
        "\"a b=\"|'a b=' can not be converted to a Blob: Invalid Base64 character: ' '",
        "\"+/+=\"|'+/+=' can not be converted to a Blob: Invalid last non-pad Base64 character"
            + " dectected"
      })
  void whatIsNoBlobIsSaidSo(String value, String message) {
    assertWrongType(Action.PUT_RECORD, "Data", value, message);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "PUT_RECORD|PartitionKey|true|class java.lang.Boolean can not be converted to an String",
        "PUT_RECORD|PartitionKey|1|class com.amazon.coral.value.json.numbers.TruncatingBigNumber"
            + " can not be converted to an String",
        "PUT_RECORD|PartitionKey|[]|Start of list found where not expected",
        "CREATE_STREAM|ShardCount|\"1\"|class java.lang.String can not be converted to an Integer",
        "CREATE_STREAM|ShardCount|{}|Start of structure or map found where not expected.",
        "DELETE_STREAM|EnforceConsumerDeletion|23|class"
            + " com.amazon.coral.value.json.numbers.TruncatingBigNumber can not be converted to an"
            + " Boolean",
        "DELETE_STREAM|EnforceConsumerDeletion|\"maybe\"|'MAYBE' can not be converted to an"
            + " Boolean",
        "GET_SHARD_ITERATOR|Timestamp|\"now\"|class java.lang.String can not be converted to"
            + " milliseconds since epoch",
        "PUT_RECORDS|Records|\"23\"|Expected list or null",
        "PUT_RECORDS|Records|{}|Start of structure or map found where not expected.",
        "PUT_RECORDS|Records|[1]|Expected null",
        "PUT_RECORDS|Records|[[]]|Start of list found where not expected",
        "ADD_TAGS_TO_STREAM|Tags|1|Expected map or null",
        "ADD_TAGS_TO_STREAM|Tags|[]|Start of list found where not expected",
        "ADD_TAGS_TO_STREAM|Tags|{\"a\":1}|class"
            + " com.amazon.coral.value.json.numbers.TruncatingBigNumber can not be converted to an"
            + " String",
        "SUBSCRIBE_TO_SHARD|StartingPosition|true|Expected null"
      })
  void whatIsOfAnotherTypeIsSaidSo(Action action, String field, String value, String message) {
    assertWrongType(action, field, value, message);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"PartitionKey\":\"\\ud800\"}",
        "{\"PartitionKey\":\"a\\udc00\"}",
        "{\"PartitionKey\":\"\\ud800\\ud800\\udc00\"}",
        "{\"Records\":[{\"PartitionKey\":\"\\ud800b\"}]}",
        "{\"TagKeys\":[\"\\udc00\\ud800\"]}",
        "{\"Tags\":{\"a\":\"\\ud800\"}}"
      })
  void halfACharacterIsNoText(String body) {
    Action action =
        body.contains("Records")
            ? Action.PUT_RECORDS
            : body.contains("TagKeys")
                ? Action.UNTAG_RESOURCE
                : body.contains("Tags") ? Action.ADD_TAGS_TO_STREAM : Action.PUT_RECORD;

    assertHalf(() -> Format.JSON.read(action, json(body)));
  }

  @ParameterizedTest
  @ValueSource(strings = {"63eda080", "64eda08061", "66eda080eda080"})
  void halfACharacterIsNoTextInCbor(String text) {
    String partitionKey = "6c506172746974696f6e4b6579";
    String tags = "6454616773";
    ByteBuffer value = hex("bf" + partitionKey + text + "ff");
    ByteBuffer key = hex("bf" + tags + "bf" + text + "60" + "ffff");

    assertHalf(() -> Format.CBOR.read(Action.PUT_RECORD, value));
    assertHalf(() -> Format.CBOR.read(Action.ADD_TAGS_TO_STREAM, key));
  }

  private static ByteBuffer hex(String hex) {
    return ByteBuffer.wrap(HexFormat.of().parseHex(hex));
  }

  private static void assertHalf(ThrowingCallable read) {
    assertThatThrownBy(read)
        .isInstanceOfSatisfying(
            KinesisException.class, e -> assertThat(e.type()).isEqualTo(ErrorType.SERIALIZATION))
        .hasMessage("A String has half of a surrogate pair");
  }

  @Test
  void aCharacterOfTwoHalvesIsText() throws Exception {
    Input input =
        Format.JSON.read(Action.PUT_RECORD, json("{\"PartitionKey\":\"\\ud83d\\ude00a😀\"}"));

    assertThat(input.text("PartitionKey")).isEqualTo("😀a😀");
    ByteBuffer cbor = Format.CBOR.write(out -> out.text("PartitionKey", "😀"));
    assertThat(Format.CBOR.read(Action.PUT_RECORD, cbor).text("PartitionKey")).isEqualTo("😀");
  }

  @Test
  void aTextIsNoBlobInCbor() {
    KinesisException refusal =
        catchThrowableOfType(
            KinesisException.class,
            () ->
                Format.CBOR.read(
                    Action.PUT_RECORD, cbor(out -> out.writeStringField("Data", "YQ=="))));

    assertThat(refusal).hasMessage("class java.lang.String can not be converted to a Blob");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "hello",
        "null",
        "[]",
        "1",
        "\"\"",
        "{",
        "{\"Data\":",
        "{\"Data\"",
        "{\"Data\":1",
        "{\"Data\":1}}",
        "{\"Tags\":{",
        "{}{}",
        "{} x",
        "{'a':1}",
        "{\"a\":NaN}"
      })
  void whatIsNoJsonIsMalformed(String body) {
    for (Action action : List.of(Action.PUT_RECORD, Action.ADD_TAGS_TO_STREAM)) {
      assertThatThrownBy(() -> Format.JSON.read(action, json(body)))
          .isInstanceOf(MalformedBodyException.class);
    }
    assertThatThrownBy(() -> Format.JSON.skim(json(body)))
        .isInstanceOf(MalformedBodyException.class);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "bf",
        "a1",
        "a16144",
        "80",
        "f6",
        "01",
        "bfffbf",
        "a0a0",
        "ff",
        "bf6444617461",
        "bf64446174615affffffff00",
        "bf64446174615f41",
        "a16444617461",
        "1c",
        "bf7fff",
        "d9d9f7"
      })
  void whatIsNoCborIsMalformed(String hex) {
    ByteBuffer body = ByteBuffer.wrap(HexFormat.of().parseHex(hex));

    assertThatThrownBy(() -> Format.CBOR.read(Action.PUT_RECORD, body))
        .isInstanceOf(MalformedBodyException.class);
    assertThatThrownBy(() -> Format.CBOR.skim(body)).isInstanceOf(MalformedBodyException.class);
  }

  @Test
  void numbersAreTruncatedAndKeptWithinTheirType() throws Exception {
    Map.of(
            "1.9",
            1,
            "1e400",
            Integer.MAX_VALUE,
            "-99999999999",
            Integer.MIN_VALUE,
            "123456789012345678901234567890",
            Integer.MAX_VALUE,
            "1e2",
            100)
        .forEach(
            (number, expected) -> {
              try {
                assertThat(
                        Format.JSON
                            .read(Action.GET_RECORDS, json("{\"Limit\":" + number + "}"))
                            .number("Limit", 0))
                    .isEqualTo(expected);
              } catch (MalformedBodyException e) {
                throw new AssertionError(number, e);
              }
            });
  }

  @Test
  void theDeepestNestingIsMalformedAndNoMore() {
    String body = "{\"x\":" + "[".repeat(200_000);

    assertThatThrownBy(() -> Format.JSON.read(Action.PUT_RECORD, json(body)))
        .isInstanceOf(MalformedBodyException.class);
  }

  @ParameterizedTest
  @CsvSource({
    "application/x-amz-json-1.1,JSON",
    "application/x-amz-json-1.1; charset=utf-8,JSON",
    "Application/X-Amz-Json-1.1,JSON",
    "application/x-amz-cbor-1.1,CBOR",
    "application/json,",
    ","
  })
  void aContentTypeHasItsFormat(String contentType, Format format) {
    assertThat(Format.of(contentType)).isEqualTo(format);
  }

  @Test
  void anErrorSaysItsTypeAndMessage() {
    assertThat(string(Format.JSON.write(ErrorType.VALIDATION, "no")))
        .isEqualTo("{\"__type\":\"ValidationException\",\"message\":\"no\"}");
    assertThat(string(Format.JSON.write(ErrorType.SERIALIZATION, "no")))
        .isEqualTo("{\"__type\":\"SerializationException\",\"Message\":\"no\"}");
    assertThat(string(Format.JSON.write(ErrorType.UNKNOWN_OPERATION, null)))
        .isEqualTo("{\"__type\":\"UnknownOperationException\"}");
  }

  private static void assertWrongType(Action action, String field, String value, String message) {
    String body = "{\"" + field + "\":" + value;

    assertThat(
            catchThrowableOfType(
                KinesisException.class, () -> Format.JSON.read(action, json(body + ",\"z\":[1]}"))))
        .hasMessage(message)
        .extracting(KinesisException::type)
        .isEqualTo(ErrorType.SERIALIZATION);
    assertThatThrownBy(() -> Format.JSON.read(action, json(body + ",\"z\":[1}")))
        .isInstanceOf(MalformedBodyException.class);
  }

  private interface Fields {
    void write(JsonGenerator out) throws IOException;
  }

  private static ByteBuffer cbor(Fields fields) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (JsonGenerator out = CBOR.createGenerator(bytes)) {
      out.writeStartObject();
      fields.write(out);
      out.writeEndObject();
    }
    return ByteBuffer.wrap(bytes.toByteArray());
  }

  private static ByteBuffer json(String text) {
    return ByteBuffer.wrap(text.getBytes(UTF_8));
  }

  private static String text(Format format, Answer answer) {
    return string(format.write(answer));
  }

  private static String hex(Format format, Answer answer) {
    ByteBuffer bytes = format.write(answer);
    byte[] copy = new byte[bytes.remaining()];
    bytes.get(copy);
    return HexFormat.of().formatHex(copy);
  }

  private static String string(ByteBuffer bytes) {
    return UTF_8.decode(bytes).toString();
  }
}
