package dev.sluice.bench.redisway;

import dev.sluice.api.admission.AdmissionCalls;
import dev.sluice.api.admission.AdmissionMeters;
import dev.sluice.api.admission.AdmissionServlet;
import dev.sluice.api.exchange.InFlight;
import dev.sluice.identity.PassKey;
import dev.sluice.identity.Passes;
import dev.sluice.identity.Sessions;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.jetty.servlet.JettyServletWebServerFactory;
import org.springframework.boot.web.servlet.ServletRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.PropertySource;

/**
 * The baseline's process: Sluice's own servlet on the same Jetty, with {@link RedisRoom} behind it.
 * Arguments: the port to serve, Redis's port, connections to Redis.
 */
@Configuration(proxyBeanMethods = false)
@EnableAutoConfiguration
@PropertySource("classpath:dev/sluice/api/api.properties")
public class RedisWayServer {
  private static final int PLACES = 200;
  private static final Duration STAY = Duration.ofSeconds(30);
  private static final Duration ANSWER_WITHIN = Duration.ofSeconds(4);
  private static final int MAX_IN_FLIGHT = 20_000;

  public static void main(String[] arguments) {
    SpringApplication application = new SpringApplication(RedisWayServer.class);
    application.setDefaultProperties(
        Map.of(
            "server.address", "127.0.0.1",
            "server.port", arguments[0],
            "redis.port", arguments[1],
            "redis.connections", arguments[2],
            "spring.threads.virtual.enabled", "true"));
    application.run();
  }

  @Bean
  JettyServletWebServerFactory container() {
    return new JettyServletWebServerFactory();
  }

  @Bean
  WaitingRoomScript waitingRoomScript(
      @Value("${redis.port}") int port, @Value("${redis.connections}") int connections) {
    return new WaitingRoomScript(port, connections, PLACES, STAY);
  }

  /** The callers of Redis, who also write the answers: one thread less to wake. */
  @Bean(destroyMethod = "shutdown")
  ExecutorService redisCallers(@Value("${redis.connections}") int connections) {
    return Executors.newFixedThreadPool(connections);
  }

  @Bean
  ServletRegistrationBean<AdmissionServlet> admissionServlet(
      WaitingRoomScript script, ExecutorService redisCallers, MeterRegistry registry) {
    RedisRoom room = new RedisRoom(script, redisCallers);
    AdmissionCalls calls =
        new AdmissionCalls(room, room, new AdmissionMeters(registry), ANSWER_WITHIN);
    AdmissionServlet servlet =
        new AdmissionServlet(
            calls,
            room,
            new Sessions("the baseline's secret"),
            new Passes(PassKey.generate()),
            new InFlight(MAX_IN_FLIGHT),
            Runnable::run,
            ANSWER_WITHIN);
    ServletRegistrationBean<AdmissionServlet> registration =
        new ServletRegistrationBean<>(servlet, "/api/admission/*", "/api/sessions/*");
    registration.setLoadOnStartup(1);
    return registration;
  }
}
