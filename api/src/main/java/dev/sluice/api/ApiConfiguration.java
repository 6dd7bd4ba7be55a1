package dev.sluice.api;

import dev.sluice.api.admin.DeadLetterAdmin;
import dev.sluice.api.admin.SettingsAdmin;
import dev.sluice.api.admin.SettingsInForce;
import dev.sluice.api.admission.AdmissionCalls;
import dev.sluice.api.health.LocalTier;
import dev.sluice.api.health.RemoteTier;
import dev.sluice.api.health.Tier;
import dev.sluice.api.monitoring.TopologyMeters;
import dev.sluice.api.rooms.RoomCalls;
import dev.sluice.contract.Membership;
import dev.sluice.contract.Receipt;
import dev.sluice.contract.RoomEvent;
import dev.sluice.contract.SumMark;
import dev.sluice.contract.Topics;
import dev.sluice.log.CommandLog;
import dev.sluice.log.DeadLetter;
import dev.sluice.log.DeadLetters;
import dev.sluice.log.RoomLog;
import dev.sluice.query.AdmissionQueries;
import dev.sluice.runtime.TopologyRuntime;
import dev.sluice.settings.ConfigWriter;
import dev.sluice.settings.SettingAttempt;
import dev.sluice.settings.SettingKey;
import dev.sluice.settings.SettingScope;
import dev.sluice.settings.SettingsFollower;
import dev.sluice.settings.SettingsView;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/**
 * The API tier, for a launcher to import. Needs beans of {@link AdmissionQueries}, {@link
 * CommandLog}, {@link DeadLetters}, {@link SettingsFollower}, {@link ConfigWriter}, {@link
 * dev.sluice.identity.Sessions}, {@link dev.sluice.identity.Passes}, {@link
 * dev.sluice.identity.AdminRule}, {@link Topics} and {@link java.time.Clock}; for rooms of {@link
 * dev.sluice.query.RoomQueries}, {@link RoomLog}, {@link dev.sluice.hot.HotRooms} and an {@link
 * dev.sluice.hot.edge.EdgeCounters} that is flushed and asks {@link #early} when to be flushed
 * ahead; and takes a {@link TopologyRuntime} where the topology runs in the same process, and a
 * {@link dev.sluice.api.rooms.SharedFeed} and a {@link dev.sluice.api.monitoring.RedisLink} where
 * there is a Redis.
 */
@Configuration(proxyBeanMethods = false)
@Import(RestConfiguration.class)
public class ApiConfiguration {
  /** A room is flushed ahead of its time once it has gathered this part of its threshold. */
  private static final int EARLY_PART = 10;

  /** How many events a room may gather before they are told at once, by the settings in force. */
  public static long early(SettingsView settings, String roomId) {
    return Math.max(1, settings.of(SettingKey.HOT_THRESHOLD, roomId) / EARLY_PART);
  }

  @Bean
  AdmissionCalls.Entries entries(CommandLog log) {
    return log::append;
  }

  @Bean
  RoomCalls.Log roomCallsLog(RoomLog log) {
    return new RoomCalls.Log() {
      @Override
      public CompletableFuture<Receipt> append(RoomEvent event, SumMark mark) {
        return log.append(event, mark);
      }

      @Override
      public CompletableFuture<Receipt> append(Membership membership) {
        return log.append(membership);
      }
    };
  }

  @Bean
  SettingsInForce settingsInForce(SettingsFollower follower) {
    return new SettingsInForce() {
      @Override
      public SettingsView view() {
        return follower.view();
      }

      @Override
      public List<SettingAttempt> history(int limit) {
        return follower.history(limit);
      }
    };
  }

  @Bean
  SettingsAdmin.Changes settingChanges(ConfigWriter writer) {
    return new SettingsAdmin.Changes() {
      @Override
      public CompletableFuture<Long> put(
          SettingKey<?> key, SettingScope scope, String json, String who) {
        return writer.put(key, scope, json, who);
      }

      @Override
      public CompletableFuture<Long> unset(SettingKey<?> key, SettingScope scope, String who) {
        return writer.unset(key, scope, who);
      }
    };
  }

  @Bean
  DeadLetterAdmin.Shelf deadLetterShelf(DeadLetters letters) {
    return new DeadLetterAdmin.Shelf() {
      @Override
      public CompletableFuture<List<DeadLetter>> list(int limit) {
        return letters.list(limit);
      }

      @Override
      public CompletableFuture<DeadLetter.Redriven> redrive(String id) {
        return letters.redrive(id);
      }
    };
  }

  @Bean
  Tier tier(Optional<TopologyRuntime> runtime, AdmissionQueries queries) {
    return runtime.<Tier>map(LocalTier::new).orElseGet(() -> new RemoteTier(queries));
  }

  @Bean
  MeterBinder topologyMeters(Optional<TopologyRuntime> runtime, Topics topics) {
    // The registry holds what it asks weakly: this bean is what keeps it.
    return runtime
        .<MeterBinder>map(
            local -> new TopologyMeters(topics.partitions(), local::metrics, System::nanoTime))
        .orElse(registry -> {});
  }
}
