package dev.sluice.standalone.pages;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sluice.standalone.RunningSluice;
import dev.sluice.standalone.pages.Stage.Answer;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.io.TempDir;
import org.openqa.selenium.Keys;
import org.openqa.selenium.WebElement;

/** What a person sees, in a real browser before a real Sluice. */
@Tag("slow")
final class PagesTest {
  private static final Path SCREENSHOTS = Path.of("target/screenshots");

  private static final String ENTER = "/api/admission/enter";
  private static final String STATUS = "/api/admission/status";

  @TempDir private static Path folder;
  @TempDir private Path crowdFolder;
  private static RunningSluice sluice;
  private static Chromium browser;

  private String site;
  private String room;
  private Others others;

  @BeforeAll
  static void startEverything() throws Exception {
    assumeTrue(Chromium.isInstalled(), "chromium and chromium-driver are not installed");
    sluice =
        RunningSluice.start(
            "--server.port=0",
            "--sluice.broker.port=0",
            "--sluice.kinesis.port=0",
            "--sluice.data-dir=" + folder.resolve("data"));
    Others.keepAllPlacesFor(300, siteOf(sluice));
    browser = Chromium.start(folder.resolve("profile"), SCREENSHOTS);
  }

  @AfterAll
  static void stopEverything() {
    if (browser != null) {
      browser.close();
    }
    if (sluice != null) {
      sluice.close();
    }
  }

  private static String siteOf(RunningSluice sluice) {
    return "http://localhost:" + sluice.httpPort();
  }

  @BeforeEach
  void takeARoom(TestInfo test) {
    site = siteOf(sluice);
    room = test.getTestMethod().orElseThrow().getName();
    others = new Others(site, room);
    browser.desktop();
    browser.prefers("light");
    browser.reads("en-GB,en");
    browser.forget(site);
  }

  @AfterEach
  void noScriptComplained() {
    assertThat(browser.scriptErrors()).isEmpty();
  }

  @Test
  void fromTheFilmPageToTheSeatsWithTheKeyboardAlone() {
    others.capacity(1);
    assertThat(others.enter("first")).isEqualTo("ADMITTED");
    assertThat(others.enter("second")).isEqualTo("WAITING");

    browser.open(page("index.html"));
    browser.screenshot("film");
    browser.seen("#buy").sendKeys(Keys.ENTER);

    browser.seen("#room[data-state=near]");
    assertThat(others.enter("behind")).isEqualTo("WAITING");
    browser.says("#rank", "2");
    browser.says("#behind", "1 person");
    browser.says("#link", "Live");
    assertThat(browser.title()).startsWith("2 in line");
    assertThat(browser.find("#bar").getDomAttribute("aria-valuetext"))
        .isEqualTo("Number 2 in line.");
    browser.screenshot("waiting");

    others.complete("first");
    browser.says("#rank", "1");
    others.complete("second");

    browser.seen("#room[data-state=admitted]");
    browser.screenshot("admitted");
    browser.seen("#hall");
    assertThat(browser.url()).contains("/seats.html").doesNotContain("pass");
    browser.screenshot("seats");

    browser.find(".seat[tabindex='0']").sendKeys(Keys.SPACE);
    browser.focused().sendKeys(Keys.ARROW_RIGHT);
    browser.focused().sendKeys(Keys.SPACE);
    assertThat(browser.findAll(".seat[aria-pressed=true]")).hasSize(2);
    assertThat(browser.find("#total").getText()).contains("28,000");
    browser.find("#confirm").sendKeys(Keys.ENTER);

    browser.seen("#ticket");
    browser.screenshot("ticket");
    browser.says("#ticket-seats", "A1 · A2");
    await().untilAsserted(() -> assertThat(others.enter("behind-again")).isEqualTo("WAITING"));
    assertThat(others.room()).contains("\"active\":1");
  }

