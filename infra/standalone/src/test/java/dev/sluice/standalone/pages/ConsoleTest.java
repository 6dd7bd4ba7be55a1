package dev.sluice.standalone.pages;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sluice.standalone.RunningSluice;
import dev.sluice.standalone.pages.Stage.Answer;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.openqa.selenium.Keys;
import org.openqa.selenium.WebElement;

/**
 * What an operator sees of hot rooms, in a real browser before a real Sluice whose rooms are as hot
 * as a test says.
 */
@Tag("slow")
final class ConsoleTest {
  private static final Path SCREENSHOTS = Path.of("target/screenshots");
  private static final String ROOMS = "/api/admin/monitoring/rooms";
  private static final String HISTORY = "/api/admin/settings/history";
  private static final String FIGURES =
      """
      "partitions":[
        {"partition":0,"status":"RUNNING","owner":"a","lag":7,"eventLag":40,"rooms":20,"late":0,"ahead":0,"shed":0},
        {"partition":1,"status":"RUNNING","owner":"b","lag":3,"eventLag":1200,"rooms":31,"late":0,"ahead":0,"shed":0}],
      "decision":{"count":9,"p50":3.25,"p99":17.6,"max":40},
      "edge":{"rooms":12,"shed":0},"redis":null
      """;

  @TempDir private static Path folder;
  private static RunningSluice sluice;
  private static Stage stage;
  private static Chromium browser;

  @BeforeAll
  static void startEverything() throws Exception {
    assumeTrue(Chromium.isInstalled(), "chromium and chromium-driver are not installed");
    sluice =
        RunningSluice.start(
            "--server.port=0",
            "--sluice.broker.port=0",
            "--sluice.kinesis.port=0",
            "--sluice.data-dir=" + folder.resolve("data"));
    stage = new Stage(sluice.httpPort());
    browser = Chromium.start(folder.resolve("profile"), SCREENSHOTS);
  }

  @AfterAll
  static void stopEverything() {
    if (browser != null) {
      browser.close();
    }
    if (stage != null) {
      stage.close();
    }
    if (sluice != null) {
      sluice.close();
    }
  }

  @BeforeEach
  void startCalmly() {
    browser.open("about:blank");
    stage.clear();
    browser.desktop();
    browser.prefers("light");
    browser.reads("en-GB,en");
    browser.forget(stage.site());
  }

  @AfterEach
  void noScriptComplained() {
    assertThat(browser.scriptErrors()).isEmpty();
  }

  @Test
  void aRoomThatTurnsHotIsToldOfAndItsCourseIsDrawn() {
    tell(room("lobby", null, 4_000), room("quiet", null, 10));
    open("");
    browser.says("#near", "lobby");
    browser.says("#none-hot", "No room is hot");
    browser.says("#one-title", "lobby");
    browser.says("#one-state", "Not hot");

    tell(room("lobby", "room", 7_500), room("quiet", null, 10));
    browser.says("#hot tbody", "lobby");
    browser.says("#hot tbody", "7,500");
    browser.says("#hot tbody", "of 5,000 in 5 s");
    browser.says("#hot tbody", "150%");
    browser.says("#hot tbody", "whole room");
    browser.says("#hot-badge", "1 hot");
    browser.says("#one-state", "Hot since");
    browser.says("#one-rate-second", "1,500/s");
    browser.says("#spoken", "Hot: lobby.");
    assertThat(browser.title()).startsWith("1 hot");
    assertThat(browser.find("#near").getText()).doesNotContain("lobby");
    await()
        .atMost(Duration.ofSeconds(30))
        .untilAsserted(
            () -> {
              assertThat(painted("#swatch-rate")).isGreaterThan(20);
              assertThat(painted("#swatch-threshold")).isGreaterThan(20);
              assertThat(painted("#swatch-hot")).isGreaterThan(500);
            });
    browser.screenshot("console-hot");

    tell(room("lobby", null, 100), room("quiet", null, 10));
    browser.says("#spoken", "Cooled: lobby.");
    browser.says("#none-hot", "No room is hot");
  }

