package dev.sluice.kinesis;

import dev.sluice.contract.Topics;
import dev.sluice.identity.Sessions;
import dev.sluice.kinesis.http.HttpSettings;
import dev.sluice.kinesis.shard.Account;
import dev.sluice.kinesis.sluice.OwnStreams;
import java.util.List;
import java.util.Map;

/**
 * What an endpoint is to be.
 *
 * @param http how it is reached: host, port, certificate, keys, limits
 * @param account whose streams these are, as names say
 * @param kafka client settings: {@code bootstrap.servers}, and security where needed
 * @param prefix of every topic
 * @param replication copies of each topic; -1 for the broker's default
 * @param secret that iterators and tokens are signed with, the same for all instances; {@value
 *     #MIN_SECRET_BYTES} bytes at least
 * @param sessions that verify who puts into Sluice's own streams; null to offer none of these
 * @param topics of others, offered as streams of the same names once they are there
 * @param throttle whether shards are limited as AWS limits them; Kafka has no such limit
 */
@SuppressWarnings("ArrayRecordComponent") // handed on, never compared
public record KinesisSettings(
    HttpSettings http,
    Account account,
    Map<String, Object> kafka,
    String prefix,
    short replication,
    byte[] secret,
    Sessions sessions,
    List<String> topics,
    boolean throttle) {
  public static final int MIN_SECRET_BYTES = 16;

  /**
   * @throws IllegalArgumentException if the secret is too short, or a topic can't be a stream
   */
  public KinesisSettings {
    kafka = Map.copyOf(kafka);
    if (secret.length < MIN_SECRET_BYTES) {
      throw new IllegalArgumentException(
          "the secret of iterators has " + MIN_SECRET_BYTES + " bytes at least");
    }
    topics = List.copyOf(topics);
    for (String topic : topics) {
      if (!topic.matches("[a-zA-Z0-9_.-]{1,128}") || isOfSluice(prefix, topic)) {
        throw new IllegalArgumentException("topic '" + topic + "' can't be offered as a stream");
      }
    }
  }

  /** What is put as it is would harm what reads these. */
  private static boolean isOfSluice(String prefix, String topic) {
    return topic.startsWith(prefix + "kinesis")
        || OwnStreams.topics(prefix).containsKey(topic)
        || new Topics(prefix, 1).specs().stream().anyMatch(own -> own.name().equals(topic));
  }

  /** Without the secrets. */
  @Override
  public String toString() {
    return http + ", topics " + prefix + "*";
  }
}
