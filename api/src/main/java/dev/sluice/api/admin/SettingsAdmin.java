package dev.sluice.api.admin;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonRawValue;
import com.fasterxml.jackson.core.io.JsonStringEncoder;
import dev.sluice.api.problem.Problem;
import dev.sluice.api.problem.ProblemException;
import dev.sluice.api.problem.ProblemType;
import dev.sluice.settings.BadSettingException;
import dev.sluice.settings.SettingAddress;
import dev.sluice.settings.SettingAttempt;
import dev.sluice.settings.SettingKey;
import dev.sluice.settings.SettingScope;
import dev.sluice.settings.SettingsView;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import org.springframework.http.InvalidMediaTypeException;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.util.UriComponentsBuilder;

/** Settings: which are in force, how they became so, and changing them. */
@RestController
@RequestMapping("/api/admin/settings")
public final class SettingsAdmin {
  private static final int MAX_BODY = 64 * 1024;
  private static final int MAX_DISCARDED = 1024 * 1024;
  private static final int MAX_HISTORY = 1000;
  private static final Set<String> SCOPES = Set.of("room", "country", "app");
  private static final String NOTHING_CHANGED =
      "The log can't be written to now; nothing was changed.";

  private final SettingsInForce settings;
  private final Changes changes;

  /** The way into {@code config}. */
  public interface Changes {
    /** As {@link dev.sluice.settings.ConfigWriter#put}. */
    CompletableFuture<Long> put(SettingKey<?> key, SettingScope scope, String json, String who);

    /** As {@link dev.sluice.settings.ConfigWriter#unset}. */
    CompletableFuture<Long> unset(SettingKey<?> key, SettingScope scope, String who);
  }

  /**
   * A value in force.
   *
   * @param scope what it was asked for
   * @param from where it comes from: a scope, or {@code default}
   * @param offset in {@code config}; null for a default, with {@code at} and {@code who}
   */
  record Setting(
      String key,
      String scope,
      @JsonRawValue String value,
      String from,
      Long offset,
      Instant at,
      String who,
      @JsonProperty("default") @JsonRawValue String defaultValue,
      String allowed,
      List<String> scopes,
      String description) {}

  /** What is in force as of {@code offset} in {@code config}. */
  record Settings(long offset, List<Setting> settings) {}

  /** A change as it was logged; {@code offset} is null when it may be logged and may not. */
  record Changed(String key, String scope, @JsonRawValue String value, Long offset) {}

  /**
   * An attempt to change a setting.
   *
   * @param value as accepted, or the text that was refused; null to unset
   */
  record Attempt(
      String setting,
      @JsonRawValue String value,
      boolean accepted,
      String reason,
      String who,
      Instant at,
      long offset) {
    static Attempt of(SettingAttempt attempt) {
      String value = attempt.value();
      return new Attempt(
          attempt.setting(),
          value == null || attempt.accepted() ? value : quoted(value),
          attempt.accepted(),
          attempt.reason(),
          attempt.who(),
          Instant.ofEpochMilli(attempt.at()),
          attempt.offset());
    }
  }

  public SettingsAdmin(SettingsInForce settings, Changes changes) {
    this.settings = settings;
    this.changes = changes;
  }

  @GetMapping
  Settings all() {
    return inForce(settings.view(), key -> true);
  }

  @GetMapping("/history")
  List<Attempt> history(@RequestParam(defaultValue = "100") int limit) {
    if (limit < 1 || limit > MAX_HISTORY) {
      throw Problem.invalid("limit", "must be 1 to 1000").asException();
    }
    return settings.history(limit).stream().map(Attempt::of).toList();
  }

  @GetMapping("/{key}")
  Setting one(
      @PathVariable String key,
      @RequestParam Optional<String> room,
      @RequestParam Optional<String> country,
      @RequestParam Optional<String> app,
      HttpServletRequest request) {
    requireKnown(request);
    SettingAddress address = address(key, room, country, app);
    return settingAt(settings.view(), address.key(), address.scope());
  }

  @PutMapping("/{key}")
  CompletableFuture<ResponseEntity<Changed>> put(
      @PathVariable String key,
      @RequestParam Optional<String> room,
      @RequestParam Optional<String> country,
      @RequestParam Optional<String> app,
      HttpServletRequest request,
      HttpServletResponse response)
      throws IOException {
    // First of all: a connection whose request isn't read is closed behind the refusal.
    String body = body(request, response);
    requireKnown(request);
    SettingAddress address = address(key, room, country, app);
    requireJson(request);
    String json = checked(address.key(), body);
    return changes
        .put(address.key(), address.scope(), json, who(request))
        .handle(
            (offset, failure) ->
                failure == null
                    ? ResponseEntity.ok(changed(address, json, offset))
                    : unsure(address, json, failure));
  }

  @DeleteMapping("/{key}")
  CompletableFuture<ResponseEntity<Changed>> delete(
      @PathVariable String key,
      @RequestParam Optional<String> room,
      @RequestParam Optional<String> country,
      @RequestParam Optional<String> app,
      HttpServletRequest request) {
    requireKnown(request);
    SettingAddress address = address(key, room, country, app);
    return changes
        .unset(address.key(), address.scope(), who(request))
        .handle(
            (offset, failure) ->
                failure == null
                    ? ResponseEntity.noContent().build()
                    : unsure(address, null, failure));
  }