  /** Pixels of the chart that have the colour of a swatch. */
  private static long painted(String swatch) {
    return (Long)
        browser.run(
            """
            const [r, g, b] = getComputedStyle(document.querySelector(arguments[0])).color.match(/\\d+/g);
            const canvas = document.querySelector('#chart canvas');
            const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
            let painted = 0;
            for (let i = 0; i < data.length; i += 4) {
              painted += data[i] == r && data[i + 1] == g && data[i + 2] == b && data[i + 3] == 255;
            }
            return painted;
            """,
            swatch);
  }

  @Test
  void aRoomIsChosenAndItsThresholdReachedWithTheKeyboardAlone() {
    tell(room("lobby", "room", 9_000), room("drama", "country=TH", 3_000));
    open("");
    browser.says("#one-title", "lobby");
    browser.find("#hot button").sendKeys(Keys.ARROW_DOWN);
    assertThat(browser.focused().getText()).isEqualTo("drama");
    browser.focused().sendKeys(Keys.ENTER);

    browser.says("#one-title", "drama");
    browser.says("#one-why", "By the count of Thailand alone.");
    browser.says("#by-country", "Thailand");
    browser.says("#by-country .over", "of 1,000");
    browser.says("#by-app", "ios");
    assertThat(browser.url()).endsWith("#rooms?room=drama");
    assertThat(browser.find("#hot .chosen button").getDomAttribute("aria-pressed"))
        .isEqualTo("true");

    browser.find("#to-threshold").sendKeys(Keys.ENTER);
    browser.seen("#view-settings");
    await().until(() -> valueOf("#scope-name").equals("drama"));
    assertThat(valueOf("#key")).isEqualTo("hot.threshold");
    assertThat(valueOf("#scope")).isEqualTo("room");
    assertThat(valueOf("#value")).isEqualTo("5000");
    assertThat(browser.focused().getDomAttribute("id")).isEqualTo("value");

    browser.find("#tab-settings").sendKeys(Keys.ARROW_LEFT);
    browser.seen("#view-rooms");
    assertThat(browser.focused().getDomAttribute("id")).isEqualTo("tab-rooms");
    assertThat(browser.find("#tab-settings").getDomAttribute("aria-selected")).isEqualTo("false");
    browser.says("#one-title", "drama");
  }

  private static String valueOf(String css) {
    return browser.find(css).getDomProperty("value");
  }

  @Test
  void whoIsAtARoomStaysAtItWhenItTurnsHot() {
    tell(room("lobby", null, 4_000), room("drama", null, 3_000));
    open("");
    browser.says("#near", "drama");
    WebElement drama = browser.findAll("#near button").get(1);
    drama.sendKeys(Keys.ENTER);
    tell(room("lobby", null, 4_000), room("drama", "room", 8_000));
    browser.says("#hot tbody", "drama");
    assertThat(browser.focused().getText()).isEqualTo("drama");
  }

  @Test
  void whatIsOutOfTheOrdinaryShowsAndTheRestIsHidden() {
    tell(room("lobby", null, 400));
    open("");
    browser.says("#fig-lag", "7 counts");
    browser.says("#fig-lag", "1,200 events");
    browser.says("#fig-decision", "3.3 · 18 ms");
    browser.says("#fig-edge", "12 rooms");
    assertThat(browser.find("#fig-odd").isDisplayed()).isFalse();
    assertThat(browser.find("#fig-redis").isDisplayed()).isFalse();
    browser.find(".partitions summary").sendKeys(Keys.ENTER);
    browser.says("#partitions", "1,200");

    tellAll(
        FIGURES
            .replace("\"late\":0,\"ahead\":0,\"shed\":0}]", "\"late\":5,\"ahead\":0,\"shed\":2}]")
            .replace("\"redis\":null", "\"redis\":{\"state\":\"DOWN\",\"lagMillis\":900}"),
        List.of());
    browser.says("#fig-odd", "5 late");
    browser.says("#fig-odd", "2 shed");
    browser.says("#fig-redis", "Out of reach");
    browser.says("#none-near", "Nothing is happening");
  }

