package dev.sluice.standalone;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DataDirectoryTest {
  @TempDir Path temporary;

  @Test
  void a_second_sluice_of_the_same_role_is_refused_until_the_first_is_gone() {
    Path path = temporary.resolve("data");
    DataDirectory first = DataDirectory.open(path, Set.of(Role.BROKER, Role.TOPOLOGY));

    assertThatThrownBy(() -> DataDirectory.open(path, Set.of(Role.TOPOLOGY)))
        .isInstanceOf(StartRefusal.class)
        .hasMessageContaining("is in use by another Sluice")
        .hasMessageContaining(Long.toString(ProcessHandle.current().pid()))
        .hasMessageContaining("SLUICE_DATA_DIR");

    first.close();
    DataDirectory.open(path, Set.of(Role.TOPOLOGY)).close();
  }

  @Test
  void the_roles_of_one_installation_may_share_it() {
    try (DataDirectory broker = DataDirectory.open(temporary, Set.of(Role.BROKER));
        DataDirectory topology = DataDirectory.open(temporary, Set.of(Role.TOPOLOGY))) {
      assertThat(broker.broker()).isNotEqualTo(topology.state());
    }
  }

  @Test
  void one_that_was_refused_holds_nothing() {
    try (DataDirectory topology = DataDirectory.open(temporary, Set.of(Role.TOPOLOGY))) {
      assertThat(topology).isNotNull();
      assertThatThrownBy(
              () -> DataDirectory.open(temporary, Set.of(Role.BROKER, Role.TOPOLOGY, Role.API)))
          .isInstanceOf(StartRefusal.class);

      DataDirectory.open(temporary, Set.of(Role.BROKER, Role.API)).close();
    }
  }

  @Test
  void secrets_are_made_once_and_only_their_owner_may_read_them() throws Exception {
    try (DataDirectory directory = DataDirectory.open(temporary, Set.of(Role.API))) {
      String secret = directory.secret();
      String key = directory.passKey().id();

      assertThat(secret).hasSizeGreaterThanOrEqualTo(32).isEqualTo(directory.secret());
      assertThat(directory.passKey().id()).isEqualTo(key);
      for (String file : new String[] {"secret", "pass-key.pem"}) {
        assertThat(
                PosixFilePermissions.toString(
                    Files.getPosixFilePermissions(temporary.resolve(file))))
            .isEqualTo("rw-------");
      }
    }
  }

  @Test
  void a_file_in_its_place_is_refused() throws Exception {
    Path file = Files.writeString(temporary.resolve("file"), "");

    assertThatThrownBy(() -> DataDirectory.open(file, Set.of(Role.API)))
        .isInstanceOf(StartRefusal.class)
        .hasMessageContaining(file.toString());
  }
}
