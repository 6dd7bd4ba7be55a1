package dev.sluice.api;

import dev.sluice.api.admin.DeadLetterAdmin;
import dev.sluice.api.admin.SettingsAdmin;
import dev.sluice.api.monitoring.RedisLink;
import dev.sluice.hot.edge.EdgeCounters;
import dev.sluice.identity.AdminRule;
import dev.sluice.identity.PassKey;
import dev.sluice.identity.Passes;
import dev.sluice.identity.Sessions;
import dev.sluice.log.DeadLetter;
import dev.sluice.settings.SettingKey;
import dev.sluice.settings.SettingScope;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.web.bind.annotation.RequestMethod;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerMapping;

/** The whole API in its container at a free port, before a topology in memory. */
public final class ApiUnderTest implements AutoCloseable {
  public final InMemoryTopology topology;
  public final InMemoryRooms rooms;
  public final EdgeCounters counters;
  public final Edges edges;
  public final Passes passes;
  public final Http http;
  public final int port;
  private final ConfigurableApplicationContext context;

  /** Settings and dead letters in memory. */
  public static final class Edges implements SettingsAdmin.Changes, DeadLetterAdmin.Shelf {
    public final List<String> changes = new CopyOnWriteArrayList<>();
    public final List<DeadLetter> letters = new CopyOnWriteArrayList<>();
    private Throwable failure;

    /** Every call fails so; null: none does. */
    public synchronized void fail(Throwable next) {
      failure = next;
    }

    @Override
    public CompletableFuture<Long> put(
        SettingKey<?> key, SettingScope scope, String json, String who) {
      return answer(() -> changed(key + "@" + scope + "=" + json));
    }

    @Override
    public CompletableFuture<Long> unset(SettingKey<?> key, SettingScope scope, String who) {
      return answer(() -> changed(key + "@" + scope + " unset"));
    }

    @Override
    public CompletableFuture<List<DeadLetter>> list(int limit) {
      return answer(() -> letters.stream().limit(limit).toList());
    }

    @Override
    public CompletableFuture<DeadLetter.Redriven> redrive(String id) {
      return answer(
          () -> {
            if (letters.stream().noneMatch(letter -> letter.id().equals(id))) {
              throw new NoSuchElementException("none");
            }
            return new DeadLetter.Redriven("sluice.entries", 3, 17, 1_796_000_000_000L);
          });
    }

    private long changed(String change) {
      changes.add(change);
      return changes.size() - 1L;
    }

    private synchronized <T> CompletableFuture<T> answer(Supplier<T> answer) {
      return failure != null
          ? CompletableFuture.failedFuture(failure)
          : CompletableFuture.completedFuture(null).thenApply(nothing -> answer.get());
    }
  }

  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  @Import(RestConfiguration.class)
  static class Beans {
    @Bean
    InMemoryTopology topology() {
      return new InMemoryTopology();
    }

    @Bean
    InMemoryRooms rooms() {
      return new InMemoryRooms();
    }

    @Bean
    EdgeCounters edgeCounters() {
      return new EdgeCounters("test", 1_000, room -> Long.MAX_VALUE, () -> {});
    }

    @Bean
    @ConditionalOnProperty("test.redis")
    RedisLink redisLink() {
      return new RedisLink() {
        @Override
        public State state() {
          return State.UP;
        }

        @Override
        public long lagMillis() {
          return 12;
        }
      };
    }

    @Bean
    Edges edges() {
      return new Edges();
    }

    @Bean
    Sessions sessions() {
      return new Sessions("a secret of these tests");
    }

    @Bean
    Passes passes() {
      return new Passes(PassKey.generate());
    }

    @Bean
    AdminRule adminRule(@Value("${test.admin-token:}") String token) {
      return new AdminRule(token);
    }

    @Bean
    Clock clock() {
      return Clock.fixed(Instant.ofEpochMilli(1_796_000_000_000L), ZoneOffset.UTC);
    }
  }

  private ApiUnderTest(ConfigurableApplicationContext context) {
    this.context = context;
    this.topology = context.getBean(InMemoryTopology.class);
    this.rooms = context.getBean(InMemoryRooms.class);
    this.counters = context.getBean(EdgeCounters.class);
    this.edges = context.getBean(Edges.class);
    this.passes = context.getBean(Passes.class);
    this.port = ((WebServerApplicationContext) context).getWebServer().getPort();
    this.http = new Http(port);
  }

  /** Starts it with {@code properties} of the form {@code name=value}. */
  public static ApiUnderTest start(String... properties) {
    List<String> arguments =
        new ArrayList<>(
            List.of(
                "--server.port=0",
                "--server.address=127.0.0.1",
                "--spring.main.banner-mode=off",
                "--logging.level.root=WARN"));
    for (String property : properties) {
      arguments.add("--" + property);
    }
    return new ApiUnderTest(
        new SpringApplicationBuilder(Beans.class).run(arguments.toArray(String[]::new)));
  }

  /** A session's token, issued by the API. */
  public String session() {
    return http.post("/api/sessions/issue", null).text("sessionId");
  }

  /** Calls {@code /api/admission/call} for a person with a session. */
  public Http.Answer call(String call, String roomId, String requestId, String session) {
    return http.post("/api/admission/" + call, name(roomId, requestId), "Sluice-Session", session);
  }

  public Http.Answer status(String roomId, String requestId, String session) {
    return http.get(
        "/api/admission/status?roomId=" + roomId + "&requestId=" + requestId,
        "Sluice-Session",
        session);
  }

  public static String name(String roomId, String requestId) {
    return "{\"roomId\":\"" + roomId + "\",\"requestId\":\"" + requestId + "\"}";
  }

  /** Each {@code METHOD path} that Spring MVC answers for this API. */
  public Set<String> mappings() {
    Set<String> mappings = new TreeSet<>();
    context
        .getBean("requestMappingHandlerMapping", RequestMappingHandlerMapping.class)
        .getHandlerMethods()
        .forEach(
            (mapping, handler) -> {
              boolean own = handler.getBeanType().getName().startsWith("dev.sluice.api");
              if (own && !mapping.getMethodsCondition().isEmpty()) {
                for (RequestMethod method : mapping.getMethodsCondition().getMethods()) {
                  mapping.getPatternValues().forEach(path -> mappings.add(method + " " + path));
                }
              }
            });
    return mappings;
  }

  @Override
  public void close() {
    context.close();
  }
}
