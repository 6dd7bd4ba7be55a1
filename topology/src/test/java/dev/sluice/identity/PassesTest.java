package dev.sluice.identity;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.identity.PassCheck.Refusal;
import java.util.Base64;
import org.junit.jupiter.api.Test;

class PassesTest {
  private static final long NOW = 1_796_000_000_000L;
  private final Passes passes = new Passes(PassKey.generate());

  @Test
  void a_pass_says_whose_place_it_stands_for() {
    String pass = passes.sign("u-1", "topgun2", 17, NOW + 30_000);

    assertThat(passes.verify(pass, "topgun2", NOW))
        .isEqualTo(new PassCheck.Valid("u-1", "topgun2", 17, NOW + 30_000));
  }

  @Test
  void a_pass_never_outlives_the_place_it_stands_for() {
    String pass = passes.sign("u-1", "topgun2", 17, NOW + 30_999);

    assertThat(passes.verify(pass, "topgun2", NOW + 29_999)).isInstanceOf(PassCheck.Valid.class);
    assertThat(refusal(pass, "topgun2", NOW + 30_000)).isEqualTo(Refusal.EXPIRED);
  }

  @Test
  void garbage_a_wrong_signature_another_room_and_an_expired_one_are_told_apart() {
    String pass = passes.sign("u-1", "topgun2", 17, NOW + 30_000);
    String foreign = new Passes(PassKey.generate()).sign("u-1", "topgun2", 17, NOW + 30_000);

    assertThat(refusal("garbage", "topgun2", NOW)).isEqualTo(Refusal.GARBAGE);
    assertThat(refusal(foreign, "topgun2", NOW)).isEqualTo(Refusal.WRONG_SIGNATURE);
    assertThat(refusal(pass, "another", NOW)).isEqualTo(Refusal.OTHER_ROOM);
    assertThat(refusal(pass, "topgun2", NOW + 31_000)).isEqualTo(Refusal.EXPIRED);
    assertThat(Refusal.values()).extracting(Refusal::detail).doesNotHaveDuplicates();
  }

  @Test
  void a_pass_changed_anywhere_is_refused() {
    String pass = passes.sign("u-1", "topgun2", 17, NOW + 30_000);
    for (int i = 0; i < pass.length(); i++) {
      char changed = pass.charAt(i) == 'A' ? 'B' : 'A';
      String forged = pass.substring(0, i) + changed + pass.substring(i + 1);
      assertThat(refusal(forged, "topgun2", NOW))
          .as("changed at %d", i)
          .isIn(Refusal.GARBAGE, Refusal.WRONG_SIGNATURE);
    }
  }

  @Test
  void claims_of_someone_else_under_a_good_signature_are_refused() {
    String[] good = passes.sign("u-1", "topgun2", 17, NOW + 30_000).split("\\.");
    String[] other = passes.sign("u-2", "topgun2", 18, NOW + 30_000).split("\\.");

    assertThat(refusal(good[0] + "." + other[1] + "." + good[2], "topgun2", NOW))
        .isEqualTo(Refusal.WRONG_SIGNATURE);
  }

  @Test
  void no_algorithm_but_its_own_is_believed() {
    String claims = passes.sign("u-1", "topgun2", 17, NOW + 30_000).split("\\.")[1];
    for (String header : new String[] {"{\"alg\":\"none\"}", "{\"alg\":\"HS256\"}", "{}", "[]"}) {
      String forged = encode(header) + "." + claims + "." + encode("x");
      assertThat(refusal(forged, "topgun2", NOW)).as(header).isEqualTo(Refusal.GARBAGE);
    }
  }

  @Test
  void odd_texts_are_garbage() {
    for (String odd :
        new String[] {null, "", ".", "..", "a.b.c.d", "\u0000", "é.é.é", "x".repeat(100_000)}) {
      assertThat(refusal(odd, "topgun2", NOW)).isEqualTo(Refusal.GARBAGE);
    }
  }

  @Test
  void the_published_key_is_a_jwk_named_in_the_pass() {
    PassKey key = PassKey.generate();
    String header = new Passes(key).sign("u-1", "topgun2", 1, NOW).split("\\.")[0];

    assertThat(new String(Base64.getUrlDecoder().decode(header), UTF_8))
        .contains("\"alg\":\"EdDSA\"", "\"kid\":\"" + key.id() + "\"");
    assertThat(new Passes(key).jwks())
        .startsWith("{\"keys\":[{")
        .contains("\"kty\":\"OKP\"", "\"crv\":\"Ed25519\"", "\"kid\":\"" + key.id() + "\"")
        .doesNotContain("\"d\"");
  }

  @Test
  void nobody_gets_a_pass_with_odd_names() {
    assertThatThrownBy(() -> passes.sign("u\",\"room\":\"x", "topgun2", 1, NOW))
        .isInstanceOf(IllegalArgumentException.class);
  }

  private Refusal refusal(String pass, String roomId, long now) {
    return ((PassCheck.Refused) passes.verify(pass, roomId, now)).refusal();
  }

  private static String encode(String text) {
    return Base64.getUrlEncoder().withoutPadding().encodeToString(text.getBytes(UTF_8));
  }
}
