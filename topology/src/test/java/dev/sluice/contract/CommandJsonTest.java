package dev.sluice.contract;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.contract.GoldenSamples.Sample;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CommandJsonTest {
  @Test
  void whatWasOnceWrittenIsReadAndWrittenTheSame() throws Exception {
    Set<Class<?>> seen = new HashSet<>();
    for (Sample sample : GoldenSamples.in("commands.txt")) {
      Command command = CommandJson.read(sample.key(), sample.value());
      seen.add(command.getClass());

      assertThat(CommandJson.write(command)).asString(UTF_8).isEqualTo(sample.json());
    }
    assertThat(seen).containsExactlyInAnyOrderElementsOf(ContractTypes.of(Command.class));
  }

  @Test
  void fieldsComeInAnyOrderAndUnknownOnesArePassedOver() throws Exception {
    Command command =
        read(
            "lobby",
            "{\"later\":{\"a\":[1,{\"type\":\"TICK\"}]},\"session\":\"s\",\"v\":1,"
                + "\"requestId\":\"u\",\"type\":\"ENTER\"}");

    assertThat(command).isEqualTo(new Command.Enter("lobby", "u", "s"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      nullValues = "-",
      value = {
        "lobby | hello | the value is not JSON, at column 1",
        "lobby | '' | the value is not a JSON object",
        "lobby | [] | the value is not a JSON object",
        "lobby | {\"type\":\"TICK\",\"v\":1 | the value is not JSON, at column 21",
        "lobby | {\"type\":\"TICK\",\"v\":1} {} | something follows the JSON object",
        "lobby | {\"v\":1} | type is missing",
        "lobby | {\"type\":\"TICK\"} | v is missing in TICK",
        "lobby | {\"type\":\"TICK\",\"v\":2} | v is 2; this program reads 1 to 1",
        "lobby | {\"type\":\"TICK\",\"v\":0} | v is 0; this program reads 1 to 1",
        "lobby | {\"type\":\"TICK\",\"v\":\"1\"} | v must be a whole number",
        "lobby | {\"type\":\"DANCE\",\"v\":1} | there is no command of type \"DANCE\"",
        "lobby | {\"type\":7,\"v\":1} | type must be a string",
        "lobby | {\"type\":\"ENTER\",\"v\":1,\"session\":\"s\"} | requestId is missing in ENTER",
        "lobby | {\"type\":\"ENTER\",\"v\":1,\"requestId\":\"u\"} | session is missing in ENTER",
        "lobby | {\"type\":\"ENTER\",\"v\":1,\"requestId\":\"a b\",\"session\":\"s\"} |"
            + " requestId of ENTER must be 1 to 128 characters of A-Z a-z 0-9 . _ : -",
        "lo by | {\"type\":\"ENTER\",\"v\":1,\"requestId\":\"u\",\"session\":\"s\"} |"
            + " the key of ENTER must be 1 to 128 characters of A-Z a-z 0-9 . _ : -",
        "- | {\"type\":\"ENTER\",\"v\":1,\"requestId\":\"u\",\"session\":\"s\"} |"
            + " ENTER needs the room as the key of its record",
        "lobby | {\"type\":\"LEAVE\",\"v\":1,\"requestId\":\"u\"} |"
            + " ticket of LEAVE must be a whole number from 1",
        "lobby | {\"type\":\"LEAVE\",\"v\":1,\"requestId\":\"u\",\"ticket\":-1} |"
            + " ticket of LEAVE must be a whole number from 1",
        "lobby | {\"type\":\"LEAVE\",\"v\":1,\"requestId\":\"u\",\"ticket\":1.5} |"
            + " ticket must be a whole number",
        "lobby | {\"type\":\"LEAVE\",\"v\":1,\"requestId\":\"u\",\"ticket\":9223372036854775808} |"
            + " ticket is too large a number",
        "- | {\"type\":\"RULES\",\"v\":1} | version of RULES must be a whole number from 1",
        "- | {\"type\":\"RULES\",\"v\":1,\"version\":2147483648} | version is too large a number",
        "- | {\"type\":\"CONFIGURE\",\"v\":1} | settings is missing in CONFIGURE",
        "- | {\"type\":\"CONFIGURE\",\"v\":1,\"settings\":{}} | settings must be an array",
        "- | {\"type\":\"CONFIGURE\",\"v\":1,\"settings\":[1]} | an array may hold objects only",
        "- | {\"type\":\"CONFIGURE\",\"v\":1,\"settings\":[{\"key\":\"a\"}]} |"
            + " a setting needs a key and an offset from 0",
        "- | {\"type\":\"CONFIGURE\",\"v\":1,\"settings\":[{\"key\":\"a\",\"value\":[],\"offset\":1}]}"
            + " | value must be a string, a number, true, false or null",
      })
  void whatIsWrongIsSaidInWords(String key, String json, String words) {
    assertThatThrownBy(() -> read(key, json))
        .isInstanceOf(InvalidRecordException.class)
        .hasMessage(words);
  }

  @Test
  void aRecordWithoutValueIsInvalid() {
    assertThatThrownBy(() -> CommandJson.read("lobby", null))
        .isInstanceOf(InvalidRecordException.class)
        .hasMessage("the record has no value");
  }

  @Test
  void aValueOfTwoMegabytesIsInvalid() {
    assertThatThrownBy(() -> CommandJson.read("lobby", new byte[2_000_000]))
        .isInstanceOf(InvalidRecordException.class)
        .hasMessage("the value has 2000000 bytes, at most 65536 are allowed");
  }

  @Test
  void deepNestingIsInvalidNotFatal() {
    String deep = "[".repeat(30_000);

    assertThatThrownBy(() -> read("lobby", "{\"x\":" + deep))
        .isInstanceOf(InvalidRecordException.class);
  }

  @Test
  void noMoreSettingsAreReadThanMayBeWritten() throws Exception {
    AcceptedSetting setting = new AcceptedSetting("admission.capacity", null, "1", 1);
    List<AcceptedSetting> most = Collections.nCopies(CommandJson.MAX_SETTINGS, setting);
    List<AcceptedSetting> more = Collections.nCopies(CommandJson.MAX_SETTINGS + 1, setting);

    assertThat(CommandJson.read(null, CommandJson.write(new Command.Configure(most))))
        .isEqualTo(new Command.Configure(most));
    assertThatThrownBy(() -> CommandJson.read(null, CommandJson.write(new Command.Configure(more))))
        .hasMessage("more than 100 settings");
  }

  @Test
  void aSettingThatIsNoScalarIsNotWritten() {
    Command configure =
        new Command.Configure(List.of(new AcceptedSetting("admission.capacity", null, "{}", 1)));

    assertThatThrownBy(() -> CommandJson.write(configure))
        .isInstanceOf(IllegalArgumentException.class);
  }

  private static Command read(String key, String json) throws InvalidRecordException {
    return CommandJson.read(key, json.getBytes(UTF_8));
  }
}
