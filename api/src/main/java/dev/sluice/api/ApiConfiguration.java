package dev.sluice.api;

import dev.sluice.api.admin.DeadLetterAdmin;
import dev.sluice.api.admin.SettingsAdmin;
import dev.sluice.api.admin.SettingsInForce;
import dev.sluice.api.admission.AdmissionCalls;
import dev.sluice.api.health.LocalTier;
import dev.sluice.api.health.RemoteTier;
import dev.sluice.api.health.Tier;
import dev.sluice.api.monitoring.TopologyMeters;
import dev.sluice.contract.Topics;
import dev.sluice.log.CommandLog;
import dev.sluice.log.DeadLetter;
import dev.sluice.log.DeadLetters;
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
 * dev.sluice.identity.AdminRule}, {@link Topics} and {@link java.time.Clock}; and takes a {@link
 * TopologyRuntime} where the topology runs in the same process.
 */
@Configuration(proxyBeanMethods = false)
@Import(RestConfiguration.class)
public class ApiConfiguration {
  @Bean
  AdmissionCalls.Entries entries(CommandLog log) {
    return log::append;
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
