package dev.sluice.standalone;

import java.io.PrintStream;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.springframework.boot.Banner;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.context.event.ApplicationEnvironmentPreparedEvent;
import org.springframework.context.ApplicationListener;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.Environment;
import org.springframework.core.env.MapPropertySource;

/** A Sluice in this process. Several may run side by side. Thread-safe. */
public final class RunningSluice implements AutoCloseable {
  private static final String LOOPBACK = "127.0.0.1";

  private final PrintStream out;
  private final Duration beforeLaunch;
  private Set<Role> roles;
  private StartReport report;
  private DataDirectory directory;
  private Tiers tiers;
  private ConfigurableApplicationContext context;
  private boolean closed;

  /**
   * @param out for what a person sees
   * @param beforeLaunch time the process has taken already, to be reported as part of the start
   */
  RunningSluice(PrintStream out, Duration beforeLaunch) {
    this.out = out;
    this.beforeLaunch = beforeLaunch;
  }

  /**
   * Starts one and returns once it is ready: everything listens and the topology has caught up.
   *
   * @param args as on the command line, {@code --name=value}
   * @throws RuntimeException when it can't; nothing runs then, and {@link StartFailure} has words
   */
  public static RunningSluice start(String... args) {
    RunningSluice sluice = new RunningSluice(System.out, Duration.ZERO);
    sluice.launch(args);
    return sluice;
  }

  /** As {@link #start}; called once. */
  void launch(String... args) {
    SpringApplication application = new SpringApplication(StandaloneConfiguration.class);
    application.setBannerMode(Banner.Mode.OFF);
    application.setLogStartupInfo(false);
    application.setRegisterShutdownHook(false);
    application.addListeners(
        (ApplicationListener<ApplicationEnvironmentPreparedEvent>)
            event -> startTiers(event.getEnvironment()));
    application.addInitializers(this::adopt);
    try {
      ConfigurableApplicationContext started = application.run(args);
      tiersOfThisProcess().awaitReady();
      report.ready(new WhereToLook(started.getEnvironment(), roles).toString());
    } catch (RuntimeException e) {
      close();
      throw e;
    }
  }

  /** Runs once the properties are known, before Spring makes anything. */
  private synchronized void startTiers(ConfigurableEnvironment environment) {
    SluiceProperties properties = SluiceProperties.from(environment);
    roles = rolesOf(properties);
    Exposure exposure = Exposure.of(addresses(properties, environment, roles));
    exposure.demand(properties.adminToken(), properties.secret());
    directory = DataDirectory.open(properties.dataDir(), roles);
    Secrets secrets = Secrets.of(properties, roles, exposure, directory);
    report = new StartReport(out, beforeLaunch, System::nanoTime);
    report.begins(properties.dataDir());
    tiers = Tiers.start(properties, roles, directory, secrets, report);
    if (roles.stream().noneMatch(Role::isWeb)) {
      environment
          .getPropertySources()
          .addFirst(
              new MapPropertySource(
                  "sluice-roles",
                  Map.of("spring.main.web-application-type", WebApplicationType.NONE.name())));
    }
  }

  private static Set<Role> rolesOf(SluiceProperties properties) {
    Set<Role> asked = Role.parse(properties.roles());
    if (properties.kafka().isElsewhere()) {
      asked.remove(Role.BROKER);
    } else if (!asked.contains(Role.BROKER)) {
      throw new StartRefusal(
          "Without the role broker, sluice.kafka.bootstrap-servers must say where Kafka is");
    }
    if (asked.isEmpty()) {
      throw new StartRefusal(
          "There is nothing to start: the role broker is left out where"
              + " sluice.kafka.bootstrap-servers is set");
    }
    return asked;
  }

  private static Map<String, String> addresses(
      SluiceProperties properties, Environment environment, Set<Role> roles) {
    Map<String, String> addresses = new LinkedHashMap<>();
    if (roles.stream().anyMatch(Role::isWeb)) {
      addresses.put("server.address", environment.getProperty("server.address", LOOPBACK));
    }
    if (roles.contains(Role.BROKER)) {
      addresses.put("sluice.broker.address", properties.broker().address());
    }
    if (Tiers.hasInternalPort(properties, roles)) {
      addresses.put("sluice.topology.address", properties.topology().address());
    }
    if (roles.contains(Role.KINESIS)) {
      addresses.put("sluice.kinesis.address", properties.kinesis().address());
    }
    return addresses;
  }

  private synchronized void adopt(ConfigurableApplicationContext fresh) {
    fresh.getBeanFactory().registerSingleton("tiers", tiers);
    context = fresh;
  }

  private synchronized Tiers tiersOfThisProcess() {
    return tiers;
  }

  /** Completes with the reason if Sluice can't go on, else never. */
  public CompletableFuture<Throwable> failure() {
    return tiersOfThisProcess().failure();
  }

  /** The port of HTTP, never 0. */
  public int httpPort() {
    return WhereToLook.httpPort(context.getEnvironment());
  }

  /** What Kafka clients connect to. */
  public String bootstrapServers() {
    return (String) tiersOfThisProcess().kafka().get("bootstrap.servers");
  }

  /** Stops in order: what people talk to first, Kafka last. Again: does nothing. */
  @Override
  public void close() {
    ConfigurableApplicationContext front;
    synchronized (this) {
      if (closed) {
        return;
      }
      closed = true;
      front = context;
    }
    if (front != null) {
      front.close();
    }
    synchronized (this) {
      if (tiers != null) {
        tiers.close();
      }
      if (directory != null) {
        directory.close();
      }
    }
  }
}
