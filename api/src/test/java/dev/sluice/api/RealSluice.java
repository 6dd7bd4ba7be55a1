package dev.sluice.api;

import static org.awaitility.Awaitility.await;

import dev.sluice.broker.BrokerConfig;
import dev.sluice.broker.EmbeddedBroker;
import dev.sluice.contract.Topics;
import dev.sluice.hot.HotRooms;
import dev.sluice.hot.edge.EdgeCounters;
import dev.sluice.identity.AdminRule;
import dev.sluice.identity.PassKey;
import dev.sluice.identity.Passes;
import dev.sluice.identity.Sessions;
import dev.sluice.log.CommandLog;
import dev.sluice.log.DeadLetters;
import dev.sluice.log.HotRoomsFollower;
import dev.sluice.log.RoomLog;
import dev.sluice.log.SumFlusher;
import dev.sluice.query.AdmissionQueries;
import dev.sluice.runtime.TopologyConfig;
import dev.sluice.runtime.TopologyMetrics.RoomsMetrics;
import dev.sluice.runtime.TopologyRuntime;
import dev.sluice.settings.ConfigWriter;
import dev.sluice.settings.SettingsFollower;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.Map;
import java.util.UUID;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/** A broker, the topology and the API in this process, the log and the state in a folder. */
final class RealSluice implements AutoCloseable {
  private static final Topics TOPICS = new Topics(Topics.DEFAULT_PREFIX, 4);

  final Http http;
  private final Path folder;
  private final int brokerPort;
  private final CommandLog log;
  private final SettingsFollower settings;
  private final ConfigWriter writer;
  private final DeadLetters letters;
  private final RoomLog roomLog;
  private final HotRoomsFollower hotRooms;
  private final SumFlusher sums;
  private final EdgeCounters counters;
  private final TopologyRuntime topology;
  private final ConfigurableApplicationContext context;
  private EmbeddedBroker broker;

  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  @Import(ApiConfiguration.class)
  static class Tier {}

  RealSluice(Path folder) {
    this.folder = folder;
    this.broker = EmbeddedBroker.start(BrokerConfig.local(folder.resolve("broker")));
    this.brokerPort = broker.port();
    Map<String, Object> kafka = Map.of("bootstrap.servers", broker.bootstrapServers());
    TopologyConfig config = TopologyConfig.of(kafka, TOPICS, folder.resolve("state"), "end-to-end");
    this.log = new CommandLog(kafka, TOPICS, CommandLog.Limits.DEFAULT);
    this.settings = new SettingsFollower(kafka, TOPICS, config.settingsApplication());
    this.writer = new ConfigWriter(kafka, TOPICS);
    this.letters = new DeadLetters(kafka, TOPICS);
    this.roomLog = new RoomLog(kafka, TOPICS, CommandLog.Limits.DEFAULT);
    this.hotRooms = new HotRoomsFollower(kafka, TOPICS, System::nanoTime);
    this.sums = new SumFlusher(kafka, TOPICS);
    this.counters =
        new EdgeCounters(
            UUID.randomUUID().toString(),
            10_000,
            room -> ApiConfiguration.early(settings.view(), room),
            sums::wake);
    this.topology = new TopologyRuntime(config, log, settings);
    topology.start();
    settings.start();
    hotRooms.start();
    sums.start(counters);
    this.context = startApi();
    int port = ((WebServerApplicationContext) context).getWebServer().getPort();
    this.http = new Http(port);
    awaitReady();
  }

  private ConfigurableApplicationContext startApi() {
    return new SpringApplicationBuilder(Tier.class)
        .initializers(
            beans -> {
              var registry = beans.getBeanFactory();
              registry.registerSingleton("commandLog", log);
              registry.registerSingleton("settingsFollower", settings);
              registry.registerSingleton("configWriter", writer);
              registry.registerSingleton("deadLetters", letters);
              registry.registerSingleton("topologyRuntime", topology);
              registry.registerSingleton("roomLog", roomLog);
              registry.registerSingleton("hotRooms", hotRooms);
              registry.registerSingleton("edgeCounters", counters);
              registry.registerSingleton("roomQueries", topology.roomQueries());
              AdmissionQueries queries = topology.queries();
              registry.registerSingleton("admissionQueries", queries);
              registry.registerSingleton("topics", TOPICS);
              registry.registerSingleton("sessions", new Sessions("a secret of these tests"));
              registry.registerSingleton("passes", new Passes(PassKey.generate()));
              registry.registerSingleton("adminRule", new AdminRule(null));
              registry.registerSingleton("clock", Clock.systemUTC());
            })
        .run(
            "--server.port=0",
            "--server.address=127.0.0.1",
            "--spring.main.banner-mode=off",
            "--logging.level.root=WARN",
            "--logging.level.org.apache.kafka=ERROR");
  }

  String kafka() {
    return broker.bootstrapServers();
  }

  Topics topics() {
    return TOPICS;
  }

  /** What everyone hears of hot rooms. */
  HotRooms hotRooms() {
    return hotRooms;
  }

  RoomsMetrics roomsMetrics() {
    return topology.metrics().rooms();
  }

  void stopBroker() {
    broker.close();
  }

  void startBrokerAgain() {
    broker = EmbeddedBroker.start(BrokerConfig.local(folder.resolve("broker"), brokerPort));
  }

  void awaitReady() {
    await()
        .atMost(Duration.ofSeconds(60))
        .pollInterval(Duration.ofMillis(50))
        .until(() -> http.get("/health/ready").status() == 200);
  }

  /** Changes a setting and returns once it is in force here. */
  void set(String key, String roomId, String json) {
    setFor("room=" + roomId, key, json);
  }

  /** As {@link #set}, in any scope, such as {@code country=KR}. */
  void setFor(String scope, String key, String json) {
    String path = "/api/admin/settings/" + key + "?" + scope;
    Http.Answer put = http.send("PUT", path, json);
    if (put.status() != 200) {
      throw new AssertionError(put.raw().body());
    }
    long offset = put.body().path("offset").longValue();
    await()
        .atMost(Duration.ofSeconds(5))
        .pollInterval(Duration.ofMillis(10))
        .until(() -> http.get(path).body().path("offset").longValue(0) >= offset);
  }

  @Override
  public void close() {
    context.close();
    sums.close();
    hotRooms.close();
    roomLog.close();
    topology.close();
    settings.close();
    writer.close();
    letters.close();
    log.close();
    broker.close();
  }
}
