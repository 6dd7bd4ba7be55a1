package dev.sluice.standalone.pages;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.awaitility.Awaitility.await;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.logging.Level;
import org.openqa.selenium.By;
import org.openqa.selenium.NoSuchElementException;
import org.openqa.selenium.OutputType;
import org.openqa.selenium.StaleElementReferenceException;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.WindowType;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;
import org.openqa.selenium.logging.LogEntry;
import org.openqa.selenium.logging.LogType;
import org.openqa.selenium.logging.LoggingPreferences;

/** A headless Chromium with a profile of its own, as one person has it before them. */
final class Chromium implements AutoCloseable {
  private static final Path BROWSER = Path.of("/usr/bin/chromium");
  private static final Path DRIVER = Path.of("/usr/bin/chromedriver");
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final ChromeDriver driver;
  private final Path screenshots;

  private Chromium(ChromeDriver driver, Path screenshots) {
    this.driver = driver;
    this.screenshots = screenshots;
  }

  static boolean isInstalled() {
    return Files.isExecutable(BROWSER) && Files.isExecutable(DRIVER);
  }

  /**
   * @param profile an empty folder
   * @param screenshots folder, made where needed
   */
  static Chromium start(Path profile, Path screenshots) throws IOException {
    Files.createDirectories(screenshots);
    ChromeOptions options = new ChromeOptions();
    options.setBinary(BROWSER.toFile());
    options.addArguments(
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-quic",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--disable-dev-shm-usage",
        "--hide-scrollbars",
        "--user-data-dir=" + profile);
    LoggingPreferences logging = new LoggingPreferences();
    logging.enable(LogType.BROWSER, Level.ALL);
    options.setCapability("goog:loggingPrefs", logging);
    ChromeDriverService service =
        new ChromeDriverService.Builder()
            .usingDriverExecutable(DRIVER.toFile())
            .usingAnyFreePort()
            .withLogFile(new File("/dev/null"))
            .build();
    Chromium chromium = new Chromium(new ChromeDriver(service, options), screenshots);
    chromium.desktop();
    return chromium;
  }

  void open(String url) {
    driver.get(url);
  }

  String url() {
    return driver.getCurrentUrl();
  }

  String title() {
    return driver.getTitle();
  }

  /** Opens a tab and looks at it until it is closed, then at the one before again. */
  Tab tab(String url) {
    String before = driver.getWindowHandle();
    driver.switchTo().newWindow(WindowType.TAB);
    open(url);
    return () -> {
      driver.close();
      driver.switchTo().window(before);
    };
  }

  /** One beside another. */
  interface Tab extends AutoCloseable {
    @Override
    void close();
  }

  void back() {
    driver.navigate().back();
  }

  void reload() {
    driver.navigate().refresh();
  }

  /** Forgets what the site keeps in this browser, the session apart. */
  void forget(String site) {
    driver.get(site + "/css/theme.css");
    run("localStorage.clear(); sessionStorage.clear();");
  }

  void forgetSession() {
    driver.manage().deleteAllCookies();
  }

  void desktop() {
    size(1280, 900, false);
  }

  void phone() {
    size(390, 844, true);
  }

  /** The narrowest that pages are made for; a wider page shows, since none is zoomed out here. */
  void narrow() {
    size(360, 740, false);
  }

  private void size(int width, int height, boolean mobile) {
    command(
        "Emulation.setDeviceMetricsOverride",
        Map.of("width", width, "height", height, "deviceScaleFactor", 1, "mobile", mobile));
  }

  /** The colours that the system of this person asks for: {@code light} or {@code dark}. */
  void prefers(String colours) {
    command(
        "Emulation.setEmulatedMedia",
        Map.of("features", List.of(Map.of("name", "prefers-color-scheme", "value", colours))));
  }

  /** Whether this person wants things that move to be few. */
  void prefersCalm(boolean calm) {
    command(
        "Emulation.setEmulatedMedia",
        Map.of(
            "features",
            List.of(
                Map.of(
                    "name",
                    "prefers-reduced-motion",
                    "value",
                    calm ? "reduce" : "no-preference"))));
  }

  boolean isMoving() {
    return (Boolean) run("return document.getAnimations().some((a) => a.playState === 'running')");
  }

  /** The languages that the browser of this person asks for. */
  void reads(String languages) {
    String agent = (String) run("return navigator.userAgent");
    command(
        "Emulation.setUserAgentOverride", Map.of("userAgent", agent, "acceptLanguage", languages));
  }

  WebElement find(String css) {
    return driver.findElement(By.cssSelector(css));
  }

  List<WebElement> findAll(String css) {
    return driver.findElements(By.cssSelector(css));
  }

  /** Waits until an element is seen. */
  WebElement seen(String css) {
    await(css)
        .atMost(PATIENCE)
        .ignoreExceptionsMatching(Chromium::isForNow)
        .until(() -> find(css).isDisplayed());
    return find(css);
  }

  /** Waits until an element says something. */
  void says(String css, String words) {
    await(css + " says " + words)
        .atMost(PATIENCE)
        .ignoreExceptionsMatching(Chromium::isForNow)
        .until(() -> find(css).getText().contains(words));
  }

  /** While a page is replaced its elements come and go. */
  private static boolean isForNow(Throwable failure) {
    return failure instanceof NoSuchElementException
        || failure instanceof StaleElementReferenceException;
  }

  /** The element that the keyboard is at. */
  WebElement focused() {
    return driver.switchTo().activeElement();
  }

  Object run(String script, Object... arguments) {
    return driver.executeScript(script, arguments);
  }

  /** What axe-core finds wrong with the page, a line each. */
  @SuppressWarnings("unchecked")
  List<String> accessibilityFaults() throws IOException {
    try (InputStream axe = getClass().getResourceAsStream("/axe.min.js")) {
      run(new String(axe.readAllBytes(), UTF_8));
    }
    return (List<String>)
        driver.executeAsyncScript(
            """
            const done = arguments[0];
            axe.run({ runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] })
              .then(({ violations }) => done(violations.flatMap(({ id, nodes }) =>
                nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`))))
              .catch((error) => done([String(error)]));
            """);
  }

  boolean scrollsSideways() {
    return (Boolean) run("return document.documentElement.scrollWidth > window.innerWidth");
  }

  /** Whether something in an element reaches over its edge. */
  boolean cutsOff(String css) {
    return (Boolean)
        run(
            "const e = document.querySelector(arguments[0]); return e.scrollWidth > e.clientWidth",
            css);
  }

  void screenshot(String name) {
    try {
      Files.write(screenshots.resolve(name + ".png"), driver.getScreenshotAs(OutputType.BYTES));
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  /** What scripts complained of since the last call; refused calls and lost sockets aren't that. */
  List<String> scriptErrors() {
    return driver.manage().logs().get(LogType.BROWSER).getAll().stream()
        .filter(entry -> entry.getLevel().intValue() >= Level.SEVERE.intValue())
        .map(LogEntry::getMessage)
        .filter(message -> !message.contains("Failed to load resource"))
        .filter(message -> !message.contains("WebSocket connection to"))
        .toList();
  }

  private void command(String name, Map<String, Object> parameters) {
    driver.executeCdpCommand(name, parameters);
  }

  @Override
  public void close() {
    driver.quit();
  }
}
