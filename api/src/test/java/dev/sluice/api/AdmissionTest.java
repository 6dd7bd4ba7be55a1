package dev.sluice.api;

import static dev.sluice.api.ApiUnderTest.name;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.api.InMemoryTopology.LogMode;
import dev.sluice.contract.Command;
import dev.sluice.identity.PassCheck;
import dev.sluice.query.QueryException.Kind;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class AdmissionTest {
  private static ApiUnderTest api;
  private static int rooms;
  private String room;
  private String session;

  @BeforeAll
  static void start() {
    api = ApiUnderTest.start("sluice.api.answer-within=300ms");
  }

  @AfterAll
  static void stop() {
    api.close();
  }

  @BeforeEach
  void anotherRoom() {
    room = "room-" + ++rooms;
    session = api.session();
  }

  @AfterEach
  void allIsWell() {
    api.topology.log(LogMode.STORES);
  }

  @Test
  void spare_capacity_admits_at_once_with_a_pass() {
    Http.Answer answer = api.call("enter", room, "u-1", session);

    assertThat(answer.status()).isEqualTo(200);
    assertThat(answer.text("status")).isEqualTo("ADMITTED");
    assertThat(answer.body().path("ticket").intValue()).isEqualTo(1);
    PassCheck check = api.passes.verify(answer.text("pass"), room, api.topology.now());
    assertThat(check).isInstanceOf(PassCheck.Valid.class);
    Instant end = Instant.parse(answer.text("expiresAt"));
    assertThat(((PassCheck.Valid) check).expiresAt()).isLessThanOrEqualTo(end.toEpochMilli());
  }

  @Test
  void who_finds_no_place_waits_with_a_rank() {
    capacity(1);
    enter("u-1");
    Http.Answer second = enter("u-2");
    Http.Answer third = enter("u-3");

    assertThat(second.status()).isEqualTo(202);
    assertThat(second.text("status")).isEqualTo("WAITING");
    assertThat(second.body().path("rank").intValue()).isEqualTo(1);
    assertThat(third.body().path("rank").intValue()).isEqualTo(2);
    assertThat(third.body().path("totalWaiting").intValue()).isEqualTo(2);
    assertThat(third.body().path("estimatedWaitSeconds").isNull()).isTrue();
    assertThat(third.body().path("recommendedPollingInterval").intValue()).isEqualTo(2000);
    assertThat(third.text("version")).startsWith("3:");
    assertThat(third.body().path("receipt").path("partition").intValue()).isEqualTo(3);
    assertThat(third.body().has("pass")).isFalse();
  }

  @Test
  void entering_again_gives_the_present_state_and_the_same_receipt() {
    capacity(1);
    enter("u-1");
    Http.Answer first = enter("u-2");
    Http.Answer again = enter("u-2");

    assertThat(again.status()).isEqualTo(202);
    assertThat(again.body().path("ticket")).isEqualTo(first.body().path("ticket"));
    assertThat(again.body().path("receipt")).isEqualTo(first.body().path("receipt"));
    assertThat(enter("u-1").body().path("ticket").intValue()).isEqualTo(1);
  }

  @Test
  void enter_without_a_session_issues_one_as_cookie_and_in_the_body() {
    Http.Answer answer = api.http.post("/api/admission/enter", name(room, "u-1"));

    String token = answer.text("sessionId");
    assertThat(answer.header("Set-Cookie"))
        .isEqualTo("SLUICE_SESSION=" + token + "; Path=/; HttpOnly; SameSite=Lax");
    Http.Answer status =
        api.http.get(
            "/api/admission/status?roomId=" + room + "&requestId=u-1",
            "Cookie",
            "a=b; SLUICE_SESSION=" + token);
    assertThat(status.text("status")).isEqualTo("ADMITTED");
    assertThat(status.body().has("sessionId")).isFalse();
  }

  @Test
  void a_session_can_be_issued_beforehand() {
    Http.Answer answer = api.http.post("/api/sessions/issue", null);

    assertThat(answer.status()).isEqualTo(201);
    assertThat(answer.header("Set-Cookie")).contains(answer.text("sessionId"));
    Http.Answer entered = api.call("enter", room, "u-1", answer.text("sessionId"));
    assertThat(entered.header("Set-Cookie")).isNull();
    assertThat(entered.body().has("sessionId")).isFalse();
  }

  @Test
  void a_forged_session_is_401_and_so_is_none_where_one_is_needed() {
    String forged = session.substring(0, session.length() - 1) + "!";
    for (String call : List.of("enter", "heartbeat", "complete", "leave")) {
      assertThat(api.call(call, room, "u-1", forged).status()).as(call).isEqualTo(401);
      assertThat(
              api.http
                  .post("/api/admission/" + call, name(room, "u-1"), "Cookie", "SLUICE_SESSION=x")
                  .status())
          .as(call)
          .isEqualTo(401);
    }
    assertThat(api.status(room, "u-1", forged).status()).isEqualTo(401);
    for (String call : List.of("heartbeat", "complete", "leave")) {
      assertThat(api.http.post("/api/admission/" + call, name(room, "u-1")).status())
          .as(call)
          .isEqualTo(401);
    }
    assertThat(api.http.get("/api/admission/status?roomId=a&requestId=b").status()).isEqualTo(401);
  }

  @Test
  void every_call_on_another_sessions_person_is_403() {
    enter("u-1");
    String other = api.session();
    for (String call : List.of("enter", "heartbeat", "complete", "leave")) {
      assertThat(api.call(call, room, "u-1", other).status()).as(call).isEqualTo(403);
    }
    assertThat(api.status(room, "u-1", other).status()).isEqualTo(403);
    assertThat(api.status(room, "u-1", session).text("status")).isEqualTo("ADMITTED");
  }

  @Test
  void who_never_entered_is_404() {
    for (String call : List.of("heartbeat", "complete", "leave")) {
      assertThat(api.call(call, room, "nobody", session).status()).as(call).isEqualTo(404);
    }
    assertThat(api.status(room, "nobody", session).status()).isEqualTo(404);
  }

  @Test
  void complete_frees_the_place_for_the_next_in_the_same_step() {
    capacity(1);
    enter("u-1");
    enter("u-2");
    Http.Answer done = api.call("complete", room, "u-1", session);

    assertThat(done.status()).isEqualTo(200);
    assertThat(done.text("status")).isEqualTo("COMPLETED");
    assertThat(api.status(room, "u-2", session).text("status")).isEqualTo("ADMITTED");
    assertThat(api.call("complete", room, "u-1", session).status()).isEqualTo(200);
  }

  @Test
  void complete_while_waiting_or_ended_otherwise_is_409() {
    capacity(1);
    enter("u-1");
    enter("u-2");
    assertThat(api.call("complete", room, "u-2", session).status()).isEqualTo(409);
    api.call("leave", room, "u-1", session);
    assertThat(api.call("complete", room, "u-1", session).status()).isEqualTo(409);
    api.topology.pass(Duration.ofSeconds(31));
    assertThat(api.call("complete", room, "u-2", session).status()).isEqualTo(409);
  }

  @Test
  void leave_ends_a_place_and_again_gives_the_present_state() {
    capacity(1);
    enter("u-1");
    enter("u-2");
    enter("u-3");
    assertThat(api.call("leave", room, "u-2", session).text("status")).isEqualTo("LEFT");
    assertThat(api.status(room, "u-3", session).body().path("rank").intValue()).isEqualTo(1);
    Http.Answer again = api.call("leave", room, "u-2", session);
    assertThat(again.status()).isEqualTo(200);
    assertThat(again.text("status")).isEqualTo("LEFT");
    api.call("complete", room, "u-1", session);
    assertThat(api.call("leave", room, "u-1", session).text("status")).isEqualTo("COMPLETED");
  }

  @Test
  void a_heartbeat_renews_the_place_and_gives_a_new_pass() {
    Http.Answer entered = enter("u-1");
    api.topology.pass(Duration.ofSeconds(20));
    Http.Answer beat = api.call("heartbeat", room, "u-1", session);

    assertThat(beat.status()).isEqualTo(200);
    assertThat(Instant.parse(beat.text("expiresAt")))
        .isEqualTo(Instant.parse(entered.text("expiresAt")).plusSeconds(20));
    assertThat(beat.text("pass")).isNotEqualTo(entered.text("pass"));
    api.topology.pass(Duration.ofSeconds(20));
    assertThat(api.status(room, "u-1", session).text("status")).isEqualTo("ADMITTED");
  }

  @Test
  void a_heartbeat_while_waiting_changes_nothing() {
    capacity(1);
    enter("u-1");
    Http.Answer waiting = enter("u-2");
    int logged = api.topology.commands().size();
    Http.Answer beat = api.call("heartbeat", room, "u-2", session);

    assertThat(beat.status()).isEqualTo(200);
    assertThat(beat.body()).isEqualTo(waiting.body());
    assertThat(api.topology.commands()).hasSize(logged);
  }

  @Test
  void a_heartbeat_after_the_end_is_409() {
    enter("u-1");
    api.topology.pass(Duration.ofSeconds(31));

    assertThat(api.call("heartbeat", room, "u-1", session).status()).isEqualTo(409);
    Http.Answer status = api.status(room, "u-1", session);
    assertThat(status.text("status")).isEqualTo("EXPIRED");
    assertThat(status.text("reason")).isEqualTo("TIMEOUT");
  }

  @Test
  void after_the_end_one_enters_anew_at_the_back() {
    capacity(1);
    enter("u-1");
    enter("u-2");
    api.call("complete", room, "u-1", session);
    Http.Answer anew = enter("u-1");

    assertThat(anew.text("status")).isEqualTo("WAITING");
    assertThat(anew.body().path("ticket").intValue()).isEqualTo(3);
  }

  @Test
  void a_closed_room_says_so_and_tells_who_waits() {
    capacity(1);
    enter("u-1");
    enter("u-2");
    api.topology.configure("admission.state", room, "\"CLOSED\"");
    Http.Answer refused = enter("u-3");

    assertThat(refused.status()).isEqualTo(409);
    assertThat(refused.text("type")).isEqualTo("urn:sluice:problem:room-closed");
    assertThat(api.status(room, "u-2", session).text("reason")).isEqualTo("CLOSED");
    assertThat(api.status(room, "u-1", session).text("status")).isEqualTo("ADMITTED");
  }

  @Test
  void a_draining_room_takes_nobody_new() {
    api.topology.configure("admission.state", room, "\"DRAINING\"");
    Http.Answer refused = enter("u-1");

    assertThat(refused.status()).isEqualTo(409);
    assertThat(refused.text("type")).isEqualTo("urn:sluice:problem:room-draining");
  }

  @Test
  void a_paused_room_lets_people_wait() {
    api.topology.configure("admission.state", room, "\"PAUSED\"");
    assertThat(enter("u-1").text("status")).isEqualTo("WAITING");
    api.topology.configure("admission.state", room, "\"OPEN\"");
    assertThat(api.status(room, "u-1", session).text("status")).isEqualTo("ADMITTED");
  }

  @Test
  void more_places_than_a_session_may_hold_are_429() {
    api.topology.configure("admission.max-per-session", room, "2");
    enter("u-1");
    enter("u-2");
    Http.Answer third = enter("u-3");

    assertThat(third.status()).isEqualTo(429);
    assertThat(third.header("Retry-After")).isEqualTo("5");
    assertThat(enter("u-2").status()).isEqualTo(200);
  }

  @Test
  void movieId_stands_for_roomId_everywhere() {
    String body = "{\"movieId\":\"" + room + "\",\"requestId\":\"u-1\"}";
    for (String call : List.of("enter", "heartbeat", "complete", "leave")) {
      Http.Answer answer = api.http.post("/api/admission/" + call, body, "Sluice-Session", session);
      assertThat(answer.status()).as(call).isEqualTo(200);
      assertThat(answer.text("roomId")).isEqualTo(room);
    }
    assertThat(
            api.http
                .get(
                    "/api/admission/status?movieId=" + room + "&requestId=u-1",
                    "Sluice-Session",
                    session)
                .status())
        .isEqualTo(200);
  }

  @Test
  void sixty_four_at_once_never_get_more_places_than_there_are() {
    capacity(5);
    List<CompletableFuture<Http.Answer>> calls =
        IntStream.range(0, 64)
            .mapToObj(i -> api.http.sendAsync("POST", "/api/admission/enter", name(room, "u-" + i)))
            .toList();
    List<String> states = calls.stream().map(call -> call.join().text("status")).toList();

    assertThat(states).filteredOn("ADMITTED"::equals).hasSize(5);
    assertThat(states).filteredOn("WAITING"::equals).hasSize(59);
  }

  @Test
  void what_was_never_sent_is_503_and_changes_nothing() {
    api.topology.log(LogMode.REFUSES);
    int logged = api.topology.commands().size();
    Http.Answer answer = enter("u-1");

    assertThat(answer.status()).isEqualTo(503);
    assertThat(answer.header("Retry-After")).isEqualTo("2");
    assertThat(api.topology.commands()).hasSize(logged);
  }

  @Test
  void what_may_be_in_the_log_is_pending_and_a_retry_finds_the_same_ticket() {
    api.topology.log(LogMode.LOSES_THE_ACKNOWLEDGEMENT);
    Http.Answer unsure = enter("u-1");
    api.topology.log(LogMode.STORES);
    Http.Answer retried = enter("u-1");

    assertThat(unsure.status()).isEqualTo(202);
    assertThat(unsure.text("status")).isEqualTo("PENDING");
    assertThat(unsure.body().path("receipt").path("partition").intValue()).isEqualTo(3);
    assertThat(unsure.body().path("receipt").path("offset").isNull()).isTrue();
    assertThat(retried.text("status")).isEqualTo("ADMITTED");
    assertThat(retried.body().path("ticket").intValue()).isEqualTo(1);
  }

  @Test
  void a_pending_enter_without_a_session_still_hands_out_the_session() {
    api.topology.log(LogMode.LOSES_THE_ACKNOWLEDGEMENT);
    Http.Answer unsure = api.http.post("/api/admission/enter", name(room, "u-1"));
    api.topology.log(LogMode.STORES);

    assertThat(unsure.header("Set-Cookie")).isNotNull();
    assertThat(api.status(room, "u-1", unsure.text("sessionId")).text("status"))
        .isEqualTo("ADMITTED");
  }

  @Test
  void an_owner_that_moves_is_asked_again_within_the_time() {
    api.topology.failNext(Kind.MOVING, Kind.UNREACHABLE, Kind.BEHIND);

    assertThat(enter("u-1").text("status")).isEqualTo("ADMITTED");
    assertThat(api.topology.commands())
        .filteredOn(
            command -> command instanceof Command.Enter enter && enter.roomId().equals(room))
        .hasSize(1);
  }

  @Test
  void no_answer_in_time_is_pending_with_a_receipt_that_status_takes() {
    api.topology.failNext(Kind.HALTED);
    Http.Answer pending = enter("u-1");

    assertThat(pending.status()).isEqualTo(202);
    assertThat(pending.text("status")).isEqualTo("PENDING");
    String receipt =
        "&partition="
            + pending.body().path("receipt").path("partition").asString()
            + "&offset="
            + pending.body().path("receipt").path("offset").asString();
    Http.Answer status =
        api.http.get(
            "/api/admission/status?roomId=" + room + "&requestId=u-1" + receipt,
            "Sluice-Session",
            session);
    assertThat(status.text("status")).isEqualTo("ADMITTED");
    assertThat(status.body().path("receipt")).isEqualTo(pending.body().path("receipt"));
    awaitGoingOn();
  }

  @Test
  void nothing_more_is_sent_to_a_partition_found_to_be_halted() {
    api.topology.failNext(Kind.HALTED);
    assertThat(enter("u-1").text("status")).isEqualTo("PENDING");
    long end = api.topology.endOffset();

    Http.Answer refused = enter("u-2");

    assertThat(refused.status()).isEqualTo(503);
    assertThat(refused.header("Retry-After")).isEqualTo("2");
    assertThat(api.topology.endOffset()).isEqualTo(end);
    awaitGoingOn();
  }

  /** For a while after one was found to be halted nothing is sent to a partition. */
  private void awaitGoingOn() {
    await().atMost(Duration.ofSeconds(10)).until(() -> enter("again").status() != 503);
  }

  @Test
  void status_of_an_offset_not_applied_yet_is_pending() {
    enter("u-1");
    Http.Answer status =
        api.http.get(
            "/api/admission/status?roomId="
                + room
                + "&requestId=u-1&partition=3&offset="
                + (api.topology.endOffset() + 5),
            "Sluice-Session",
            session);

    assertThat(status.status()).isEqualTo(200);
    assertThat(status.text("status")).isEqualTo("PENDING");
  }

  @Test
  void a_receipt_of_another_partition_or_half_of_one_is_refused() {
    String path = "/api/admission/status?roomId=" + room + "&requestId=u-1";
    for (String half : List.of("&partition=4&offset=1", "&offset=1", "&partition=x&offset=1")) {
      Http.Answer answer = api.http.get(path + half, "Sluice-Session", session);
      assertThat(answer.status()).as(half).isEqualTo(400);
      assertThat(answer.body().at("/errors/0/field").asString()).isEqualTo("partition");
    }
    Http.Answer answer = api.http.get(path + "&partition=3&offset=-1", "Sluice-Session", session);
    assertThat(answer.body().at("/errors/0/field").asString()).isEqualTo("offset");
  }

  @Test
  void no_sure_state_is_503_for_a_question_that_changes_nothing() {
    api.topology.failNext(Kind.HALTED);
    Http.Answer status = api.status(room, "u-1", session);

    assertThat(status.status()).isEqualTo(503);
    api.topology.failNext(Kind.HALTED);
    assertThat(api.call("heartbeat", room, "u-1", session).status()).isEqualTo(503);
  }

  @Test
  void a_change_without_an_answer_is_pending_too() {
    enter("u-1");
    api.topology.log(LogMode.LOSES_THE_ACKNOWLEDGEMENT);
    Http.Answer pending = api.call("complete", room, "u-1", session);
    api.topology.log(LogMode.STORES);

    assertThat(pending.status()).isEqualTo(202);
    assertThat(pending.text("status")).isEqualTo("PENDING");
    assertThat(api.call("complete", room, "u-1", session).status()).isEqualTo(200);
  }

  @Test
  void the_keys_that_check_passes_are_public() {
    Http.Answer keys = api.http.get("/api/admission/keys");

    assertThat(keys.status()).isEqualTo(200);
    assertThat(keys.body().at("/keys/0/alg").asString()).isEqualTo("EdDSA");
    assertThat(keys.raw().body()).isEqualTo(api.passes.jwks());
  }

  private Http.Answer enter(String requestId) {
    return api.call("enter", room, requestId, session);
  }

  private void capacity(int places) {
    api.topology.configure("admission.capacity", room, Integer.toString(places));
  }
}