  @Test
  void oldFiguresAreDatedAndTheTokenIsAskedFor() {
    tell(room("lobby", "room", 9_000));
    open("");
    browser.says("#hot tbody", "lobby");

    stage.script(ROOMS, call -> new Answer(503, "{\"detail\":\"Not able now.\"}"));
    browser.says("#away", "No answer since");
    browser.says("#away", "Not able now.");
    assertThat(browser.findAll("#figures-of-rooms.stale")).hasSize(1);
    browser.screenshot("console-away");
    tell(room("lobby", "room", 9_100));
    browser.says("#hot tbody", "9,100");
    assertThat(browser.find("#away").isDisplayed()).isFalse();
    assertThat(browser.findAll("#figures-of-rooms.stale")).isEmpty();

    stage.script(
        ROOMS,
        call ->
            "Bearer key".equals(call.getRequestHeaders().getFirst("Authorization"))
                ? answer(FIGURES, List.of(room("lobby", "room", 9_200)))
                : new Answer(401, "{}"));
    browser.seen("#token").sendKeys("key", Keys.ENTER);
    browser.says("#hot tbody", "9,200");
    assertThat(browser.find("#refused").isDisplayed()).isFalse();
  }

  @Test
  void anAddressMayNameARoomThatNobodyCounts() {
    tell(room("lobby", "room", 9_000));
    open("#rooms?room=nowhere");
    browser.says("#one-title", "nowhere");
    browser.says("#one-why", "Nothing has been counted");
    assertThat(browser.findAll("#by-country li")).isEmpty();
    assertThat(browser.find("#one-rate").getText()).isEqualTo("–");
  }

  @Test
  void nothingIsAskedWhileNobodyLooks() {
    AtomicInteger asked = new AtomicInteger();
    stage.script(
        ROOMS,
        call -> {
          asked.incrementAndGet();
          return answer(FIGURES, List.of());
        });
    open("");
    await().until(() -> asked.get() >= 2);
    look("hidden");
    await().pollInterval(Duration.ofSeconds(2)).until(() -> asked.getAndSet(0) == 0);
    look("visible");
    await().until(() -> asked.get() > 0);
  }

  private static void look(String state) {
    browser.run(
        """
        const state = arguments[0];
        Object.defineProperty(document, 'visibilityState', { get: () => state, configurable: true });
        document.dispatchEvent(new Event('visibilitychange'));
        """,
        state);
  }

  @Test
  void aRefusedSettingSaysWhyAndAnAcceptedOneIsInForceAndInTheHistory() {
    tell(room("lobby", null, 400));
    open("#settings?key=hot.threshold&room=lobby");
    await().until(() -> valueOf("#value").equals("5000"));
    write("#value", "many");
    browser.says("#value-refused", "must be a whole number from 1 to");
    browser.says("#result", "Nothing was changed");
    assertThat(browser.focused().getDomAttribute("id")).isEqualTo("value");
    assertThat(browser.find("#value").getDomAttribute("aria-invalid")).isEqualTo("true");
    browser.screenshot("console-refused");

    write("#value", "800");
    browser.says("#result", "In force after");
    assertThat(browser.find("#value-refused").isDisplayed()).isFalse();
    browser.says("#value-now", "In force: 800 (room lobby), since");
    browser.says("#history li", "hot.threshold");
    browser.says("#history li", "room lobby");
    browser.says("#history li .to", "800");
    browser.says("#history li .outcome", "Accepted");
    browser.says("#history li .who", "admin@");

    browser.find("#unset").sendKeys(Keys.ENTER);
    browser.says("#result", "Unset after");
    browser.says("#value-now", "In force: 5000 (default)");
    browser.says("#history li .to", "unset");
    assertThat(browser.findAll("#history li")).hasSizeGreaterThanOrEqualTo(2);

    write("#scope-name", "no such name!");
    browser.says("#scope-refused", "must be 1 to 128 characters");
    write("#scope-name", "");
    browser.says("#scope-refused", "must be 1 to 128 characters");
  }

  private static void write(String css, String words) {
    browser.find(css).sendKeys(Keys.chord(Keys.CONTROL, "a"), Keys.DELETE, words, Keys.ENTER);
  }