  /** The settings {@code wanted}: each global value, then what is set for less. */
  static Settings inForce(SettingsView view, Predicate<SettingKey<?>> wanted) {
    List<Setting> settings = new ArrayList<>();
    for (SettingKey<?> key : SettingKey.all()) {
      if (wanted.test(key)) {
        settings.add(settingAt(view, key, SettingScope.GLOBAL));
      }
    }
    for (SettingsView.InForce<?> set : view.all()) {
      SettingAddress address = set.address();
      if (wanted.test(address.key()) && address.scope().kind() != SettingScope.Kind.GLOBAL) {
        settings.add(settingAt(view, address.key(), address.scope()));
      }
    }
    return new Settings(view.offset(), settings);
  }

  private static <T> Setting settingAt(SettingsView view, SettingKey<T> key, SettingScope scope) {
    Optional<SettingsView.InForce<T>> found = view.at(key, scope);
    if (found.isEmpty()) {
      found = view.at(key, SettingScope.GLOBAL);
    }
    Optional<SettingsView.InForce<T>> set = found;
    return new Setting(
        key.name(),
        scope.toString(),
        set.map(SettingsView.InForce::json).orElse(key.defaultJson()),
        set.map(value -> value.address().scope().toString()).orElse("default"),
        set.map(SettingsView.InForce::offset).orElse(null),
        set.map(value -> Instant.ofEpochMilli(value.at())).orElse(null),
        set.map(SettingsView.InForce::who).orElse(null),
        key.defaultJson(),
        key.allowed(),
        key.scopes().stream().sorted().map(SettingScope.Kind::word).toList(),
        key.description());
  }

  /** A scope misspelt would else be none, and the setting everybody's. */
  private static void requireKnown(HttpServletRequest request) {
    UriComponentsBuilder.newInstance()
        .query(request.getQueryString())
        .build()
        .getQueryParams()
        .keySet()
        .forEach(
            name -> {
              if (!SCOPES.contains(name)) {
                throw Problem.invalid(name, "is none of room, country and app").asException();
              }
            });
  }

  private static SettingAddress address(
      String name, Optional<String> room, Optional<String> country, Optional<String> app) {
    SettingKey<?> key =
        SettingKey.named(name)
            .orElseThrow(
                () ->
                    Problem.of(ProblemType.NO_SUCH_SETTING, "There is no setting of this name.")
                        .asException());
    List<SettingScope> scopes = new ArrayList<>(1);
    room.ifPresent(given -> scopes.add(scope(SettingScope.Kind.ROOM, given)));
    country.ifPresent(given -> scopes.add(scope(SettingScope.Kind.COUNTRY, given)));
    app.ifPresent(given -> scopes.add(scope(SettingScope.Kind.APP, given)));
    if (scopes.size() > 1) {
      throw Problem.invalid(
              scopes.get(1).kind().word(), "can't be given together with another scope")
          .asException();
    }
    SettingScope scope = scopes.isEmpty() ? SettingScope.GLOBAL : scopes.get(0);
    try {
      return SettingAddress.of(key, scope);
    } catch (BadSettingException e) {
      throw Problem.invalid(scope.kind().word(), "is no scope of this setting").asException();
    }
  }

  private static SettingScope scope(SettingScope.Kind kind, String name) {
    try {
      return new SettingScope(kind, name);
    } catch (IllegalArgumentException e) {
      throw Problem.invalid(kind.word(), "must be 1 to 128 characters of A-Z a-z 0-9 . _ : -")
          .asException();
    }
  }

  private static String checked(SettingKey<?> key, String json) {
    try {
      return key.check(json).json();
    } catch (BadSettingException e) {
      throw refused(e);
    }
  }

  private static ProblemException refused(BadSettingException e) {
    return Problem.invalid("value", "is refused: " + e.getMessage()).asException();
  }

  private static void requireJson(HttpServletRequest request) {
    String type = request.getContentType();
    try {
      if (type == null
          || !MediaType.parseMediaType(type).isCompatibleWith(MediaType.APPLICATION_JSON)) {
        throw Problem.ofStatus(415).asException();
      }
    } catch (InvalidMediaTypeException e) {
      throw Problem.ofStatus(415).asException();
    }
  }

  /** One that is too long is read away as far as that is bearable, so that the refusal is heard. */
  private static String body(HttpServletRequest request, HttpServletResponse response)
      throws IOException {
    InputStream input = request.getInputStream();
    byte[] bytes = input.readNBytes(MAX_BODY + 1);
    if (bytes.length > MAX_BODY) {
      if (input.skip(MAX_DISCARDED) == MAX_DISCARDED) {
        response.setHeader("Connection", "close");
      }
      throw Problem.ofStatus(413).asException();
    }
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
    } catch (CharacterCodingException e) {
      throw Problem.of(ProblemType.MALFORMED, "The body is not UTF-8.").asException();
    }
  }

  private static Changed changed(SettingAddress address, String json, Long offset) {
    return new Changed(address.key().name(), address.scope().toString(), json, offset);
  }

  /** What is said when a change wasn't logged, or not for sure. */
  private static ResponseEntity<Changed> unsure(
      SettingAddress address, String json, Throwable failure) {
    if (LogFailures.causeOf(failure) instanceof BadSettingException bad) {
      throw refused(bad);
    }
    LogFailures.throwUnlessMaybeStored(failure, NOTHING_CHANGED);
    return ResponseEntity.accepted().body(changed(address, json, null));
  }

  /** Whoever may make admin calls is one person to Sluice; where they came from tells more. */
  private static String who(HttpServletRequest request) {
    return "admin@" + request.getRemoteAddr();
  }

  private static String quoted(String text) {
    return "\"" + new String(JsonStringEncoder.getInstance().quoteAsString(text)) + "\"";
  }
}
