package dev.sluice.standalone;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.identity.PassKey;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.StandardEnvironment;

class SecretsTest {
  private static final Set<Role> ALL = EnumSet.allOf(Role.class);
  private static final Set<Role> FRONT = EnumSet.of(Role.API, Role.NOTIFIER);
  private static final Exposure LOOPBACK = new Exposure(Map.of());
  private static final Exposure OPEN = new Exposure(Map.of("server.address", "0.0.0.0"));

  @TempDir Path temporary;
  private DataDirectory directory;
  private final Map<String, Object> given = new HashMap<>();

  @BeforeEach
  void open() {
    directory = DataDirectory.open(temporary, Set.of());
  }

  @AfterEach
  void close() {
    directory.close();
  }

  @Test
  void all_in_one_on_loopback_keeps_its_own() {
    Secrets first = secrets(ALL, LOOPBACK);
    Secrets again = secrets(ALL, LOOPBACK);

    assertThat(again.secret()).isEqualTo(first.secret());
    assertThat(again.passKey().id()).isEqualTo(first.passKey().id());
  }

  @Test
  void those_given_are_taken() throws Exception {
    PassKey key = PassKey.generate();
    given.put("sluice.secret", "known to all");
    given.put(
        "sluice.pass-key-file",
        Files.writeString(temporary.resolve("key.pem"), key.toPem()).toString());

    Secrets secrets = secrets(FRONT, OPEN);

    assertThat(secrets.secret()).isEqualTo("known to all");
    assertThat(secrets.passKey().id()).isEqualTo(key.id());
  }

  @Test
  void a_part_of_an_installation_must_be_given_both() {
    assertThatThrownBy(() -> secrets(FRONT, LOOPBACK))
        .isInstanceOf(StartRefusal.class)
        .hasMessageContaining("SLUICE_SECRET");

    given.put("sluice.secret", "s");
    assertThatThrownBy(() -> secrets(FRONT, LOOPBACK))
        .isInstanceOf(StartRefusal.class)
        .hasMessageContaining("SLUICE_PASS_KEY_FILE");
  }

  @Test
  void all_in_one_beyond_loopback_starts_with_the_secret_alone() {
    given.put("sluice.secret", "s");

    assertThat(secrets(ALL, OPEN).passKey()).isNotNull();
  }

  @Test
  void a_broker_alone_needs_none() {
    assertThat(secrets(EnumSet.of(Role.BROKER), LOOPBACK)).isEqualTo(new Secrets(null, null));
  }

  @Test
  void a_key_that_is_none_is_refused_in_words() {
    given.put("sluice.secret", "s");
    given.put("sluice.pass-key", "nonsense");

    assertThatThrownBy(() -> secrets(ALL, OPEN))
        .isInstanceOf(StartRefusal.class)
        .hasMessageContaining("SLUICE_PASS_KEY")
        .hasMessageNotContaining("nonsense");
  }

  @Test
  void a_key_file_that_is_missing_is_not_made() {
    given.put("sluice.secret", "s");
    given.put("sluice.pass-key-file", temporary.resolve("absent.pem").toString());

    assertThatThrownBy(() -> secrets(ALL, OPEN)).isInstanceOf(StartRefusal.class);
    assertThat(temporary.resolve("absent.pem")).doesNotExist();
  }

  private Secrets secrets(Set<Role> roles, Exposure exposure) {
    StandardEnvironment environment = new StandardEnvironment();
    environment.getPropertySources().addFirst(new MapPropertySource("given", given));
    return Secrets.of(SluiceProperties.from(environment), roles, exposure, directory);
  }
}
