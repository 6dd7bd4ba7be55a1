package dev.sluice.broker;

import dev.sluice.broker.BrokerStartException.Reason;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.Properties;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import kafka.server.BrokerServer;
import kafka.server.ControllerServer;
import kafka.server.KafkaConfig;
import kafka.server.KafkaRaftServer;
import kafka.server.Server;
import kafka.server.SharedServer;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.BrokerIdNotRegisteredException;
import org.apache.kafka.common.errors.NotControllerException;
import org.apache.kafka.common.message.RequestHeaderData;
import org.apache.kafka.common.security.auth.KafkaPrincipal;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.controller.ControllerRequestContext;
import org.apache.kafka.metadata.bootstrap.BootstrapMetadata;
import org.apache.kafka.metadata.properties.MetaPropertiesEnsemble;
import org.apache.kafka.metadata.storage.Formatter;
import org.apache.kafka.raft.QuorumConfig;
import org.apache.kafka.server.fault.FaultHandler;
import org.apache.kafka.storage.internals.checkpoint.CleanShutdownFileHandler;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import scala.Tuple2;

/**
 * A real Kafka broker, with its own KRaft controller, in this JVM. What it has acknowledged is in
 * its directory and survives the process; a new one on the same directory goes on from there.
 * Thread-safe.
 */
