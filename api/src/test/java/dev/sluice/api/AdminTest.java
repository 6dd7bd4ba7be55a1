package dev.sluice.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.log.DeadLetter;
import dev.sluice.log.LogUnavailableException;
import dev.sluice.query.QueryException.Kind;
import dev.sluice.query.SystemView.PartitionStatus;
import dev.sluice.settings.BadSettingException;
import dev.sluice.settings.SettingAddress;
import dev.sluice.settings.SettingAttempt;
import dev.sluice.settings.SettingKey;
import dev.sluice.settings.SettingScope;
import dev.sluice.settings.SettingsView;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class AdminTest {
  private static final String CAPACITY = "/api/admin/settings/admission.capacity";
  private static ApiUnderTest api;

  @BeforeAll
  static void start() {
    api = ApiUnderTest.start("sluice.api.answer-within=300ms");
  }

  @AfterAll
  static void stop() {
    api.close();
  }

  @AfterEach
  void all_is_well() {
    api.edges.fail(null);
    api.topology.status(PartitionStatus.READY);
    api.topology.settings(SettingsView.EMPTY);
  }

  @Test
  void admission_is_shown_by_partition_and_room() {
    api.topology.configure("admission.capacity", "shown", "1");
    api.call("enter", "shown", "u-1", api.session());
    api.call("enter", "shown", "u-2", api.session());

    Http.Answer all = api.http.get("/api/admin/admission/status");
    assertThat(all.body().path("ready").booleanValue()).isTrue();
    assertThat(all.body().at("/partitions/0/partition").intValue()).isEqualTo(3);
    assertThat(all.body().path("rooms").findValuesAsString("roomId")).contains("shown");
    Http.Answer room = api.http.get("/api/admin/admission/status/shown");
    assertThat(room.body().path("active").intValue()).isEqualTo(1);
    assertThat(room.body().path("totalWaiting").intValue()).isEqualTo(1);
    assertThat(room.body().path("capacity").intValue()).isEqualTo(1);
    assertThat(room.body().path("pacePerSecond").isNull()).isTrue();
    assertThat(api.http.get("/api/admin/admission/status/nobody-yet").body().path("active"))
        .hasToString("0");
    assertThat(api.http.get("/api/admin/admission/status/a%20b").status()).isEqualTo(400);
  }

  @Test
  void without_a_sure_answer_operators_are_told_to_come_again() {
    for (String path :
        List.of(
            "/api/admin/admission/status",
            "/api/admin/admission/status/a",
            "/api/admin/monitoring/metrics",
            "/api/admin/monitoring/analysis",
            "/api/admin/monitoring/dashboard")) {
      api.topology.failNext(Kind.HALTED);
      assertThat(api.http.get(path).status()).as(path).isEqualTo(503);
    }
  }

  @Test
  void each_setting_is_shown_with_its_value_and_where_it_comes_from() throws Exception {
    api.topology.settings(
        SettingsView.EMPTY
            .with(inForce(SettingScope.GLOBAL, "300", 7))
            .with(inForce(SettingScope.room("vip"), "50", 8)));

    Http.Answer global = api.http.get(CAPACITY);
    assertThat(global.body().path("value").intValue()).isEqualTo(300);
    assertThat(global.text("scope")).isEqualTo("global");
    assertThat(global.body().path("offset").intValue()).isEqualTo(7);
    assertThat(global.text("who")).isEqualTo("ada");
    assertThat(global.text("default")).isEqualTo("auto");
    assertThat(api.http.get(CAPACITY + "?room=vip").body().path("value").intValue()).isEqualTo(50);
    Http.Answer inherited = api.http.get(CAPACITY + "?room=other");
    assertThat(inherited.body().path("value").intValue()).isEqualTo(300);
    assertThat(inherited.text("scope")).isEqualTo("room=other");
    assertThat(inherited.text("from")).isEqualTo("global");
    Http.Answer unset = api.http.get("/api/admin/settings/admission.session-timeout");
    assertThat(unset.text("value")).isEqualTo("30s");
    assertThat(unset.text("from")).isEqualTo("default");
    Http.Answer all = api.http.get("/api/admin/settings");
    assertThat(all.body().path("settings")).hasSize(SettingKey.all().size() + 1);
    assertThat(all.body().path("offset").intValue()).isEqualTo(8);
    assertThat(
            api.http
                .get("/api/admin/admission/config")
                .body()
                .path("settings")
                .findValuesAsString("key"))
        .allMatch(key -> key.startsWith("admission."));
  }

  @Test
  void a_setting_is_put_as_the_json_value_itself() {
    Http.Answer put = api.http.send("PUT", CAPACITY + "?room=vip", "200");

    assertThat(put.status()).isEqualTo(200);
    assertThat(put.text("key")).isEqualTo("admission.capacity");
    assertThat(put.text("scope")).isEqualTo("room=vip");
    assertThat(put.body().path("value").intValue()).isEqualTo(200);
    assertThat(put.body().path("offset").isIntegralNumber()).isTrue();
    assertThat(api.edges.changes).last().isEqualTo("admission.capacity@room=vip=200");
    assertThat(
            api.http.send("PUT", "/api/admin/settings/admission.state", "\"PAUSED\"").text("value"))
        .isEqualTo("PAUSED");
  }

  @Test
  void a_setting_is_unset_without_a_word() {
    Http.Answer answer = api.http.send("DELETE", CAPACITY, null);

    assertThat(answer.status()).isEqualTo(204);
    assertThat(api.edges.changes).last().isEqualTo("admission.capacity@global unset");
  }

  @Test
  void bad_settings_are_refused_and_change_nothing() {
    int before = api.edges.changes.size();
    for (String value : List.of("", "-1", "\"many\"", "{}", "[1]", "null", "1e3", "200 200", "x")) {
      Http.Answer answer = api.http.send("PUT", CAPACITY, value);
      assertThat(answer.status()).as(value).isEqualTo(400);
      assertThat(answer.body().at("/errors/0/field").asString()).isEqualTo("value");
    }
    assertThat(api.http.send("PUT", "/api/admin/settings/no.such", "1").status()).isEqualTo(404);
    assertThat(api.http.get("/api/admin/settings/no.such").status()).isEqualTo(404);
    assertThat(api.http.send("DELETE", "/api/admin/settings/no.such", null).status())
        .isEqualTo(404);
    for (String scope : List.of("?country=KR", "?room=a&app=b", "?room=", "?room=a%20b")) {
      assertThat(api.http.send("PUT", CAPACITY + scope, "1").status()).as(scope).isEqualTo(400);
    }
    assertThat(api.http.send("PUT", CAPACITY, "1", "Content-Type", "text/plain").status())
        .isEqualTo(415);
    assertThat(api.http.send("PUT", CAPACITY, "1", "Content-Type", "///").status()).isEqualTo(415);
    for (int i = 0; i < 20; i++) {
      assertThat(api.http.send("PUT", CAPACITY, " ".repeat(70_000 + i * 10_000)).status())
          .isEqualTo(413);
    }
    assertThat(api.edges.changes).hasSize(before);
  }

  @Test
  void a_setting_that_was_not_logged_is_503_and_one_that_may_be_is_202() {
    api.edges.fail(new LogUnavailableException(false, "away", null));
    assertThat(api.http.send("PUT", CAPACITY, "1").status()).isEqualTo(503);
    assertThat(api.http.send("DELETE", CAPACITY, null).status()).isEqualTo(503);
    api.edges.fail(new LogUnavailableException(true, "away", null));
    Http.Answer unsure = api.http.send("PUT", CAPACITY, "1");
    assertThat(unsure.status()).isEqualTo(202);
    assertThat(unsure.body().path("offset").isNull()).isTrue();
    api.edges.fail(new BadSettingException("no"));
    assertThat(api.http.send("PUT", CAPACITY, "1").status()).isEqualTo(400);
    api.edges.fail(new IllegalArgumentException("dev.sluice.Secret"));
    assertThat(api.http.send("PUT", CAPACITY, "1").status()).isEqualTo(500);
  }

  @Test
  void the_history_shows_who_changed_what_when_and_what_was_refused() {
    api.topology.attempted(
        new SettingAttempt("admission.capacity", "200", true, null, "ada", 1_796_000_000_000L, 4));
    api.topology.attempted(
        new SettingAttempt(
            "admission.capacity@room=a", "\"lots\\", false, "no", null, 1_796_000_001_000L, 5));
    Http.Answer history = api.http.get("/api/admin/settings/history?limit=10");

    assertThat(history.body().at("/0/value").asString()).isEqualTo("\"lots\\");
    assertThat(history.body().at("/0/accepted").booleanValue()).isFalse();
    assertThat(history.body().at("/1/value").intValue()).isEqualTo(200);
    assertThat(history.body().at("/1/at").asString()).isEqualTo("2026-11-30T00:53:20Z");
    assertThat(history.body().at("/1/offset").intValue()).isEqualTo(4);
    for (String limit : List.of("0", "1001", "x", "-1")) {
      assertThat(api.http.get("/api/admin/settings/history?limit=" + limit).status())
          .isEqualTo(400);
    }
  }

  @Test
  void dead_letters_are_listed_and_sent_again() {
    api.edges.letters.add(
        new DeadLetter(
            "0-5",
            1_796_000_000_000L,
            null,
            "not json",
            8,
            "no JSON",
            new DeadLetter.Origin("sluice.entries", 3, 99, 1_796_000_000_000L),
            Optional.empty()));

    Http.Answer list = api.http.get("/api/admin/dlq");
    assertThat(list.body().at("/0/id").asString()).isEqualTo("0-5");
    assertThat(list.body().at("/0/origin/offset").intValue()).isEqualTo(99);
    Http.Answer redriven = api.http.post("/api/admin/dlq/0-5/redrive", null);
    assertThat(redriven.status()).isEqualTo(200);
    assertThat(redriven.text("topic")).isEqualTo("sluice.entries");
    assertThat(api.http.post("/api/admin/dlq/0-6/redrive", null).status()).isEqualTo(404);
    assertThat(api.http.get("/api/admin/dlq?limit=0").status()).isEqualTo(400);
    api.edges.fail(new IllegalStateException("It came from a topic that is gone."));
    Http.Answer refused = api.http.post("/api/admin/dlq/0-5/redrive", null);
    assertThat(refused.status()).isEqualTo(409);
    assertThat(refused.text("detail")).isEqualTo("It came from a topic that is gone.");
    api.edges.fail(new LogUnavailableException(false, "away", null));
    assertThat(api.http.get("/api/admin/dlq").status()).isEqualTo(503);
    assertThat(api.http.post("/api/admin/dlq/0-5/redrive", null).status()).isEqualTo(503);
  }

  @Test
  void monitoring_shows_the_load_its_course_and_advice() {
    Http.Answer metrics = api.http.get("/api/admin/monitoring/metrics");
    assertThat(metrics.body().path("points").isArray()).isTrue();
    assertThat(api.http.get("/api/admin/monitoring/analysis").text("advice")).isEqualTo("STEADY");
    assertThat(api.http.get("/api/admin/monitoring/dashboard").body().path("analysis").isObject())
        .isTrue();
  }

  @Test
  void ready_is_said_only_once_caught_up() {
    assertThat(api.http.get("/health/live").text("status")).isEqualTo("UP");
    assertThat(api.http.get("/health/ready").text("status")).isEqualTo("UP");
    api.topology.status(PartitionStatus.CATCHING_UP);
    Http.Answer unready = api.http.get("/health/ready");
    assertThat(unready.status()).isEqualTo(503);
    assertThat(unready.text("detail")).contains("Partition 3 is catching up");
    assertThat(api.http.get("/health/live").status()).isEqualTo(200);
  }

  @Test
  void a_scope_misspelt_changes_nothing() {
    for (String query : List.of("roomId=x", "movieId=x", "ROOM=x", "foo=bar", "room=a&apps=b")) {
      for (String method : List.of("GET", "PUT", "DELETE")) {
        Http.Answer refused =
            api.http.send(
                method,
                "/api/admin/settings/admission.state?" + query,
                method.equals("PUT") ? "\"CLOSED\"" : null);
        assertThat(refused.status()).as(method + query).isEqualTo(400);
        assertThat(refused.text("detail")).contains("room, country and app");
      }
    }
  }

  @Test
  void figures_are_there_for_prometheus() {
    api.call("enter", "figures", "u-1", api.session());
    Http.Answer answer = api.http.get("/actuator/prometheus");

    assertThat(answer.status()).isEqualTo(200);
    assertThat(answer.raw().body())
        .contains("sluice_entries_total{result=\"admitted\"}")
        .contains("sluice_decision_seconds_bucket")
        .contains("sluice_calls 0");
  }

  @Test
  void behind_a_proxy_or_from_a_foreign_page_operators_are_refused() {
    List<String> guarded =
        List.of(
            "/api/admin/settings",
            "/api/admin/dlq",
            "/actuator/prometheus",
            "/api/v1/monitor/websocket/status");
    for (String path : guarded) {
      for (String header : List.of("Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "Via")) {
        assertThat(api.http.get(path, header, "x").status()).as(path).isEqualTo(403);
      }
      assertThat(api.http.get(path, "Origin", "https://evil.example").status()).isEqualTo(403);
    }
    assertThat(
            api.http.get("/api/admin/settings", "Origin", "http://127.0.0.1:" + api.port).status())
        .isEqualTo(200);
  }

  @Test
  void with_a_token_only_who_shows_it_is_an_operator() {
    try (ApiUnderTest guarded = ApiUnderTest.start("test.admin-token=s3cret")) {
      Http.Answer refused = guarded.http.get("/api/admin/settings");
      assertThat(refused.status()).isEqualTo(401);
      assertThat(refused.header("WWW-Authenticate")).isEqualTo("Bearer");
      assertThat(guarded.http.get("/api/admin/settings", "Authorization", "Bearer wrong").status())
          .isEqualTo(401);
      assertThat(guarded.http.get("/actuator/prometheus").status()).isEqualTo(401);
      assertThat(
              guarded
                  .http
                  .get("/api/admin/settings", "Authorization", "Bearer s3cret", "Via", "proxy")
                  .status())
          .isEqualTo(200);
      assertThat(guarded.http.get("/health/ready").status()).isEqualTo(200);
    }
  }

  private static SettingsView.InForce<?> inForce(SettingScope scope, String json, long offset)
      throws BadSettingException {
    return new SettingsView.InForce<>(
        new SettingAddress(SettingKey.ADMISSION_CAPACITY, scope),
        json,
        SettingKey.ADMISSION_CAPACITY.parse(json),
        offset,
        1_796_000_000_000L,
        "ada");
  }
}
