package dev.sluice.identity;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Base64;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PassKeyTest {
  @TempDir Path folder;

  @Test
  void a_key_made_on_first_start_is_found_on_the_next() throws Exception {
    Path file = folder.resolve("keys").resolve("pass.pem");
    PassKey made = PassKey.loadOrCreate(file);
    PassKey found = PassKey.loadOrCreate(file);

    assertThat(found.id()).isEqualTo(made.id());
    String pass = new Passes(made).sign("u-1", "topgun2", 1, 30_000);
    assertThat(new Passes(found).verify(pass, "topgun2", 0)).isInstanceOf(PassCheck.Valid.class);
  }

  @Test
  void only_its_owner_may_read_the_file() throws Exception {
    Path file = folder.resolve("pass.pem");
    PassKey.loadOrCreate(file);

    assertThat(Files.getPosixFilePermissions(file))
        .isEqualTo(PosixFilePermissions.fromString("rw-------"));
    try (var files = Files.list(folder)) {
      assertThat(files).containsExactly(file);
    }
  }

  @Test
  void many_that_start_at_once_agree_on_one_key() {
    Path file = folder.resolve("pass.pem");
    List<String> ids = IntStream.range(0, 16).parallel().mapToObj(i -> idOf(file)).toList();

    assertThat(ids).hasSize(16).containsOnly(ids.get(0));
  }

  @Test
  void a_key_of_openssl_is_read() {
    // The test key of RFC 8037, appendix A.
    PassKey key =
        PassKey.fromPem(
            """
            -----BEGIN PRIVATE KEY-----
            MC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g
            -----END PRIVATE KEY-----
            """);

    assertThat(key.id()).isEqualTo("kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k");
    assertThat(key.toJwk()).contains("\"x\":\"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo\"");
  }

  @Test
  void it_signs_as_the_standard_shows() {
    // The example of RFC 8037, appendix A.4.
    PassKey key =
        PassKey.fromPem(
            """
            -----BEGIN PRIVATE KEY-----
            MC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g
            -----END PRIVATE KEY-----
            """);
    byte[] message = "eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc".getBytes(US_ASCII);

    byte[] signature = key.sign(message);

    assertThat(Base64.getUrlEncoder().withoutPadding().encodeToString(signature))
        .isEqualTo(
            "hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt"
                + "9g7sVvpAr_MuM0KAg");
    assertThat(key.verify(message, signature)).isTrue();
    signature[5] ^= 1;
    assertThat(key.verify(message, signature)).isFalse();
  }

  @Test
  void anything_else_is_refused_in_words() {
    for (String text :
        new String[] {
          "",
          "hello",
          "-----BEGIN PRIVATE KEY-----\n%%%\n-----END PRIVATE KEY-----",
          "-----BEGIN PRIVATE KEY-----\nMC4C\n-----END PRIVATE KEY-----"
        }) {
      assertThatThrownBy(() -> PassKey.fromPem(text))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("the key of passes");
    }
  }

  private static String idOf(Path file) {
    try {
      return PassKey.loadOrCreate(file).id();
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }
}