public final class EmbeddedBroker implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(EmbeddedBroker.class);
  private static final int NODE = 1;
  private static final String CLIENTS = "PLAINTEXT";
  private static final String CONTROLLER = "CONTROLLER";
  private static final String CONTROLLER_ADDRESS = "127.0.0.1";
  private static final ControllerRequestContext ANONYMOUS =
      new ControllerRequestContext(
          new RequestHeaderData(), KafkaPrincipal.ANONYMOUS, OptionalLong.empty());
  private static final Duration CONTROLLER_ACTIVE_WITHIN = Duration.ofSeconds(20);
  private static final Duration ACTIVE_POLL = Duration.ofMillis(10);
  private static final Duration CLOSE_AT_MOST = Duration.ofSeconds(10);
  private static final Duration CONTROLLED_SHUTDOWN_AT_MOST = Duration.ofSeconds(3);

  private final BrokerConfig config;
  private final int port;
  private final DirectoryLock lock;
  private final BoundSockets sockets;
  private final ControllerServer controller;
  private final BrokerServer broker;
  private final CompletableFuture<Throwable> failure;
  private final AtomicBoolean closed = new AtomicBoolean();

  private EmbeddedBroker(
      BrokerConfig config,
      int port,
      DirectoryLock lock,
      BoundSockets sockets,
      ControllerServer controller,
      BrokerServer broker,
      CompletableFuture<Throwable> failure) {
    this.config = config;
    this.port = port;
    this.lock = lock;
    this.sockets = sockets;
    this.controller = controller;
    this.broker = broker;
    this.failure = failure;
  }

  /**
   * Starts a broker and returns once it serves. Takes seconds.
   *
   * @throws BrokerStartException when it can't; nothing is left open then
   */
  public static EmbeddedBroker start(BrokerConfig config) {
    EmbeddedBroker broker = bind(config);
    broker.serve();
    return broker;
  }

  /**
   * Takes the directory and the port, at once, and leaves the rest to {@link #serve}. Clients may
   * connect already; they are answered once it serves.
   *
   * @throws BrokerStartException when it can't; nothing is left open then
   */
  public static EmbeddedBroker bind(BrokerConfig config) {
    DirectoryLock lock = DirectoryLock.acquire(config.directory());
    BoundSockets sockets = new BoundSockets();
    try {
      return prepare(config, lock, sockets);
    } catch (RuntimeException e) {
      sockets.close();
      lock.close();
      throw e;
    }
  }

  private static EmbeddedBroker prepare(
      BrokerConfig config, DirectoryLock lock, BoundSockets sockets) {
    int port = sockets.bind(CLIENTS, config.address(), config.port());
    int controllerPort = sockets.bind(CONTROLLER, CONTROLLER_ADDRESS, 0);
    formatIfNew(config.directory());
    try {
      KafkaConfig kafka =
          KafkaConfig.fromProps(properties(config, port, controllerPort), /* doLog= */ false);
      Tuple2<MetaPropertiesEnsemble, BootstrapMetadata> disk =
          KafkaRaftServer.initializeLogDirs(kafka, LOG, "");
      MetaPropertiesEnsemble meta = disk._1();
      CompletableFuture<Throwable> failure = new CompletableFuture<>();
      SharedServer shared =
          new SharedServer(
              kafka,
              meta,
              Time.SYSTEM,
              Server.initializeMetrics(kafka, Time.SYSTEM, meta.clusterId().orElseThrow()),
              CompletableFuture.completedFuture(
                  QuorumConfig.parseVoterConnections(kafka.quorumConfig().voters())),
              List.of(),
              (name, fatal, action) -> faultHandler(name, fatal, action, failure),
              sockets);
      BrokerServer broker = new BrokerServer(shared);
      ControllerServer controller =
          new ControllerServer(shared, KafkaRaftServer.configSchema(), disk._2());
      return new EmbeddedBroker(config, port, lock, sockets, controller, broker, failure);
    } catch (RuntimeException e) {
      throw failed(config, e);
    }
  }

  /**
   * Starts to serve and returns once it does. Takes seconds; called once.
   *
   * @throws BrokerStartException when it can't; it is closed then
   */
  public void serve() {
    try {
      controller.startup();
      if (!wasClosed(config.directory())) {
        forgetPredecessor();
      }
      broker.startup();
    } catch (RuntimeException e) {
      close();
      throw failed(config, e);
    }
  }

  private static boolean wasClosed(Path directory) {
    return Files.exists(directory.resolve(CleanShutdownFileHandler.CLEAN_SHUTDOWN_FILE_NAME));
  }

  /**
   * Ends the registration of a killed predecessor, which the controller would otherwise honour for
   * a whole session (9 seconds) before it lets this one register. The directory lock proves that it
   * is gone.
   */
  private void forgetPredecessor() {
    long giveUp = System.nanoTime() + CONTROLLER_ACTIVE_WITHIN.toNanos();
    while (true) {
      try {
        controller.controller().unregisterBroker(ANONYMOUS, NODE).join();
        return;
      } catch (CompletionException e) {
        if (e.getCause() instanceof BrokerIdNotRegisteredException) {
          return;
        }
        if (!(e.getCause() instanceof NotControllerException) || System.nanoTime() > giveUp) {
          throw e;
        }
        LockSupport.parkNanos(ACTIVE_POLL.toNanos());
      }
    }
  }

  private static BrokerStartException failed(BrokerConfig config, Throwable cause) {
    return new BrokerStartException(
        Reason.FAILED,
        "The broker in %s didn't start: %s".formatted(config.directory(), cause.getMessage()),
        cause);
  }

  /** Kafka's own would end the whole process; who embeds the broker decides that here. */
  private static FaultHandler faultHandler(
      String name, boolean fatal, Runnable action, CompletableFuture<Throwable> failure) {
    return (words, cause) -> {
      LOG.error("Kafka's {}: {}", name, words, cause);
      action.run();
      RuntimeException fault = new IllegalStateException(name + ": " + words, cause);
      if (fatal) {
        failure.complete(fault);
      }
      return fault;
    };
  }

  private static void formatIfNew(Path directory) {
    // Kafka writes this file last when it formats.
    if (Files.exists(directory.resolve(MetaPropertiesEnsemble.META_PROPERTIES_NAME))) {
      return;
    }
    ByteArrayOutputStream said = new ByteArrayOutputStream();
    try {
      new Formatter()
          .setPrintStream(new PrintStream(said, true, StandardCharsets.UTF_8))
          .setNodeId(NODE)
          .setClusterId(Uuid.randomUuid().toString())
          .setDirectories(List.of(directory.toString()))
          .setMetadataLogDirectory(directory.toString())
          .setControllerListenerName(CONTROLLER)
          .run();
    } catch (Exception e) {
      throw new BrokerStartException(
          Reason.DIRECTORY_UNUSABLE,
          "The broker's directory %s can't be formatted: %s".formatted(directory, e.getMessage()),
          e);
    }
    LOG.debug("Formatted {}: {}", directory, said.toString(StandardCharsets.UTF_8));
  }

  private static Properties properties(BrokerConfig config, int port, int controllerPort) {
    Properties p = new Properties();
    p.put("process.roles", "broker,controller");
    p.put("node.id", Integer.toString(NODE));
    p.put("controller.listener.names", CONTROLLER);
    p.put("controller.quorum.voters", NODE + "@" + CONTROLLER_ADDRESS + ":" + controllerPort);
    p.put(
        "listeners",
        "%s://%s:%d,%s://%s:%d"
            .formatted(
                CLIENTS,
                listenerHost(config.address()),
                port,
                CONTROLLER,
                CONTROLLER_ADDRESS,
                controllerPort));
    p.put("listener.security.protocol.map", "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT");
    p.put("inter.broker.listener.name", CLIENTS);
    p.put("log.dirs", config.directory().toString());
    p.put("auto.create.topics.enable", "false");

    // One node holds the only replica of everything.
    for (String topic : List.of("offsets.topic", "transaction.state.log")) {
      p.put(topic + ".replication.factor", "1");
      p.put(topic + ".num.partitions", "4");
    }
    p.put("transaction.state.log.min.isr", "1");
    p.put("share.coordinator.state.topic.replication.factor", "1");
    p.put("share.coordinator.state.topic.min.isr", "1");
    p.put("share.coordinator.state.topic.num.partitions", "1");
    p.put("default.replication.factor", "1");
    p.put("min.insync.replicas", "1");

    // A group of one gains nothing by waiting for others.
    p.put("group.initial.rebalance.delay.ms", "0");
    // An abandoned transaction holds back readers of committed records until the next scan.
    p.put("transaction.abort.timed.out.transaction.cleanup.interval.ms", "1000");

    // Made for a machine with few cores and little memory, not for hundreds of clients.
    p.put("num.network.threads", "2");
    p.put("num.io.threads", "4");
    p.put("background.threads", "2");
    p.put("group.coordinator.threads", "1");
    p.put("share.coordinator.threads", "1");
    p.put("num.recovery.threads.per.data.dir", "2");
    p.put("log.cleaner.dedupe.buffer.size", Integer.toString(16 << 20));
    p.put("log.segment.bytes", Integer.toString(128 << 20));
    p.put("log.index.size.max.bytes", Integer.toString(2 << 20));
    return p;
  }

  /** Kafka takes an empty host for all addresses and then tells clients the machine's name. */
  private static String listenerHost(String address) {
    if (address.equals("0.0.0.0") || address.equals("::")) {
      return "";
    }
    return address.indexOf(':') >= 0 ? "[" + address + "]" : address;
  }

  /** What clients connect to, {@code host:port}. */
  public String bootstrapServers() {
    String host = listenerHost(config.address());
    return (host.isEmpty() ? CONTROLLER_ADDRESS : host) + ":" + port;
  }

  /** The port that clients connect to, never 0. */
  public int port() {
    return port;
  }

  /** Completes with the reason if the broker fails for good while it serves, else never. */
  public CompletableFuture<Throwable> failure() {
    return failure.copy();
  }

  /** Stops in order; returns within 10 seconds whatever happens. Again: does nothing. */
  @Override
  public void close() {
    if (closed.compareAndSet(false, true)) {
      stop();
      sockets.close();
      lock.close();
    }
  }

  private void stop() {
    CompletableFuture<Void> stopped =
        CompletableFuture.runAsync(
            () -> {
              broker.shutdown(CONTROLLED_SHUTDOWN_AT_MOST);
              controller.shutdown();
            },
            work -> {
              Thread thread = new Thread(work, "broker-close");
              thread.setDaemon(true);
              thread.start();
            });
    try {
      stopped.get(CLOSE_AT_MOST.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      LOG.warn("The broker didn't stop within {} and is abandoned", CLOSE_AT_MOST);
    } catch (ExecutionException e) {
      LOG.warn("The broker stopped with an error", e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /**
   * Runs a broker as a process of its own until it is told to stop: {@code DIRECTORY [PORT
   * [ADDRESS]]}. Prints {@code ready HOST:PORT} once it serves; exits with 1 and one line of words
   * when it can't.
   */
  public static void main(String... args) {
    if (args.length < 1 || args.length > 3) {
      System.err.println("Usage: DIRECTORY [PORT [ADDRESS]]");
      System.exit(2);
    }
    Path directory = Path.of(args[0]);
    int port = args.length > 1 ? Integer.parseInt(args[1]) : 9092;
    BrokerConfig config =
        args.length > 2
            ? new BrokerConfig(args[2], port, directory)
            : BrokerConfig.local(directory, port);
    EmbeddedBroker broker;
    try {
      broker = start(config);
    } catch (BrokerStartException e) {
      System.err.println(e.getMessage());
      System.exit(1);
      return;
    }
    Runtime.getRuntime().addShutdownHook(new Thread(broker::close, "broker-stop"));
    System.out.println("ready " + broker.bootstrapServers());
    System.err.println("The broker failed: " + broker.failure().join().getMessage());
    System.exit(1);
  }
}
