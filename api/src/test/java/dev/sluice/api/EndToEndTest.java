package dev.sluice.api;

import static dev.sluice.api.ApiUnderTest.name;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.contract.InvalidRecordException;
import dev.sluice.contract.Partitions;
import dev.sluice.contract.RoomCountJson;
import dev.sluice.contract.RoomEventJson;
import dev.sluice.contract.RoomSum;
import dev.sluice.contract.SumMark;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** Over HTTP, through a real broker and the real topology. */
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class EndToEndTest {
  private static final int LAST = Integer.MAX_VALUE;
  private static final Duration SOON = Duration.ofSeconds(10);

  @TempDir static Path folder;
  private static RealSluice sluice;

  @BeforeAll
  static void start() {
    sluice = new RealSluice(folder);
  }

  @AfterAll
  static void stop() {
    sluice.close();
  }

  @Test
  void sixty_four_parallel_entries_never_take_more_than_five_places() {
    sluice.set("admission.capacity", "five", "5");
    awaitRoom("five", "capacity", 5);
    List<Http.Answer> answers =
        together(IntStream.range(0, 64).mapToObj(i -> enterAsync("five", "u-" + i, null)).toList());

    assertThat(answers).filteredOn(answer -> answer.text("status").equals("ADMITTED")).hasSize(5);
    assertThat(answers).filteredOn(answer -> answer.text("status").equals("WAITING")).hasSize(59);
    Set<Long> tickets = new HashSet<>();
    answers.forEach(answer -> tickets.add(answer.body().path("ticket").longValue()));
    assertThat(tickets).hasSize(64);
    Http.Answer room = sluice.http.get("/api/admin/admission/status/five");
    assertThat(room.body().path("active").intValue()).isEqualTo(5);
    assertThat(room.body().path("totalWaiting").intValue()).isEqualTo(59);
  }

  @Test
  void figures_of_the_topology_outlive_a_collection() {
    enterAsync("figures", "u-1", session()).join();
    System.gc();
    await()
        .atMost(SOON)
        .untilAsserted(
            () ->
                assertThat(sluice.http.get("/actuator/prometheus").raw().body())
                    .doesNotContain("NaN")
                    .containsPattern("sluice_entered_total [1-9]"));
  }

  @Test
  void one_person_entering_many_times_at_once_gets_one_place_and_one_answer() {
    String session = session();
    List<Http.Answer> answers =
        together(
            IntStream.range(0, 16).mapToObj(i -> enterAsync("twice", "u-1", session)).toList());

    assertThat(answers)
        .extracting(answer -> answer.body().path("ticket").intValue())
        .containsOnly(1);
    assertThat(answers)
        .extracting(answer -> answer.body().path("receipt"))
        .containsOnly(answers.get(0).body().path("receipt"));
    assertThat(
            sluice.http.get("/api/admin/admission/status/twice").body().path("active").intValue())
        .isEqualTo(1);
  }

  @Test
  void a_place_that_is_given_back_goes_to_the_next_at_once() {
    sluice.set("admission.capacity", "one", "1");
    awaitRoom("one", "capacity", 1);
    String session = session();
    enterAsync("one", "u-1", session).join();
    Http.Answer second = enterAsync("one", "u-2", session).join();
    assertThat(second.body().path("rank").intValue()).isEqualTo(1);

    assertThat(call("complete", "one", "u-1", session).text("status")).isEqualTo("COMPLETED");

    assertThat(status("one", "u-2", session).text("status")).isEqualTo("ADMITTED");
    assertThat(call("complete", "one", "u-1", session).status()).isEqualTo(200);
    assertThat(call("heartbeat", "one", "u-2", session).text("pass")).isNotEmpty();
  }

  @Test
  void who_sends_no_heartbeat_times_out_and_the_next_moves_up() {
    sluice.set("admission.session-timeout", "short", "\"400ms\"");
    sluice.set("admission.capacity", "short", "1");
    awaitRoom("short", "capacity", 1);
    String session = session();
    enterAsync("short", "u-1", session).join();
    enterAsync("short", "u-2", session).join();

    await()
        .atMost(SOON)
        .until(() -> status("short", "u-1", session).text("status").equals("EXPIRED"));
    assertThat(status("short", "u-1", session).text("reason")).isEqualTo("TIMEOUT");
    assertThat(status("short", "u-2", session).text("status")).isIn("ADMITTED", "EXPIRED");
    assertThat(call("heartbeat", "short", "u-1", session).status()).isEqualTo(409);
  }

  @Test
  void a_room_is_paused_opened_and_closed_without_a_restart() {
    String session = session();
    sluice.set("admission.state", "door", "\"PAUSED\"");
    awaitState("door", "PAUSED");
    assertThat(enterAsync("door", "u-1", session).join().text("status")).isEqualTo("WAITING");

    sluice.set("admission.state", "door", "\"OPEN\"");
    await()
        .atMost(SOON)
        .until(() -> status("door", "u-1", session).text("status").equals("ADMITTED"));

    sluice.set("admission.capacity", "door", "1");
    awaitRoom("door", "capacity", 1);
    enterAsync("door", "u-2", session).join();
    sluice.set("admission.state", "door", "\"CLOSED\"");
    await()
        .atMost(SOON)
        .until(() -> status("door", "u-2", session).text("reason").equals("CLOSED"));
    assertThat(enterAsync("door", "u-3", session).join().status()).isEqualTo(409);
    assertThat(status("door", "u-1", session).text("status")).isEqualTo("ADMITTED");
  }

  @Test
  void a_bad_setting_is_refused_and_the_last_good_one_holds() {
    sluice.set("admission.capacity", "good", "7");
    awaitRoom("good", "capacity", 7);
    Http.Answer refused =
        sluice.http.send("PUT", "/api/admin/settings/admission.capacity?room=good", "-7");

    assertThat(refused.status()).isEqualTo(400);
    assertThat(
            sluice.http.get("/api/admin/admission/status/good").body().path("capacity").intValue())
        .isEqualTo(7);
    assertThat(
            sluice
                .http
                .get("/api/admin/settings/history?limit=1000")
                .body()
                .findValuesAsString("setting"))
        .contains("admission.capacity@room=good");
  }

  @Test
  void a_poisonous_record_is_set_aside_and_its_partition_goes_on() throws Exception {
    String room = "poison";
    int partition =
        sluice.http.get("/api/admin/admission/status/" + room).body().path("partition").intValue();
    write(sluice.topics().entries(), partition, room, "{\"type\":\"NO\"}");

    assertThat(enterAsync(room, "u-1", null).join().text("status")).isEqualTo("ADMITTED");
    await()
        .atMost(SOON)
        .until(
            () -> sluice.http.get("/api/admin/dlq").body().findValuesAsString("value"),
            values -> values.contains("{\"type\":\"NO\"}"));
  }

  @Test
  void events_stand_in_the_log_under_their_cursors_and_are_counted_once() throws Exception {
    List<Http.Answer> posted =
        together(
            IntStream.range(0, 64)
                .mapToObj(
                    i ->
                        sluice.http.sendAsync(
                            "POST",
                            "/api/rooms/stage/events",
                            "{\"kind\":\"MESSAGE\",\"country\":\"KR\",\"payload\":" + i + "}"))
                .toList());

    assertThat(posted).allMatch(answer -> answer.status() == 202);
    assertThat(posted).extracting(answer -> answer.text("cursor")).doesNotHaveDuplicates();
    int partition = Partitions.of("stage", sluice.topics().partitions());
    Map<Long, String> payloads = new HashMap<>();
    for (ConsumerRecord<String, byte[]> record : all(sluice.topics().roomEvents(), partition)) {
      assertThat(SumMark.fromHeader(record.headers().lastHeader(SumMark.HEADER).value()))
          .isNotNull();
      payloads.put(record.offset(), RoomEventJson.read(record.value()).payload());
    }
    for (int i = 0; i < 64; i++) {
      assertThat(payloads.get(Long.parseLong(posted.get(i).text("cursor"))))
          .isEqualTo(Integer.toString(i));
    }
    await().atMost(SOON).untilAsserted(() -> assertThat(counted("stage")).isEqualTo(64));
  }

  @Test
  void an_event_is_counted_once_though_the_edge_and_the_intake_both_sum_it() {
    sluice.set("hot.window", "once", "\"60s\"");
    await()
        .atMost(SOON)
        .until(() -> sluice.http.get("/api/rooms/once").body().path("window").intValue() == 60);
    long before = sluice.roomsMetrics().eventsSummed();
    say("once", "{\"kind\":\"MESSAGE\",\"country\":\"KR\",\"app\":\"ios\"}", 200);

    await().atMost(SOON).until(() -> sluice.roomsMetrics().eventsSummed() >= before + 200);
    await()
        .atMost(SOON)
        .pollInterval(Duration.ofMillis(20))
        .until(
            () -> {
              assertThat(rate("once")).isLessThanOrEqualTo(200);
              return isToldTwice("once");
            });
    assertThat(counted("once")).isEqualTo(200);
    await()
        .during(Duration.ofMillis(500))
        .atMost(SOON)
        .until(() -> rate("once"), rate -> rate == 200);
    assertThat(counted("once")).isEqualTo(200);
    assertThat(sluice.http.get("/api/rooms/once").body().at("/byCountry/KR/rate").intValue())
        .isEqualTo(200);
  }

  @Test
  void what_a_cursor_tells_of_can_be_fetched_at_once_and_in_order() {
    List<String> cursors = new ArrayList<>();
    for (int i = 0; i < 30; i++) {
      String payload = "{\"n\":" + i + "}";
      String cursor =
          say("said", "{\"kind\":\"MESSAGE\",\"payload\":" + payload + "}", 1)
              .get(0)
              .text("cursor");
      String after = cursors.isEmpty() ? "-1" : cursors.get(cursors.size() - 1);
      Http.Answer fetched =
          sluice.http.get("/api/rooms/said/events?after=" + after + "&upTo=" + cursor);

      assertThat(fetched.status()).isEqualTo(200);
      assertThat(fetched.body().path("events")).hasSize(1);
      assertThat(fetched.body().at("/events/0/cursor").asString()).isEqualTo(cursor);
      assertThat(fetched.body().at("/events/0/payload/n").intValue()).isEqualTo(i);
      assertThat(fetched.text("cursor")).isEqualTo(cursor);
      cursors.add(cursor);
    }
    assertThat(
            sluice
                .http
                .get("/api/rooms/said/events?limit=500")
                .body()
                .path("events")
                .findValuesAsString("cursor"))
        .isEqualTo(cursors);
  }

  @Test
  void a_threshold_changed_live_makes_a_room_hot_without_an_event_and_it_cools_by_itself() {
    sluice.set("hot.hold", "busy", "\"500ms\"");
    say("busy", "{\"kind\":\"MESSAGE\"}", 40);
    await().atMost(SOON).until(() -> rate("busy") == 40);
    assertThat(hot("busy")).isNull();

    sluice.set("hot.threshold", "busy", "30");
    JsonNode hot =
        await()
            .atMost(Duration.ofSeconds(1))
            .pollInterval(Duration.ofMillis(10))
            .until(() -> hot("busy"), Objects::nonNull);

    assertThat(hot.path("threshold").intValue()).isEqualTo(30);
    assertThat(hot.path("rate").intValue()).isEqualTo(40);
    assertThat(hot.path("because").asString()).isEqualTo("room");
    Http.Answer room = sluice.http.get("/api/rooms/busy");
    assertThat(room.body().path("hot").booleanValue()).isTrue();
    assertThat(room.body().path("threshold").intValue()).isEqualTo(30);
    assertThat(onDashboard("busy").path("threshold").intValue()).isEqualTo(30);
    await().atMost(SOON).until(() -> sluice.hotRooms().isHot("busy"));
    assertThat(sluice.hotRooms().verdict("busy").threshold()).isEqualTo(30);

    await().atMost(Duration.ofSeconds(15)).until(() -> hot("busy") == null);
    await().atMost(SOON).until(() -> !sluice.hotRooms().isHot("busy"));
    assertThat(sluice.http.get("/api/rooms/busy").body().path("hot").booleanValue()).isFalse();
  }

  @Test
  void a_room_that_is_hot_in_one_country_alone_says_so() {
    sluice.setFor("country=AQ", "hot.threshold", "20");
    say("polar", "{\"kind\":\"MESSAGE\",\"country\":\"KR\"}", 60);
    say("polar", "{\"kind\":\"MESSAGE\",\"country\":\"AQ\"}", 20);
    await().atMost(SOON).until(() -> rate("polar") == 80);
    assertThat(hot("polar")).isNull();

    say("polar", "{\"kind\":\"MESSAGE\",\"country\":\"AQ\"}", 1);
    JsonNode hot = await().atMost(SOON).until(() -> hot("polar"), Objects::nonNull);

    assertThat(hot.path("because").asString()).isEqualTo("country=AQ");
    assertThat(hot.path("rate").intValue()).isEqualTo(21);
    assertThat(hot.path("threshold").intValue()).isEqualTo(20);
    assertThat(sluice.http.get("/api/rooms/polar").text("because")).isEqualTo("country=AQ");
    JsonNode dashboard = onDashboard("polar");
    assertThat(dashboard.path("because").asString()).isEqualTo("country=AQ");
    assertThat(dashboard.at("/byCountry/AQ/threshold").intValue()).isEqualTo(20);
  }

  @Test
  void invented_rooms_add_no_figures() {
    say("known", "{\"kind\":\"MESSAGE\"}", 1);
    sluice.http.get("/api/rooms/known/events");
    member("join", "known");
    int before = figures().size();
    for (int i = 0; i < 300; i++) {
      String room = "/api/rooms/invented-" + i;
      String user = "{\"userId\":\"invented-" + i + "\"}";
      String event = "{\"kind\":\"MESSAGE\",\"country\":\"KR\",\"app\":\"invented-" + i + "\"}";
      together(
          List.of(
              sluice.http.sendAsync("POST", room + "/events", event),
              sluice.http.sendAsync("GET", room + "/events", null),
              sluice.http.sendAsync("POST", room + "/join", user)));
    }

    assertThat(figures()).noneMatch(line -> line.contains("invented"));
    assertThat(figures().size()).isBetween(before - 20, before + 20);
  }

  private static List<String> figures() {
    return sluice.http.get("/actuator/prometheus").raw().body().lines().toList();
  }

  @Test
  void who_is_in_is_who_joined_and_did_not_leave() {
    for (String user : List.of("ann", "bob", "eve", "bob")) {
      assertThat(member("join", user)).isEqualTo(202);
    }
    assertThat(member("leave", "ann")).isEqualTo(202);
    assertThat(member("leave", "nobody")).isEqualTo(202);
    await()
        .atMost(SOON)
        .until(
            () -> sluice.http.get("/api/rooms/inn").body().path("members").intValue(),
            in -> in == 2);
  }

  @Test
  void a_bad_threshold_is_refused_by_the_call_and_by_the_topic_and_the_last_good_one_holds()
      throws Exception {
    sluice.set("hot.threshold", "strict", "700");
    String path = "/api/admin/settings/hot.threshold?room=strict";
    List<String> bad =
        List.of(
            "-1",
            "0",
            "-0",
            "1.5",
            "1e3",
            "1000000001",
            "99999999999999999999999999",
            "NaN",
            "Infinity",
            "lots",
            "\"700\"",
            "true",
            "null",
            "[700]",
            "{\"value\":700}");
    for (String value : bad) {
      Http.Answer refused = sluice.http.send("PUT", path, value);
      assertThat(refused.status()).as(value).isEqualTo(400);
      assertThat(refused.text("detail"))
          .as(value)
          .contains("must be a whole number from 1 to 1000000000");
    }
    int before = attempts("strict").size();
    for (String value : bad) {
      write(sluice.topics().config(), 0, "hot.threshold@room=strict", value);
    }

    await().atMost(SOON).until(() -> attempts("strict").size() == before + bad.size());
    assertThat(attempts("strict").subList(0, bad.size()))
        .allSatisfy(
            attempt -> {
              assertThat(attempt.path("accepted").booleanValue()).isFalse();
              assertThat(attempt.path("reason").asString())
                  .contains("must be a whole number from 1 to 1000000000");
            });
    assertThat(sluice.http.get(path).body().path("value").intValue()).isEqualTo(700);
    assertThat(sluice.http.get("/api/rooms/strict").body().path("threshold").intValue())
        .isEqualTo(700);
  }

  @Test
  void the_limit_of_joins_follows_its_setting() {
    sluice.set("join.threshold", "narrow", "3");
    List<Http.Answer> joined =
        together(
            IntStream.range(0, 8)
                .mapToObj(
                    i ->
                        sluice.http.sendAsync(
                            "POST", "/api/rooms/narrow/join", "{\"userId\":\"u-" + i + "\"}"))
                .toList());

    assertThat(joined).filteredOn(answer -> answer.status() == 202).hasSize(3);
    assertThat(joined).filteredOn(answer -> answer.status() == 429).hasSize(5);
  }

  @Test
  @Order(LAST)
  void without_the_broker_nothing_is_acknowledged_and_all_recovers_by_itself() {
    String session = session();
    Http.Answer before = enterAsync("outage", "u-1", session).join();
    assertThat(before.status()).isEqualTo(200);

    sluice.stopBroker();
    Http.Answer during = enterAsync("outage", "u-2", session).join();
    assertThat(during.status()).isIn(202, 503);
    if (during.status() == 202) {
      assertThat(during.text("status")).isEqualTo("PENDING");
    }
    Http.Answer event = sluice.http.post("/api/rooms/outage/events", "{\"kind\":\"FETCH\"}");
    assertThat(event.status()).isEqualTo(503);
    sluice.startBrokerAgain();
    sluice.awaitReady();

    await()
        .atMost(Duration.ofSeconds(60))
        .until(() -> enterAsync("outage", "u-2", session).join().status() == 200);
    Http.Answer after = status("outage", "u-1", session);
    assertThat(after.body().path("ticket")).isEqualTo(before.body().path("ticket"));
    assertThat(after.body().path("receipt")).isEqualTo(before.body().path("receipt"));
  }

  private static List<Http.Answer> say(String room, String event, int times) {
    List<Http.Answer> said =
        together(
            IntStream.range(0, times)
                .mapToObj(
                    i -> sluice.http.sendAsync("POST", "/api/rooms/" + room + "/events", event))
                .toList());
    assertThat(said).allMatch(answer -> answer.status() == 202);
    return said;
  }

  private static int member(String call, String user) {
    return sluice.http.post("/api/rooms/inn/" + call, "{\"userId\":\"" + user + "\"}").status();
  }

  private static int rate(String room) {
    return sluice.http.get("/api/rooms/" + room).body().path("rate").intValue();
  }

  /** What the list of hot rooms says of one; null if it isn't there. */
  private static JsonNode hot(String room) {
    return named(room, sluice.http.get("/api/rooms/hot").body());
  }

  private static JsonNode onDashboard(String room) {
    return named(room, sluice.http.get("/api/admin/monitoring/rooms").body().path("rooms"));
  }

  private static JsonNode named(String room, JsonNode rooms) {
    List<JsonNode> found = new ArrayList<>();
    rooms.forEach(
        one -> {
          if (one.path("roomId").asString().equals(room)) {
            found.add(one);
          }
        });
    assertThat(found).hasSizeLessThanOrEqualTo(1);
    return found.isEmpty() ? null : found.get(0);
  }

  /** The history of a room's threshold, newest first. */
  private static List<JsonNode> attempts(String room) {
    List<JsonNode> attempts = new ArrayList<>();
    sluice
        .http
        .get("/api/admin/settings/history?limit=1000")
        .body()
        .forEach(
            attempt -> {
              if (attempt.path("setting").asString().equals("hot.threshold@room=" + room)) {
                attempts.add(attempt);
              }
            });
    return attempts;
  }

  private static void write(String topic, int partition, String key, String value)
      throws Exception {
    try (KafkaProducer<String, String> producer =
        new KafkaProducer<>(
            Map.of("bootstrap.servers", sluice.kafka()),
            new StringSerializer(),
            new StringSerializer())) {
      producer.send(new ProducerRecord<>(topic, partition, key, value)).get();
    }
  }

  /** The events of a room as an owner adds up their sums. */
  private static long counted(String roomId) {
    Map<List<?>, Long> counts = new HashMap<>();
    for (RoomSum sum : sums(roomId)) {
      cellsOf(sum).forEach((cell, count) -> counts.merge(cell, count, Math::max));
    }
    return counts.values().stream().mapToLong(Long::longValue).sum();
  }

  /** Whether all that is counted in a room has been told again, as only a second path does. */
  private static boolean isToldTwice(String roomId) {
    Map<List<?>, Long> counts = new HashMap<>();
    Map<List<?>, Long> again = new HashMap<>();
    for (RoomSum sum : sums(roomId)) {
      cellsOf(sum)
          .forEach(
              (cell, count) -> {
                Long before = counts.get(cell);
                if (before != null && count <= before) {
                  again.merge(cell, count, Math::max);
                }
                counts.merge(cell, count, Math::max);
              });
    }
    return !counts.isEmpty() && again.equals(counts);
  }

  private static List<RoomSum> sums(String roomId) {
    List<RoomSum> sums = new ArrayList<>();
    int partition = Partitions.of(roomId, sluice.topics().partitions());
    for (ConsumerRecord<String, byte[]> record : all(sluice.topics().roomCounts(), partition)) {
      if (record.key().equals(roomId)) {
        try {
          sums.add((RoomSum) RoomCountJson.read(roomId, record.value()));
        } catch (InvalidRecordException e) {
          throw new AssertionError(e);
        }
      }
    }
    return sums;
  }

  private static Map<List<?>, Long> cellsOf(RoomSum sum) {
    Map<List<?>, Long> counts = new HashMap<>();
    for (RoomSum.Cell cell : sum.cells()) {
      for (int tenth = 0; tenth < cell.counts().size(); tenth++) {
        if (cell.counts().get(tenth) > 0) {
          counts.put(
              Arrays.asList(
                  sum.producer(), sum.slot(), cell.kind(), cell.country(), cell.app(), tenth),
              cell.counts().get(tenth));
        }
      }
    }
    return counts;
  }

  private static List<ConsumerRecord<String, byte[]>> all(String topic, int partition) {
    List<ConsumerRecord<String, byte[]>> all = new ArrayList<>();
    List<TopicPartition> one = List.of(new TopicPartition(topic, partition));
    try (KafkaConsumer<String, byte[]> consumer =
        new KafkaConsumer<>(
            Map.of("bootstrap.servers", sluice.kafka()),
            new StringDeserializer(),
            new ByteArrayDeserializer())) {
      consumer.assign(one);
      consumer.seekToBeginning(one);
      long end = consumer.endOffsets(one).get(one.get(0));
      while (consumer.position(one.get(0)) < end) {
        consumer.poll(Duration.ofMillis(100)).forEach(all::add);
      }
    }
    return all;
  }

  private static void awaitRoom(String room, String field, int value) {
    await()
        .atMost(SOON)
        .pollInterval(Duration.ofMillis(10))
        .until(
            () ->
                sluice.http.get("/api/admin/admission/status/" + room).body().path(field).intValue()
                    == value);
  }

  private static void awaitState(String room, String state) {
    await()
        .atMost(SOON)
        .until(
            () ->
                sluice.http.get("/api/admin/admission/status/" + room).text("state").equals(state));
  }

  private static String session() {
    return sluice.http.post("/api/sessions/issue", null).text("sessionId");
  }

  private static Http.Answer call(String call, String room, String requestId, String session) {
    return sluice.http.post(
        "/api/admission/" + call, name(room, requestId), "Sluice-Session", session);
  }

  private static Http.Answer status(String room, String requestId, String session) {
    return sluice.http.get(
        "/api/admission/status?roomId=" + room + "&requestId=" + requestId,
        "Sluice-Session",
        session);
  }

  private static CompletableFuture<Http.Answer> enterAsync(
      String room, String requestId, String session) {
    String[] headers = session == null ? new String[0] : new String[] {"Sluice-Session", session};
    return sluice.http.sendAsync("POST", "/api/admission/enter", name(room, requestId), headers);
  }

  private static List<Http.Answer> together(List<CompletableFuture<Http.Answer>> calls) {
    return calls.stream().map(CompletableFuture::join).toList();
  }
}
