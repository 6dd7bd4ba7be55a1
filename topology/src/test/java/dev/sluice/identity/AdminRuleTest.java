package dev.sluice.identity;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.identity.AdminRule.Call;
import dev.sluice.identity.AdminRule.Verdict;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class AdminRuleTest {
  private final AdminRule open = new AdminRule(null);
  private final AdminRule guarded = new AdminRule("s3cret");

  @ParameterizedTest
  @CsvSource({
    "127.0.0.1, localhost:8080",
    "127.0.0.1, 127.0.0.1",
    "127.8.9.1, 127.0.0.2:80",
    "0:0:0:0:0:0:0:1, [::1]:8080",
    "::1, LOCALHOST"
  })
  void withoutATokenThisMachineMay(String peer, String host) {
    assertThat(open.judge(new Call(peer, Set.of("Host"), null, host, null)))
        .isEqualTo(Verdict.ALLOWED);
    assertThat(open.judge(new Call(peer, Set.of("Host"), null, host, "http://" + host)))
        .isEqualTo(Verdict.ALLOWED);
  }

  @ParameterizedTest
  @CsvSource({
    "10.0.0.7, localhost",
    "127.0.0.1, evil.example",
    "127.0.0.1, 127.0.0.1.evil.example",
    "127.0.0.1, localhost.evil.example:8080",
    "127.0.0.1,"
  })
  void withoutATokenOthersMayNot(String peer, String host) {
    assertThat(open.judge(new Call(peer, Set.of("Host"), null, host, null)))
        .isEqualTo(Verdict.NOT_LOCAL);
  }

  @ParameterizedTest
  @ValueSource(strings = {"Forwarded", "x-forwarded-for", "X-Forwarded-Proto", "VIA"})
  void withoutATokenNobodyMayThroughAProxy(String header) {
    assertThat(open.judge(new Call("127.0.0.1", Set.of("Host", header), null, "localhost", null)))
        .isEqualTo(Verdict.NOT_LOCAL);
  }

  @ParameterizedTest
  @ValueSource(strings = {"http://evil.example", "http://localhost:3000", "null"})
  void withoutATokenAForeignPageMayNot(String origin) {
    assertThat(open.judge(new Call("127.0.0.1", Set.of("Host"), null, "localhost:8080", origin)))
        .isEqualTo(Verdict.NOT_LOCAL);
  }

  @Test
  void withATokenWhoeverShowsItMay() {
    assertThat(guarded.judge(called("Bearer s3cret"))).isEqualTo(Verdict.ALLOWED);
    assertThat(guarded.judge(called("bearer s3cret"))).isEqualTo(Verdict.ALLOWED);
  }

  @Test
  void withATokenNotEvenThisMachineMayWithoutIt() {
    assertThat(guarded.judge(called(null))).isEqualTo(Verdict.NO_TOKEN);
    assertThat(guarded.judge(called("Bearer s3cre"))).isEqualTo(Verdict.NO_TOKEN);
    assertThat(guarded.judge(called("s3cret"))).isEqualTo(Verdict.NO_TOKEN);
    assertThat(new AdminRule(" ").judge(called("Bearer "))).isEqualTo(Verdict.ALLOWED);
  }

  private static Call called(String authorization) {
    return new Call("127.0.0.1", Set.of("Host"), authorization, "localhost", null);
  }
}
