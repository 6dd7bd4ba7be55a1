package dev.sluice.standalone;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;

class SluicePropertiesTest {
  @Test
  void defaults_are_those_of_the_contract() {
    SluiceProperties properties = SluiceProperties.from(given(Map.of()));

    assertThat(properties.roles()).containsExactly("all");
    assertThat(properties.dataDir()).isEqualTo(Path.of("data"));
    assertThat(properties.topics().entries()).isEqualTo("sluice.entries");
    assertThat(properties.applicationPrefix()).isEqualTo("sluice-");
    assertThat(properties.broker().port()).isEqualTo(9092);
    assertThat(properties.broker().address()).isEqualTo("127.0.0.1");
    assertThat(properties.kafka().isElsewhere()).isFalse();
    assertThat(properties.topology().transactionalStores()).isTrue();
    assertThat(properties.topology().commitInterval()).isEqualTo(Duration.ofMillis(100));
    assertThat(properties.secret()).isNull();
    assertThat(properties.adminToken()).isNull();
  }

  @Test
  void environment_variables_are_spelled_as_in_the_contract() {
    SluiceProperties properties =
        SluiceProperties.from(
            environment(
                Map.of(
                    "SLUICE_ROLES", "api,notifier",
                    "SLUICE_DATA_DIR", "/d",
                    "SLUICE_TOPIC_PREFIX", "shop.",
                    "SLUICE_SECRET", "s",
                    "SLUICE_ADMIN_TOKEN", "t",
                    "SLUICE_KAFKA_BOOTSTRAP_SERVERS", "kafka:9092",
                    "SLUICE_BROKER_PORT", "0",
                    "SLUICE_TOPOLOGY_TRANSACTIONAL_STORES", "false")));

    assertThat(properties.roles()).containsExactly("api", "notifier");
    assertThat(properties.dataDir()).isEqualTo(Path.of("/d"));
    assertThat(properties.topics().entries()).isEqualTo("shop.entries");
    assertThat(properties.applicationPrefix()).isEqualTo("shop-");
    assertThat(properties.secret()).isEqualTo("s");
    assertThat(properties.adminToken()).isEqualTo("t");
    assertThat(properties.kafka().bootstrapServers()).isEqualTo("kafka:9092");
    assertThat(properties.broker().port()).isZero();
    assertThat(properties.topology().transactionalStores()).isFalse();
  }

  @Test
  void further_client_settings_keep_their_dots() {
    SluiceProperties properties =
        SluiceProperties.from(given(Map.of("sluice.kafka.properties[security.protocol]", "SSL")));

    assertThat(properties.kafka().properties()).containsEntry("security.protocol", "SSL");
  }

  @Test
  void a_value_of_the_wrong_kind_is_refused_by_name() {
    ConfigurableEnvironment given = given(Map.of("sluice.broker.port", "many"));

    assertThatThrownBy(() -> SluiceProperties.from(given))
        .isInstanceOf(StartRefusal.class)
        .hasMessage("sluice.broker.port can't be \"many\"");
  }

  @Test
  void topics_that_cannot_be_are_refused() {
    SluiceProperties properties =
        SluiceProperties.from(given(Map.of("sluice.topic-prefix", "a topic.")));

    assertThatThrownBy(properties::topics).isInstanceOf(StartRefusal.class);
  }

  private static ConfigurableEnvironment given(Map<String, Object> properties) {
    ConfigurableEnvironment environment = new StandardEnvironment();
    environment.getPropertySources().addFirst(new MapPropertySource("given", properties));
    return environment;
  }

  private static ConfigurableEnvironment environment(Map<String, Object> variables) {
    ConfigurableEnvironment environment = new StandardEnvironment();
    environment
        .getPropertySources()
        .replace(
            StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME,
            new SystemEnvironmentPropertySource(
                StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME, variables));
    return environment;
  }
}
