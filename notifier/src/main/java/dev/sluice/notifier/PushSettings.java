package dev.sluice.notifier;

import dev.sluice.notifier.connection.ConnectionLimits;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * How push behaves, from properties {@code sluice.push.*}.
 *
 * @param maxConnections at a time; a process has a file descriptor for each
 * @param acceptRate connections taken a second, with one second's worth at once
 * @param maxSubscriptions of a connection at a time
 * @param frameRate STOMP frames taken a second from one client, with one second's worth at once
 * @param maxFrame longest STOMP frame from a client
 * @param maxOutbox bytes waiting for one client and in flight to it; over it the connection ends
 * @param sendBuffer of the socket, where bytes wait beyond {@code maxOutbox}
 * @param maxMustDeliver admissions and timeouts waiting for one client
 * @param connectWithin time from opening to the CONNECT frame
 * @param heartbeat offered and wanted; a client silent for so long is pinged
 * @param silence after which a client that answers nothing, not even pings, is dropped
 * @param sendWithin time that the socket may take for one frame
 * @param closeWithin time for the other side to acknowledge a close
 * @param rankPeriod between rounds of ranks that changed
 * @param rankSync between rounds of all ranks
 * @param statsPeriod between the figures of a room in which someone waits
 * @param coalesce time that ranks and figures wait for others to leave together with
 * @param leaveWindow over which clients are spread when this server stops, at most
 * @param allowedOrigins further origins of pages that may connect, or {@code *}
 */
@ConfigurationProperties("sluice.push")
public record PushSettings(
    @DefaultValue("15000") int maxConnections,
    @DefaultValue("2000") int acceptRate,
    @DefaultValue("32") int maxSubscriptions,
    @DefaultValue("100") int frameRate,
    @DefaultValue("16KB") DataSize maxFrame,
    @DefaultValue("64KB") DataSize maxOutbox,
    @DefaultValue("64KB") DataSize sendBuffer,
    @DefaultValue("64") int maxMustDeliver,
    @DefaultValue("10s") Duration connectWithin,
    @DefaultValue("20s") Duration heartbeat,
    @DefaultValue("50s") Duration silence,
    @DefaultValue("30s") Duration sendWithin,
    @DefaultValue("5s") Duration closeWithin,
    @DefaultValue("2s") Duration rankPeriod,
    @DefaultValue("5s") Duration rankSync,
    @DefaultValue("1s") Duration statsPeriod,
    @DefaultValue("5ms") Duration coalesce,
    @DefaultValue("10s") Duration leaveWindow,
    @DefaultValue List<String> allowedOrigins) {
  private static final Duration MAX_TICK = Duration.ofSeconds(1);
  private static final Duration MIN_TICK = Duration.ofMillis(10);

  public PushSettings {
    allowedOrigins = List.copyOf(allowedOrigins);
    require(maxConnections > 0, "max-connections must be above 0");
    require(acceptRate > 0, "accept-rate must be above 0");
    require(acceptRate <= 1_000_000, "accept-rate must be 1000000 at most");
    require(maxSubscriptions > 0, "max-subscriptions must be above 0");
    require(frameRate > 0, "frame-rate must be above 0");
    require(frameRate <= 1_000_000, "frame-rate must be 1000000 at most");
    require(maxMustDeliver > 0, "max-must-deliver must be above 0");
    require(maxFrame.toBytes() >= 1024, "max-frame must be 1KB at least");
    require(maxFrame.toBytes() <= 1024 * 1024, "max-frame must be 1MB at most");
    require(maxOutbox.toBytes() >= 4096, "max-outbox must be 4KB at least");
    require(sendBuffer.toBytes() >= 4096, "send-buffer must be 4KB at least");
    require(sendBuffer.toBytes() <= 16 * 1024 * 1024, "send-buffer must be 16MB at most");
    require(
        Stream.of(
                connectWithin,
                heartbeat,
                silence,
                sendWithin,
                closeWithin,
                rankPeriod,
                rankSync,
                statsPeriod)
            .allMatch(duration -> duration.compareTo(MIN_TICK) >= 0),
        "no period may be below " + MIN_TICK.toMillis() + "ms");
    require(!leaveWindow.isNegative(), "leave-window must not be negative");
    require(
        !coalesce.isNegative() && coalesce.compareTo(MAX_TICK) <= 0,
        "coalesce must be between 0ms and 1s");
    require(
        silence.compareTo(heartbeat.multipliedBy(2)) > 0,
        "silence must be above two heartbeats, for a ping to be answered in");
  }

  /** What one connection may take. */
  public ConnectionLimits limits() {
    return new ConnectionLimits(
        (int) maxFrame.toBytes(),
        maxSubscriptions,
        frameRate,
        maxOutbox.toBytes(),
        (int) sendBuffer.toBytes(),
        maxMustDeliver,
        connectWithin,
        heartbeat,
        silence,
        sendWithin,
        closeWithin);
  }

  /** How often connections are looked at: often enough for the shortest of their times. */
  Duration tick() {
    Duration shortest =
        Stream.of(connectWithin, heartbeat, silence, sendWithin, closeWithin)
            .min(Duration::compareTo)
            .orElse(MAX_TICK)
            .dividedBy(4);
    if (shortest.compareTo(MAX_TICK) > 0) {
      return MAX_TICK;
    }
    return shortest.compareTo(MIN_TICK) < 0 ? MIN_TICK : shortest;
  }

  private static void require(boolean holds, String words) {
    if (!holds) {
      throw new IllegalArgumentException("sluice.push: " + words);
    }
  }
}
