package dev.sluice.notifier;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.identity.AdminRule;
import dev.sluice.identity.PassKey;
import dev.sluice.identity.Passes;
import dev.sluice.identity.Session;
import dev.sluice.identity.Sessions;
import dev.sluice.notifier.push.RoomSources;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Clock;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/** The notifier inside a Spring application. */
final class NotifierConfigurationTest {
  private final HttpClient http = HttpClient.newHttpClient();
  private ConfigurableApplicationContext context;
  private int port;

  @BeforeEach
  void start() {
    context =
        new SpringApplicationBuilder(Application.class)
            .properties("server.port=0", "server.address=127.0.0.1", "spring.main.banner-mode=off")
            .run();
    port = ((WebServerApplicationContext) context).getWebServer().getPort();
  }

  @AfterEach
  void stop() {
    context.close();
  }

  @Test
  void servesClientsTellsOperatorsAndLeavesInOrder() throws Exception {
    Session session = context.getBean(Sessions.class).issue();
    FakeRooms rooms = context.getBean(FakeRooms.class);
    rooms.enter("r", "u", session.hash());
    await().until(() -> context.getBean(Notifier.class).isAccepting());
    try (StompClient client = StompClient.connect(port, session)) {
      client.subscribed("0", "/topic/rank/u");
      client.subscribed("1", "/topic/server");

      HttpResponse<String> status = status();
      assertThat(status.statusCode()).isEqualTo(200);
      assertThat(status.body())
          .contains("\"accepting\":true", "\"connections\":1", "\"subscriptions\":2")
          .contains("\"refused\":{\"full\":0,\"rate\":0,\"notAccepting\":0,\"origin\":0}");
      assertThat(status("X-Forwarded-For", "10.0.0.1").statusCode()).isEqualTo(403);
      assertThat(status("X-Forwarded-For", "10.0.0.1").headers().firstValue("Content-Type"))
          .hasValueSatisfying(type -> assertThat(type).startsWith("application/problem+json"));

      SimpleMeterRegistry registry = new SimpleMeterRegistry();
      context.getBean(MeterBinder.class).bindTo(registry);
      assertThat(registry.get("sluice.push.connections").gauge().value()).isEqualTo(1);
      assertThat(registry.get("sluice.push.opened").functionCounter().count()).isEqualTo(1);
      assertThat(registry.find("sluice.push.refused").tag("reason", "rate").functionCounter())
          .isNotNull();

      context.close();
      client.nextWith("RECONNECT_SOON");
      assertThat(client.closeCode()).isEqualTo(1012);
    }
  }

  @Test
  void browsersRunTheScriptsOfThePagesAndNoOthers() throws Exception {
    for (String page :
        List.of(
            "/", "/waiting.html", "/seats.html", "/operator.html", "/console", "/console.html")) {
      HttpResponse<String> answer = get(page);
      assertThat(answer.statusCode()).as(page).isEqualTo(200);
      assertThat(answer.headers().firstValue("Content-Security-Policy"))
          .as(page)
          .hasValueSatisfying(
              policy ->
                  assertThat(policy)
                      .contains("default-src 'self'", "'sha256-", "frame-ancestors 'none'")
                      .doesNotContain("script-src 'self' 'unsafe-inline'"));
    }
    assertThat(get("/js/waiting.js").headers().firstValue("X-Content-Type-Options"))
        .hasValue("nosniff");
  }

  private HttpResponse<String> status(String... headers) throws Exception {
    return get("/api/v1/monitor/websocket/status", headers);
  }

  private HttpResponse<String> get(String path, String... headers) throws Exception {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path));
    if (headers.length > 0) {
      request.headers(headers);
    }
    return http.send(request.build(), HttpResponse.BodyHandlers.ofString());
  }

  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  @Import(NotifierConfiguration.class)
  static class Application {
    @Bean
    FakeRooms rooms() {
      return new FakeRooms();
    }

    @Bean
    RoomSources roomSources() {
      return new FakeFeeds().sources();
    }

    @Bean
    Sessions sessions() {
      return new Sessions("a secret of tests");
    }

    @Bean
    Passes passes() {
      return new Passes(PassKey.generate());
    }

    @Bean
    AdminRule adminRule() {
      return new AdminRule(null);
    }

    @Bean
    Clock clock() {
      return Clock.systemUTC();
    }
  }
}
