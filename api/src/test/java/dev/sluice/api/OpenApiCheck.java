package dev.sluice.api;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Holds answers against the committed OpenAPI document: the path, the method and the status must be
 * in it, and the body must be as its schema says. Knows as much of JSON Schema as the document
 * uses.
 */
public final class OpenApiCheck {
  private static final Set<String> SEEN = ConcurrentHashMap.newKeySet();
  private static final JsonNode DOCUMENT = load();

  private OpenApiCheck() {}

  /** The document. */
  public static JsonNode document() {
    return DOCUMENT;
  }

  /** Each {@code METHOD path} that an answer has been checked for so far. */
  public static Set<String> seen() {
    return SEEN;
  }

  /** Checks an answer; errors of paths and methods that the API doesn't know need none. */
  public static void check(String method, String target, int status, JsonNode body) {
    String path = target.contains("?") ? target.substring(0, target.indexOf('?')) : target;
    String template = templateOf(path);
    if (template == null) {
      assertThat(status).as("%s isn't in the document", path).isGreaterThanOrEqualTo(400);
      return;
    }
    JsonNode operation =
        DOCUMENT.at("/paths").path(template).path(method.equals("HEAD") ? "get" : lower(method));
    if (operation.isMissingNode()) {
      assertThat(status).as("%s %s isn't in the document", method, path).isEqualTo(405);
      return;
    }
    JsonNode response = operation.path("responses").path(Integer.toString(status));
    assertThat(response.isMissingNode())
        .as("%s %s answered with %d, which isn't in the document", method, template, status)
        .isFalse();
    if (response.has("$ref")) {
      response = DOCUMENT.at(response.path("$ref").asString().substring(1));
    }
    if (status < 300) {
      SEEN.add(method + " " + template);
    }
    if (body != null) {
      JsonNode content = response.path("content");
      JsonNode schema =
          content
              .path(status < 400 ? "application/json" : "application/problem+json")
              .path("schema");
      List<String> wrong = new ArrayList<>();
      validate(body, schema, "", wrong);
      assertThat(wrong).as("%s %s %d: %s", method, template, status, body).isEmpty();
    }
  }

  private static String templateOf(String path) {
    JsonNode paths = DOCUMENT.path("paths");
    if (paths.has(path)) {
      return path;
    }
    for (Map.Entry<String, JsonNode> entry : paths.properties()) {
      if (path.matches(entry.getKey().replaceAll("\\{[a-zA-Z]+}", "[^/]+").replace(".", "\\."))) {
        return entry.getKey();
      }
    }
    return null;
  }

  private static void validate(JsonNode value, JsonNode schema, String at, List<String> wrong) {
    if (schema.has("$ref")) {
      String pointer = schema.path("$ref").asString().substring(1);
      validate(value, DOCUMENT.at(pointer), at, wrong);
      return;
    }
    if (schema.has("oneOf")) {
      long fitting = 0;
      List<String> why = new ArrayList<>();
      for (JsonNode one : schema.path("oneOf")) {
        List<String> wrongWithOne = new ArrayList<>();
        validate(value, one, at, wrongWithOne);
        fitting += wrongWithOne.isEmpty() ? 1 : 0;
        why.addAll(wrongWithOne);
      }
      if (fitting != 1) {
        wrong.add(at + " fits " + fitting + " of oneOf: " + why);
      }
      return;
    }
    if (schema.has("type") && !hasType(value, schema.path("type"))) {
      wrong.add(at + " is " + value + ", not " + schema.path("type"));
      return;
    }
    if (schema.has("enum") && !contains(schema.path("enum"), value)) {
      wrong.add(at + " is " + value + ", not of " + schema.path("enum"));
    }
    if (value.isString()) {
      validateText(value.asString(), schema, at, wrong);
    }
    if (value.isNumber()
        && schema.has("minimum")
        && value.doubleValue() < schema.path("minimum").doubleValue()) {
      wrong.add(at + " is below " + schema.path("minimum"));
    }
    if (value.isArray()) {
      if (schema.has("maxItems") && value.size() > schema.path("maxItems").intValue()) {
        wrong.add(at + " has too many items");
      }
      for (int i = 0; i < value.size(); i++) {
        validate(value.get(i), schema.path("items"), at + "/" + i, wrong);
      }
    }
    if (value.isObject()) {
      validateObject(value, schema, at, wrong);
    }
  }

  private static void validateObject(
      JsonNode value, JsonNode schema, String at, List<String> wrong) {
    for (JsonNode name : schema.path("required")) {
      if (!value.has(name.asString())) {
        wrong.add(at + "/" + name.asString() + " is missing");
      }
    }
    JsonNode others = schema.path("additionalProperties");
    boolean open = !others.isBoolean() || others.booleanValue();
    for (Map.Entry<String, JsonNode> member : value.properties()) {
      JsonNode expected = schema.path("properties").path(member.getKey());
      if (!expected.isMissingNode()) {
        validate(member.getValue(), expected, at + "/" + member.getKey(), wrong);
      } else if (others.isObject()) {
        validate(member.getValue(), others, at + "/" + member.getKey(), wrong);
      } else if (!open) {
        wrong.add(at + "/" + member.getKey() + " isn't in the document");
      }
    }
  }

  private static void validateText(String text, JsonNode schema, String at, List<String> wrong) {
    if (schema.has("pattern") && !text.matches(schema.path("pattern").asString())) {
      wrong.add(at + " doesn't match " + schema.path("pattern"));
    }
    if (schema.path("format").asString("").equals("date-time")) {
      try {
        Instant.parse(text);
      } catch (RuntimeException e) {
        wrong.add(at + " is no time: " + text);
      }
    }
  }

  private static boolean hasType(JsonNode value, JsonNode type) {
    if (type.isArray()) {
      for (JsonNode one : type) {
        if (hasType(value, one)) {
          return true;
        }
      }
      return false;
    }
    return switch (type.asString()) {
      case "string" -> value.isString();
      case "integer" -> value.isIntegralNumber();
      case "number" -> value.isNumber();
      case "boolean" -> value.isBoolean();
      case "null" -> value.isNull();
      case "array" -> value.isArray();
      case "object" -> value.isObject();
      default -> throw new AssertionError("a type unheard of: " + type);
    };
  }

  private static boolean contains(JsonNode values, JsonNode value) {
    for (JsonNode one : values) {
      if (one.asString().equals(value.asString())) {
        return true;
      }
    }
    return false;
  }

  private static String lower(String method) {
    return method.toLowerCase(java.util.Locale.ROOT);
  }

  private static JsonNode load() {
    try (InputStream in = OpenApiCheck.class.getResourceAsStream("openapi.json")) {
      return JsonMapper.shared().readTree(in);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