  @Test
  void aReloadFindsItsPlaceAgainAndAnEndedOneIsNotTakenAnew() {
    others.capacity(1);
    others.enter("first");
    browser.open(page("waiting.html"));
    browser.says("#rank", "1");
    others.enter("behind");

    browser.reload();
    browser.says("#rank", "1");
    browser.says("#behind", "1 person");

    browser.seen("#leave").click();
    browser.seen("#leaving button[value=yes]").click();
    browser.seen("#room[data-state=left]");
    browser.screenshot("left");
    browser.reload();
    browser.seen("#room[data-state=left]");
    browser.seen("[data-action=again]").click();
    browser.says("#rank", "2");
  }

  @Test
  void koreanByTheLanguageOfTheBrowserAndTheSwitchIsRemembered() {
    others.capacity(1);
    others.enter("first");
    browser.reads("ko-KR,ko,en");
    browser.open(page("index.html"));
    browser.says("#buy", "예매하기");
    browser.screenshot("film-ko");
    browser.find("#buy").click();
    browser.says("#headline", "거의 다 왔습니다");
    assertThat(browser.find("html").getDomAttribute("lang")).isEqualTo("ko");
    browser.screenshot("waiting-ko");

    browser.find("[data-switch=language]").click();
    browser.says("#headline", "Nearly there");
    browser.reload();
    browser.says("#headline", "Nearly there");
    browser.find("[data-switch=language]").click();

    others.complete("first");
    browser.seen("#hall");
    browser.says("#seats-title", "좌석을 골라 주세요");
    browser.screenshot("seats-ko");
  }

  @Test
  void whoSitsOnTheSeatsPageIsHeardFromAgainAndAgain() {
    browser.open(page("waiting.html"));
    browser.seen("#hall");

    await()
        .atMost(Duration.ofSeconds(45))
        .until(
            () ->
                (Long)
                        browser.run(
                            "return performance.getEntriesByType('resource')"
                                + ".filter(({ name }) => name.endsWith('/heartbeat')).length")
                    >= 3);
  }

  @Test
  void whoIsNotHeardFromLosesThePlaceAndIsToldSo() {
    // Less than from one heartbeat to the next.
    others.keepPlacesFor(9);
    browser.open(page("waiting.html"));
    browser.seen("#hall");

    browser.seen("#refusal[data-refusal=timeout]");
    browser.says("#refusal-title", "Your place has ended");
    browser.screenshot("timeout");

    others.keepPlacesFor(300);
    browser.find("#refusal-actions .button").click();
    browser.seen("#hall");
  }

  @Test
  void whoDoesNotComeInTimeReadsItInTheWaitingRoom() {
    others.keepPlacesFor(1);
    browser.open(page("waiting.html"));
    browser.seen("#room[data-state=expired]");
    browser.says("#headline", "Your turn has passed");
    browser.screenshot("expired");
  }

  @Test
  void aPauseKeepsThePlaceAndTheOperatorEndsIt() {
    others.state("PAUSED");
    browser.open(page("waiting.html"));
    browser.seen("#room[data-state=paused]");
    browser.says("#notice", "paused");
    browser.says("#spoken", "Letting in is paused");
    browser.screenshot("paused");

    browser.open(site + "/operator.html");
    WebElement row = browser.seen("tr[data-room=" + room + "]");
    assertThat(row.getText()).contains("Paused");
    browser.screenshot("operator");
    browser.find("tr[data-room=" + room + "] select").sendKeys("Open");
    browser.seen("tr[data-room=" + room + "][data-state=OPEN]");

    browser.open(page("waiting.html"));
    browser.seen("#hall");
  }

  @Test
  void aClosedRoomIsToldToThoseInLineAndToThoseWhoCome() {
    others.capacity(0);
    browser.open(page("waiting.html"));
    browser.says("#rank", "1");
    others.state("CLOSED");
    browser.seen("#room[data-state=closed]");
    browser.screenshot("closed");

    others.state("OPEN");
    browser.reload();
    browser.seen("#room[data-state=closed]");
    browser.seen("[data-action=again]").click();
    browser.says("#rank", "1");
    browser.says("#notice", "paused");
    others.state("CLOSED");
    browser.seen("#room[data-state=closed]");

    browser.forget(site);
    browser.open(page("waiting.html"));
    browser.seen("#room[data-state=closed]");

    others.state("DRAINING");
    browser.forget(site);
    browser.open(page("waiting.html"));
    browser.seen("#room[data-state=draining]");
    browser.screenshot("draining");
  }