  @Test
  void theHistoryTellsWhatTheGateRefusedAndWhy() {
    tell();
    stage.script(
        HISTORY,
        call ->
            Answer.ok(
                """
                [{"setting":"hot.hold@room=lobby","value":"3","accepted":false,"reason":"hot.hold must be a duration",
                  "who":null,"at":"2026-01-02T03:04:05Z","offset":7},
                 {"setting":"hot.window","value":"9s","accepted":true,"reason":null,"who":"ops","at":"2026-01-02T03:05:05Z","offset":8}]
                """));
    open("#settings");
    browser.says("#history li:nth-child(1)", "hot.window");
    browser.says("#history li:nth-child(2) .outcome", "Refused");
    browser.says("#history li:nth-child(2) .reason", "must be a duration");
  }

  @Test
  void isInKoreanForWhoReadsIt() {
    browser.reads("ko-KR,ko,en");
    tell(room("lobby", "country=KR", 3_000));
    open("");
    browser.says("#hot-title", "지금 과열");
    browser.says("#hot tbody", "대한민국");
    browser.screenshot("console-ko");
    browser.find("[data-switch=language]").click();
    browser.says("#hot-title", "Hot now");
    browser.says("#hot tbody", "South Korea");
    browser.find("#tab-settings").sendKeys(Keys.ARROW_RIGHT, Keys.ARROW_RIGHT);
    browser.seen("#view-settings");
  }

  @Test
  void fitsANarrowPhoneAndIsSoundForAssistiveTechnologyInBothColours() throws Exception {
    List<String> rooms = new ArrayList<>();
    rooms.add(
        room("a-room-whose-name-is-as-long-as-names-may-be-" + "x".repeat(80), "room", 9_999));
    rooms.add(room("drama", "country=TH", 3_000));
    for (int i = 0; i < 14; i++) {
      rooms.add(room("near-" + i, null, 4_000 - 200 * i));
    }
    tell(rooms.toArray(String[]::new));
    open("");
    browser.says("#near", "near-9");
    assertThat(browser.find("#near").getText()).doesNotContain("near-12");
    sound("console-rooms");
    open("#settings?key=push.hot-mode&room=lobby");
    await().until(() -> valueOf("#value").equals("INTERVAL"));
    write("#value", "SOMETIMES");
    browser.seen("#value-refused");
    sound("console-settings");
  }

  private static void sound(String name) throws Exception {
    for (String colours : List.of("light", "dark")) {
      browser.prefers(colours);
      browser.desktop();
      assertThat(browser.accessibilityFaults()).as("%s, %s", name, colours).isEmpty();
      browser.screenshot(name + "-desktop-" + colours);
      browser.narrow();
      assertThat(browser.accessibilityFaults()).as("%s narrow, %s", name, colours).isEmpty();
      assertThat(browser.scrollsSideways()).as(name).isFalse();
      browser.screenshot(name + "-phone-" + colours);
    }
    browser.desktop();
    browser.prefers("light");
  }

  private static void open(String fragment) {
    browser.open(stage.site() + "/console" + fragment);
  }

  /** Has exactly these rooms told of from now on. */
  private static void tell(String... rooms) {
    tellAll(FIGURES, List.of(rooms));
  }

  private static void tellAll(String figures, List<String> rooms) {
    stage.script(ROOMS, call -> answer(figures, rooms));
  }

  private static Answer answer(String figures, List<String> rooms) {
    return Answer.ok(
        "{\"at\":\"%s\",\"rooms\":[%s],%s}"
            .formatted(Instant.now(), String.join(",", rooms), figures));
  }

  /**
   * A room with a threshold of 5,000, and of 1,000 in Thailand, where half of its events are.
   *
   * @param because null for a room that isn't hot
   */
  private static String room(String roomId, String because, int rate) {
    boolean hot = because != null;
    return """
    {"roomId":"%s","hot":%s,"because":%s,"rate":%d,"demand":%d,"threshold":5000,"window":5,"audience":321,"since":%s,
     "byCountry":{"KR":{"rate":%d},"TH":{"rate":%d,"threshold":%d}},"byApp":{"ios":{"rate":%d},"android":{"rate":%d}}}
    """
        .formatted(
            roomId,
            hot,
            hot ? "\"" + because + "\"" : "null",
            rate,
            rate + rate / 4,
            hot ? "\"" + Instant.now().minusSeconds(70) + "\"" : "null",
            rate / 2,
            rate / 2,
            "country=TH".equals(because) ? 1_000 : 100_000,
            rate / 3,
            rate - rate / 3);
  }
}
