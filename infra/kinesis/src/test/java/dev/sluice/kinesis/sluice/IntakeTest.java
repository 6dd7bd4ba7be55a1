package dev.sluice.kinesis.sluice;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.contract.Command;
import dev.sluice.contract.CommandJson;
import dev.sluice.contract.EventKind;
import dev.sluice.contract.InvalidRecordException;
import dev.sluice.contract.Membership;
import dev.sluice.contract.MembershipJson;
import dev.sluice.contract.RoomEvent;
import dev.sluice.contract.RoomEventJson;
import dev.sluice.identity.Session;
import dev.sluice.identity.Sessions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class IntakeTest {
  private static final Sessions SESSIONS = new Sessions("a secret of these tests");
  private static final Session SESSION = SESSIONS.issue();
  private static final Session FORGED = new Sessions("another").issue();
  private static final Intake INTAKE = new Intake(SESSIONS);

  /** With apostrophes for quotes, and names for sessions. */
  private static byte[] json(String text) {
    return text.replace('\'', '"')
        .replace("TOKEN", SESSION.token())
        .replace("HASH", SESSION.hash())
        .replace("FORGED", FORGED.token())
        .getBytes(UTF_8);
  }

  private static Command command(String text) throws InvalidRecordException {
    Intake.Taken taken = INTAKE.command(json(text));
    assertThat(new String(taken.value(), UTF_8)).doesNotContain(SESSION.token());
    assertThat(taken.counts()).isNull();
    return CommandJson.read(taken.roomId(), taken.value());
  }

  @Test
  void commandsAreStoredWithTheHashOfTheirSession() throws Exception {
    assertThat(command("{'type':'ENTER','v':1,'roomId':'r','requestId':'u','session':'TOKEN'}"))
        .isEqualTo(new Command.Enter("r", "u", SESSION.hash()));
    assertThat(command("{'type':'ENTER','v':1,'movieId':'r','requestId':'u','session':'TOKEN'}"))
        .isEqualTo(new Command.Enter("r", "u", SESSION.hash()));
    assertThat(
            command(
                "{'v':1,'type':'LEAVE','roomId':'r','requestId':'u','session':'TOKEN','ticket':7,'more':[1]}"))
        .isEqualTo(new Command.Leave("r", "u", 7, SESSION.hash()));
    assertThat(
            command(
                "{'v':1,'type':'HEARTBEAT','roomId':'r','requestId':'u','session':'TOKEN','ticket':7}"))
        .isEqualTo(new Command.Heartbeat("r", "u", 7, SESSION.hash()));
    assertThat(
            command(
                "{'v':1,'type':'COMPLETE','roomId':'r','requestId':'u','session':'TOKEN','ticket':7}"))
        .isEqualTo(new Command.Complete("r", "u", 7, SESSION.hash()));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "``                                                                     | JSON",
        "hello                                                                  | JSON",
        "[]                                                                     | object",
        "{}                                                                     | type is missing",
        "{'type':'TICK','v':1}                                                  | TICK can't be put",
        "{'type':'TICK','v':1,'roomId':'r','session':'TOKEN'}                   | TICK can't be put",
        "{'type':'RULES','v':1,'version':9}                                     | RULES can't be put",
        "{'type':'CONFIGURE','v':1,'settings':[]}                               | CONFIGURE can't be put",
        "{'type':'OTHER','v':1,'roomId':'r'}                                    | no command of type",
        "{'type':'ENTER','v':2,'roomId':'r','requestId':'u','session':'TOKEN'}  | v is 2",
        "{'type':'ENTER','roomId':'r','requestId':'u','session':'TOKEN'}        | v is missing",
        "{'type':'ENTER','v':1,'requestId':'u','session':'TOKEN'}               | roomId is missing",
        "{'type':'ENTER','v':1,'roomId':'','requestId':'u','session':'TOKEN'}   | 1 to 128 characters",
        "{'type':'ENTER','v':1,'roomId':'a b','requestId':'u','session':'TOKEN'} | 1 to 128 characters",
        "{'type':'ENTER','v':1,'roomId':1,'requestId':'u','session':'TOKEN'}    | must be a string",
        "{'type':'ENTER','v':1,'roomId':'r','movieId':'r','requestId':'u','session':'TOKEN'} | both",
        "{'type':'ENTER','v':1,'roomId':'r','session':'TOKEN'}                  | requestId is missing",
        "{'type':'ENTER','v':1,'roomId':'r','requestId':'ü','session':'TOKEN'}  | 1 to 128 characters",
        "{'type':'ENTER','v':1,'roomId':'r','requestId':'u'}                    | session is missing",
        "{'type':'ENTER','v':1,'roomId':'r','requestId':'u','session':'HASH'}   | token of a session",
        "{'type':'ENTER','v':1,'roomId':'r','requestId':'u','session':'FORGED'} | token of a session",
        "{'type':'LEAVE','v':1,'roomId':'r','requestId':'u','ticket':1}         | token of a session",
        "{'type':'LEAVE','v':1,'roomId':'r','requestId':'u','ticket':1,'session':null} | token of a session",
        "{'type':'LEAVE','v':1,'roomId':'r','requestId':'u','session':'TOKEN'}  | ticket of LEAVE",
        "{'type':'LEAVE','v':1,'roomId':'r','requestId':'u','ticket':0,'session':'TOKEN'} | ticket of LEAVE",
        "{'type':'ENTER','v':1,'roomId':'r','requestId':'u','session':'TOKEN'}x | JSON",
        "{'type':'ENTER','v':1,'roomId':'r','requestId':'u','session':'TOKEN'   | JSON",
      })
  void whatIsNoCommandOfAPersonIsRefused(String text, String why) {
    assertThatThrownBy(() -> INTAKE.command(json(text)))
        .isInstanceOf(InvalidRecordException.class)
        .hasMessageContaining(why)
        .message()
        .doesNotContain(SESSION.token());
  }

  @Test
  void whatIsTooLongIsRefused() {
    String long64 = " ".repeat(64 * 1024);

    assertThatThrownBy(
            () ->
                INTAKE.command(
                    json(
                        "{'type':'ENTER','v':1,'roomId':'r','requestId':'u','session':'TOKEN'}"
                            + long64)))
        .hasMessageContaining("at most 65536");
  }

  @Test
  void eventsAreStoredAsTheyAre() throws Exception {
    Intake.Taken taken =
        INTAKE.event(
            json("{'type':'MESSAGE','v':1,'roomId':'r','userId':'u','payload':{'a':[1, 2]}}"));

    assertThat(taken.roomId()).isEqualTo("r");
    assertThat(taken.counts()).isNull();
    assertThat(RoomEventJson.read(taken.value()))
        .isEqualTo(new RoomEvent(EventKind.MESSAGE, "r", "u", null, null, "{\"a\":[1, 2]}"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{'type':'JOIN','v':1,'roomId':'r'}                   | JOIN can't be put",
        "{'type':'MESSAGE','v':1}                             | roomId is missing",
        "{'type':'MESSAGE','v':1,'roomId':'r','country':'kr'} | capital letters",
        "{'type':'SHOUT','v':1,'roomId':'r'}                  | no event of type",
      })
  void whatIsNoEventOfAClientIsRefused(String text, String why) {
    assertThatThrownBy(() -> INTAKE.event(json(text))).hasMessageContaining(why);
  }

  @Test
  void joinsCountAsEventsAndLeavesDoNot() throws Exception {
    Intake.Taken join =
        INTAKE.membership(json("{'type':'JOIN','v':1,'roomId':'r','userId':'u','country':'KR'}"));
    Intake.Taken leave =
        INTAKE.membership(json("{'type':'LEAVE','v':1,'roomId':'r','userId':'u'}"));

    assertThat(MembershipJson.read("r", join.value()))
        .isEqualTo(new Membership("r", "u", true, "KR", null));
    assertThat(RoomEventJson.read(join.counts()))
        .isEqualTo(new RoomEvent(EventKind.JOIN, "r", "u", "KR", null, null));
    assertThat(MembershipJson.read("r", leave.value()))
        .isEqualTo(new Membership("r", "u", false, null, null));
    assertThat(leave.counts()).isNull();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{'type':'JOIN','v':1,'userId':'u'}              | roomId is missing",
        "{'type':'JOIN','v':1,'roomId':'r'}              | userId is missing",
        "{'type':'JOIN','v':1,'roomId':'/','userId':'u'} | 1 to 128 characters",
        "{'type':'ENTER','v':1,'roomId':'r'}             | no membership of type",
      })
  void whatIsNoMembershipIsRefused(String text, String why) {
    assertThatThrownBy(() -> INTAKE.membership(json(text))).hasMessageContaining(why);
  }
}