  @Test
  void aLostConnectionIsToldThePlaceIsKeptAndTheNewsComesAfterwards() throws Exception {
    others.capacity(1);
    others.enter("first");
    others.enter("second");
    try (Cable cable = new Cable(sluice.httpPort())) {
      browser.open("http://localhost:" + cable.port() + "/waiting.html?room=" + room);
      browser.says("#link", "Live");
      browser.says("#rank", "2");

      cable.cut();
      browser.says("#notice", "your place is kept");
      browser.screenshot("connection-lost");
      assertThat(browser.find("#rank").getText()).isEqualTo("2");
      others.leave("second");

      cable.mend();
      browser.says("#rank", "1");
      browser.says("#link", "Live");
      assertThat(browser.find("#notice").isDisplayed()).isFalse();

      cable.cut();
      browser.says("#notice", "your place is kept");
      others.complete("first");
      cable.mend();
      browser.seen("#hall");
    }
  }

  @Test
  void everyAnswerIsShownInWordsOfItsOwn() throws Exception {
    CompletableFuture<Answer> late = new CompletableFuture<>();
    try (Stage stage = new Stage(sluice.httpPort())) {
      shown(stage, "pending", ENTER, Answer.ok(place("PENDING", "")));
      shown(stage, "notYours", ENTER, new Answer(403, "{}"));
      shown(stage, "tooMany", ENTER, new Answer(429, "{}"));
      shown(stage, "draining", ENTER, new Answer(409, "{}"));
      shown(stage, "failed", ENTER, new Answer(400, "{\"detail\":\"roomId: is too long\"}"));
      browser.says("#detail", "400 · roomId: is too long");
      shown(stage, "completed", STATUS, Answer.ok(place("COMPLETED", "")));
      shown(
          stage, "maxSession", STATUS, Answer.ok(place("EXPIRED", ",\"reason\":\"MAX_SESSION\"")));
      stage.script(ENTER, call -> late.join());
      stage.script(STATUS, call -> new Answer(404, "{}"));
      arrive(stage, "connecting");
    } finally {
      late.complete(new Answer(400, "{}"));
    }
  }

  @Test
  void whereNothingConnectsThePageKeepsTryingAndAsks() throws Exception {
    try (Stage stage = new Stage(sluice.httpPort())) {
      stage.script(ENTER, call -> new Answer(0, null));
      stage.script(STATUS, call -> new Answer(0, null));
      arrive(stage, "connecting");
      assertThat(browser.isMoving()).isTrue();
      browser.prefersCalm(true);
      assertThat(browser.isMoving()).isFalse();
      browser.prefersCalm(false);
      browser.says("#notice", "doesn’t answer");
      assertThat(browser.find("#notice").getText()).doesNotContain("kept");
      browser.screenshot("state-unreached");

      Answer far =
          Answer.ok(
              place(
                  "WAITING",
                  ",\"rank\":1234567,\"totalWaiting\":2500000,\"estimatedWaitSeconds\":13020"
                      + ",\"recommendedPollingInterval\":2000"));
      stage.script(ENTER, call -> far);
      stage.script(STATUS, call -> far);
      browser.says("#rank", "1,234,567");
      browser.seen("#room[data-state=waiting]");
      looksRight("waiting-far");
      browser.says("#link", "Checks every 2 s");
      browser.screenshot("state-polling");

      stage.script("/api/admission/leave", call -> new Answer(503, "{}"));
      browser.find("#leave").click();
      browser.seen("#leaving button[value=yes]").click();
      browser.says("#notice", "still in line");
      browser.screenshot("state-not-left");

      browser.find("#leave").click();
      browser.seen("#leaving button[value=no]");
      stage.script(STATUS, call -> new Answer(404, "{}"));
      browser.seen("#room[data-state=forgotten]");
      assertThat(browser.find("#leaving").isDisplayed()).isFalse();
      assertThat(browser.title()).startsWith("We don’t know your place");
      looksRight("forgotten");
    }
  }

