package dev.sluice.standalone;

import dev.sluice.contract.Topics;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.core.env.Environment;

/**
 * What this process is told by properties under {@code sluice.}, or by environment variables:
 * {@code sluice.data-dir} is {@code SLUICE_DATA_DIR}.
 *
 * @param roles names of {@link Role}s, or {@code all}
 * @param dataDir for everything that is kept
 * @param topicPrefix of the topics, and, with a dash for its last dot, of the applications
 * @param partitions of {@code entries} and {@code outcomes}, when they are first created
 * @param replication copies of each topic created; -1 for the broker's default
 * @param adminToken for operators' calls; null: from this machine only
 * @param secret behind sessions and the internal port; null: kept in the data directory
 * @param passKey PEM text of the Ed25519 key that signs passes; null: from the file
 * @param passKeyFile where that key is; null: kept in the data directory
 */
record SluiceProperties(
    @DefaultValue("all") List<String> roles,
    @DefaultValue("data") Path dataDir,
    @DefaultValue(Topics.DEFAULT_PREFIX) String topicPrefix,
    @DefaultValue("" + Topics.DEFAULT_PARTITIONS) int partitions,
    @DefaultValue("-1") short replication,
    String adminToken,
    String secret,
    String passKey,
    Path passKeyFile,
    @DefaultValue Kafka kafka,
    @DefaultValue Broker broker,
    @DefaultValue Topology topology,
    @DefaultValue Redis redis,
    @DefaultValue Push push,
    @DefaultValue Kinesis kinesis) {

  /**
   * A Kafka that isn't in this process.
   *
   * @param bootstrapServers null or blank: none, the broker of this process serves
   * @param properties further client settings, such as security
   */
  record Kafka(String bootstrapServers, @DefaultValue Map<String, String> properties) {
    boolean isElsewhere() {
      return bootstrapServers != null && !bootstrapServers.isBlank();
    }
  }

  /** Where the embedded broker listens; port 0 picks a free one. */
  record Broker(@DefaultValue("127.0.0.1") String address, @DefaultValue("9092") int port) {}

  /**
   * A Redis for marks of hot rooms, for what several instances read and for the relay; all works
   * without.
   *
   * @param uri {@code redis://user:password@host:6379}, several for a cluster; null or blank: none
   */
  record Redis(String uri) {
    @Override
    public String toString() {
      return "Redis";
    }
  }

  /**
   * What isn't the notifier's alone to know.
   *
   * @param relay whether admissions are told through Redis too
   */
  record Push(@DefaultValue("false") boolean relay) {}

  /**
   * The Kinesis-compatible endpoint.
   *
   * @param port 0 picks a free one
   * @param region of the streams, as their names have it
   * @param account twelve digits, as the names of streams have it
   * @param certificate the chain in PEM, the endpoint's own first; null: clear text
   * @param certificateKey of the certificate, in PEM (PKCS #8); null without one
   * @param accessKeys of those who may call, {@code ID:SECRET} each; none: whoever reaches it may
   * @param topics of others, offered as streams
   * @param throttle whether shards have AWS's limits
   */
  record Kinesis(
      @DefaultValue("127.0.0.1") String address,
      @DefaultValue("4567") int port,
      @DefaultValue("us-east-1") String region,
      @DefaultValue("000000000000") String account,
      Path certificate,
      Path certificateKey,
      @DefaultValue List<String> accessKeys,
      @DefaultValue List<String> topics,
      @DefaultValue("false") boolean throttle) {
    @Override
    public String toString() {
      return "Kinesis";
    }
  }

  /**
   * @param instanceId names this instance among all; null: made once and kept in the data directory
   * @param threads stream threads
   * @param standbys copies of the state on other instances
   * @param transactionalStores whether stores survive a kill without being restored from Kafka
   * @param commitInterval how often state and outcomes are committed; nobody waits for it
   * @param address that the internal port binds
   * @param advertised how other processes reach it; null: by that address
   * @param port the internal port, 0 for any free one; null: open only where a tier is elsewhere
   * @param peers {@code host:port} of internal ports, for a process without a topology
   */
  record Topology(
      String instanceId,
      @DefaultValue("2") int threads,
      @DefaultValue("1") int standbys,
      @DefaultValue("true") boolean transactionalStores,
      @DefaultValue("100ms") Duration commitInterval,
      @DefaultValue("127.0.0.1") String address,
      String advertised,
      Integer port,
      @DefaultValue List<String> peers) {}

  /**
   * @throws StartRefusal naming the property that can't be used
   */
  static SluiceProperties from(Environment environment) {
    try {
      return Binder.get(environment).bindOrCreate("sluice", Bindable.of(SluiceProperties.class));
    } catch (BindException e) {
      throw new StartRefusal("%s can't be %s".formatted(e.getName(), valueOf(environment, e)), e);
    }
  }

  private static String valueOf(Environment environment, BindException e) {
    if (e.getProperty() != null) {
      return "\"" + e.getProperty().getValue() + "\"";
    }
    return "\"" + environment.getProperty(e.getName().toString()) + "\"";
  }

  Topics topics() {
    try {
      return new Topics(topicPrefix, partitions);
    } catch (IllegalArgumentException e) {
      throw new StartRefusal("The topics can't be named or made so: " + e.getMessage(), e);
    }
  }

  /** What the ids of the streams applications begin with. */
  String applicationPrefix() {
    return topicPrefix.replaceFirst("[.]$", "") + "-";
  }
}
