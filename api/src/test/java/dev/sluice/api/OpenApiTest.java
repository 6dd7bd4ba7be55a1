package dev.sluice.api;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

class OpenApiTest {
  private static ApiUnderTest api;

  @BeforeAll
  static void start() {
    api = ApiUnderTest.start();
  }

  @AfterAll
  static void stop() {
    api.close();
  }

  @Test
  void the_document_is_served() {
    assertThat(JsonMapper.shared().readTree(api.http.get("/openapi.json").raw().body()))
        .isEqualTo(OpenApiCheck.document());
  }

  @Test
  void every_call_in_the_document_is_answered() {
    OpenApiCheck.document()
        .path("paths")
        .properties()
        .forEach(
            path ->
                path.getValue()
                    .properties()
                    .forEach(operation -> assertAnswered(path.getKey(), operation.getKey())));
  }

  @Test
  void every_call_that_is_answered_is_in_the_document() {
    Set<String> documented = new TreeSet<>();
    OpenApiCheck.document()
        .path("paths")
        .properties()
        .forEach(
            path ->
                path.getValue()
                    .properties()
                    .forEach(
                        operation ->
                            documented.add(
                                operation.getKey().toUpperCase(Locale.ROOT)
                                    + " "
                                    + path.getKey())));

    assertThat(documented).containsAll(api.mappings());
  }

  @Test
  void every_reference_leads_somewhere() {
    List<String> references =
        OpenApiCheck.document().findValuesAsString("$ref").stream().distinct().toList();

    assertThat(references)
        .isNotEmpty()
        .allMatch(reference -> !OpenApiCheck.document().at(reference.substring(1)).isMissingNode());
  }

  private static void assertAnswered(String template, String method) {
    String path =
        template.replace("{roomId}", "a").replace("{key}", "hot.hold").replace("{id}", "0-0");
    boolean hasBody = method.equals("post") || method.equals("put");
    Http.Answer answer =
        api.http.send(method.toUpperCase(Locale.ROOT), path, hasBody ? "\"1s\"" : null);

    assertThat(answer.status()).as("%s %s", method, template).isNotIn(405, 500, 501);
    if (answer.status() == 404) {
      assertThat(answer.text("type")).isNotEqualTo("urn:sluice:problem:no-such-path");
    }
  }
}
