package dev.sluice.identity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.contract.Ids;
import org.junit.jupiter.api.Test;

class SessionsTest {
  private final Sessions sessions = new Sessions("a secret of these tests");

  @Test
  void an_issued_session_verifies_under_the_same_secret_anywhere() {
    Session issued = sessions.issue();

    assertThat(new Sessions("a secret of these tests").verify(issued.token())).contains(issued);
  }

  @Test
  void two_sessions_have_neither_token_nor_hash_in_common() {
    Session one = sessions.issue();
    Session other = sessions.issue();

    assertThat(one.token()).isNotEqualTo(other.token());
    assertThat(one.hash()).isNotEqualTo(other.hash());
  }

  @Test
  void the_hash_gives_nobody_a_session() {
    Session issued = sessions.issue();

    assertThat(issued.hash()).hasSize(22).matches(Ids::isValid);
    assertThat(issued.token()).doesNotContain(issued.hash());
    assertThat(issued.toString()).doesNotContain(issued.token());
    assertThat(sessions.verify(issued.hash())).isEmpty();
  }

  @Test
  void a_session_of_another_secret_is_unknown() {
    assertThat(sessions.verify(new Sessions("another").issue().token())).isEmpty();
  }

  @Test
  void a_token_changed_anywhere_is_unknown() {
    String token = sessions.issue().token();
    for (int i = 0; i < token.length(); i++) {
      char changed = token.charAt(i) == 'A' ? 'B' : 'A';
      String forged = token.substring(0, i) + changed + token.substring(i + 1);
      assertThat(sessions.verify(forged)).as("changed at %d", i).isEmpty();
    }
  }

  @Test
  void garbage_is_unknown() {
    for (String garbage :
        new String[] {null, "", ".", "x".repeat(68), "%".repeat(24) + "." + "A".repeat(43), "é"}) {
      assertThat(sessions.verify(garbage)).as("%s", garbage).isEmpty();
    }
  }

  @Test
  void a_blank_secret_is_refused() {
    assertThatThrownBy(() -> new Sessions(" ")).isInstanceOf(IllegalArgumentException.class);
  }
}