  @Test
  void whenTheAnswerToEnteringGetsLostThePlaceDoesNot() throws Exception {
    others.capacity(1);
    others.enter("first");
    try (Stage stage = new Stage(sluice.httpPort())) {
      browser.forget(stage.site());
      browser.forgetSession();
      stage.lose(ENTER);
      browser.open(stage.site() + "/waiting.html?room=" + room);
      browser.says("#rank", "1");
      assertThat(others.room()).contains("\"totalWaiting\":1,");
    }
  }

  private void shown(Stage stage, String state, String path, Answer answer) throws Exception {
    stage.script(STATUS, call -> new Answer(404, "{}"));
    stage.script(path, call -> answer);
    arrive(stage, state);
  }

  private void arrive(Stage stage, String state) throws Exception {
    browser.forget(stage.site());
    browser.open(stage.site() + "/waiting.html?room=" + room);
    browser.seen("#room[data-state=" + state + "]");
    looksRight(state);
  }

  private void looksRight(String state) throws Exception {
    assertThat(browser.accessibilityFaults()).as(state).isEmpty();
    boolean inLine = browser.find("#queue").isDisplayed();
    assertThat("headline".equals(browser.focused().getDomAttribute("id")))
        .as("%s: the keyboard is at what has ended", state)
        .isNotEqualTo(inLine);
    browser.screenshot("state-" + state);
    browser.narrow();
    assertThat(browser.scrollsSideways() || browser.cutsOff(".card-words")).as(state).isFalse();
    browser.desktop();
  }

  private String place(String status, String more) {
    return """
    {"status":"%s","roomId":"%s","requestId":"v","ticket":7,"version":"0:9:0"%s}"""
        .formatted(status, room, more);
  }

  @Test
  void twoTabsHaveOnePlaceAndTheWayBackFromTheSeatsIsNotThroughTheLine() {
    others.capacity(1);
    others.enter("first");
    browser.open(page("index.html"));
    browser.seen("#buy").click();
    browser.says("#rank", "1");
    try (Chromium.Tab second = browser.tab(page("waiting.html"))) {
      browser.says("#rank", "1");
      others.enter("behind");
      browser.says("#behind", "1 person");
      others.complete("first");
      browser.seen("#hall");
    }
    browser.seen("#hall");

    browser.back();
    browser.seen("#buy").click();
    browser.seen("#room[data-state=admitted]");
    browser.seen("#hall");
    browser.back();
    browser.seen("#buy");
  }

  @Test
  void ofACrowdEveryoneIsLetInOnceAndNobodyMissesItWhileCutOff() throws Exception {
    assumeTrue(Crowd.isPossible(), "node with a WebSocket is not installed");
    int people = 50;
    others.capacity(10);
    try (Cable cable = new Cable(sluice.httpPort());
        Crowd crowd = new Crowd(people, "http://localhost:" + cable.port(), room, crowdFolder)) {
      crowd.becomes(10, people);
      assertThat(crowd.ranks()).hasSize(people - 10).isSorted().doesNotHaveDuplicates();

      others.capacity(30);
      crowd.becomes(30, people);

      cable.cut();
      crowd.becomes(30, 0);
      others.capacity(people);
      cable.mend();
      crowd.becomes(people, people);

      await()
          .untilAsserted(
              () ->
                  assertThat(others.push())
                      .contains("\"connections\":" + people + ",")
                      .contains("\"subscriptions\":" + people * Crowd.SUBSCRIPTIONS_EACH + ","));
    }
  }

  @Test
  void everyWrongPassIsRefusedInItsOwnWords() {
    others.enter("someone");
    String good = others.pass("someone");
    String[] parts = good.split("\\.", -1);
    String forged =
        Base64.getUrlEncoder()
            .withoutPadding()
            .encodeToString(claimsOf(good).replace("someone", "anybody").getBytes(UTF_8));

    refused("", "none");
    refused("#pass=garbage", "garbage");
    refused("#pass=" + parts[0] + "." + forged + "." + parts[2], "signature");
    browser.open(site + "/seats.html?room=another#pass=" + good);
    browser.seen("#refusal[data-refusal=room]");
    browser.says("#refusal-lead", room);
    browser.screenshot("pass-room");

    others.keepPlacesFor(1);
    others.enter("late");
    String late = others.pass("late");
    Instant over = Others.endOf(late).plusSeconds(2);
    await().atMost(Duration.ofSeconds(20)).until(() -> Instant.now().isAfter(over));
    refused("#pass=" + late, "expired");
  }

