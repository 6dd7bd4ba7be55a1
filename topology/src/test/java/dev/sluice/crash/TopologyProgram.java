package dev.sluice.crash;

import dev.sluice.contract.Topics;
import dev.sluice.log.CommandLog;
import dev.sluice.runtime.TopologyConfig;
import dev.sluice.runtime.TopologyConfig.QueryPort;
import dev.sluice.runtime.TopologyRuntime;
import dev.sluice.settings.SettingsFollower;
import java.nio.file.Path;
import java.util.Map;

/**
 * The topology tier alone. Arguments: Kafka, partitions, state directory, instance, query port,
 * whether stores are transactional. Prints {@code started}, then {@code ready} with the
 * milliseconds it took.
 */
final class TopologyProgram {
  static final String TOKEN = "a token of tests";

  private TopologyProgram() {}

  public static void main(String[] arguments) throws Exception {
    long begin = System.nanoTime();
    Map<String, Object> kafka = Map.of("bootstrap.servers", arguments[0]);
    Topics topics = new Topics("crash.", Integer.parseInt(arguments[1]));
    TopologyConfig config =
        TopologyConfig.of(kafka, topics, Path.of(arguments[2]), arguments[3])
            .withPort(
                new QueryPort("127.0.0.1", "127.0.0.1", Integer.parseInt(arguments[4]), TOKEN))
            .withTransactionalStores(Boolean.parseBoolean(arguments[5]));
    CommandLog log = new CommandLog(kafka, topics, CommandLog.Limits.DEFAULT);
    SettingsFollower settings = new SettingsFollower(kafka, topics, config.settingsApplication());
    TopologyRuntime topology = new TopologyRuntime(config, log, settings);
    Runtime.getRuntime()
        .addShutdownHook(
            new Thread(
                () -> {
                  topology.close();
                  settings.close();
                  log.close();
                }));
    topology.start();
    settings.start();
    System.out.println("started " + topology.address());
    while (!topology.isReady()) {
      Thread.sleep(5);
    }
    System.out.println("ready " + (System.nanoTime() - begin) / 1_000_000);
    Thread.currentThread().join();
  }
}