  private static String claimsOf(String pass) {
    return new String(Base64.getUrlDecoder().decode(pass.split("\\.", -1)[1]), UTF_8);
  }

  private void refused(String fragment, String refusal) {
    browser.open("about:blank");
    browser.open(page("seats.html") + fragment);
    browser.seen("#refusal[data-refusal=" + refusal + "]");
    browser.screenshot("pass-" + refusal);
  }

  @Test
  void aScreenReaderHearsNewsOfWeightOnly() {
    others.capacity(1);
    others.enter("p0");
    for (int i = 1; i <= 24; i++) {
      others.enter("p" + i);
    }
    browser.open(page("waiting.html"));
    browser.says("#rank", "25");
    browser.run(
        """
        window.spoken = [];
        window.ranks = [];
        const watch = (id, list) => new MutationObserver(() =>
          list.push(document.getElementById(id).textContent))
          .observe(document.getElementById(id), { childList: true, characterData: true, subtree: true });
        watch('spoken', window.spoken);
        watch('rank', window.ranks);
        """);
    for (int rank = 24; rank > 18; rank--) {
      others.leave("p" + rank);
      browser.says("#rank", Integer.toString(rank));
    }
    others.state("PAUSED");
    browser.says("#spoken", "Letting in is paused");
    assertThat((List<?>) browser.run("return window.ranks")).hasSizeGreaterThanOrEqualTo(6);
    assertThat((List<?>) browser.run("return window.spoken")).hasSize(1);
  }

  @Test
  void everyPageFitsAPhoneAndIsSoundForAssistiveTechnologyInBothColours() throws Exception {
    others.capacity(1);
    others.enter("first");
    browser.open(page("waiting.html"));
    browser.says("#rank", "1");
    sound("waiting");
    browser.open(page("index.html"));
    browser.seen("#buy");
    sound("film");
    browser.open(site + "/operator.html");
    browser.seen("#rooms");
    sound("operator");
    others.complete("first");
    browser.open(page("waiting.html"));
    browser.seen("#hall");
    sound("seats");
    browser.find("#give-back").click();
    browser.seen("#giving-back button[value=yes]").click();
    browser.seen("#refusal[data-refusal=left]");
    sound("gave-back");
  }

  private void sound(String name) throws Exception {
    browser.desktop();
    browser.prefers("light");
    assertThat(browser.accessibilityFaults()).as(name).isEmpty();
    browser.screenshot(name + "-desktop-light");
    browser.prefers("dark");
    browser.screenshot(name + "-desktop-dark");
    browser.phone();
    assertThat(browser.accessibilityFaults()).as("%s on a phone, dark", name).isEmpty();
    assertThat(browser.scrollsSideways()).as(name).isFalse();
    browser.screenshot(name + "-phone-dark");
    browser.prefers("light");
    browser.screenshot(name + "-phone-light");
    browser.desktop();
  }

  @Test
  void aPageIsSentAgainOnlyWhenItHasChanged() throws Exception {
    HttpClient http = HttpClient.newHttpClient();
    for (String path : List.of("/", "/js/sluice-client.js")) {
      HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(site + path));
      HttpResponse<Void> first = http.send(request.build(), BodyHandlers.discarding());
      assertThat(first.headers().firstValue("Cache-Control")).contains("no-cache");
      assertThat(first.headers().firstValue("Last-Modified")).isEmpty();

      request.header("If-None-Match", first.headers().firstValue("ETag").orElseThrow());
      HttpResponse<Void> second = http.send(request.build(), BodyHandlers.discarding());
      assertThat(second.statusCode()).isEqualTo(304);
    }
  }

  private String page(String name) {
    return site + "/" + name + "?room=" + room;
  }
}
