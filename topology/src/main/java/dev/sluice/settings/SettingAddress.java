package dev.sluice.settings;

import dev.sluice.contract.Ids;
import dev.sluice.contract.JsonRecord;

/**
 * A setting and its scope; the key of a record in {@code config}, {@code settings} and {@code
 * config-history}. Written {@code admission.capacity} or {@code admission.capacity@room=lobby}.
 */
public record SettingAddress(SettingKey<?> key, SettingScope scope) {
  /**
   * @throws BadSettingException if the setting has no such scope
   */
  public static SettingAddress of(SettingKey<?> key, SettingScope scope)
      throws BadSettingException {
    if (!key.allows(scope.kind())) {
      throw new BadSettingException(
          key.name() + " can be set for " + key.scopeWords() + ", not for " + scope);
    }
    return new SettingAddress(key, scope);
  }

  /**
   * Reads the key of a record.
   *
   * @throws BadSettingException if it is null, names no setting, or a scope that it doesn't have
   */
  public static SettingAddress parse(String text) throws BadSettingException {
    if (text == null || text.isEmpty()) {
      throw new BadSettingException("the record has no key; it must be the name of a setting");
    }
    int at = text.indexOf('@');
    String name = at < 0 ? text : text.substring(0, at);
    SettingKey<?> key = SettingKey.require(name);
    return of(key, at < 0 ? SettingScope.GLOBAL : scope(text.substring(at + 1)));
  }

  private static SettingScope scope(String text) throws BadSettingException {
    int equals = text.indexOf('=');
    String name = text.substring(equals + 1);
    for (SettingScope.Kind kind : SettingScope.Kind.values()) {
      if (kind != SettingScope.Kind.GLOBAL
          && equals > 0
          && text.substring(0, equals).equals(kind.word())) {
        if (!Ids.isValid(name)) {
          throw new BadSettingException(
              "the name of the %s must be 1 to 128 characters of A-Z a-z 0-9 . _ : -"
                  .formatted(kind.word()));
        }
        return new SettingScope(kind, name);
      }
    }
    throw new BadSettingException(
        "after @ must stand room=, country= or app= and a name, not \"%s\""
            .formatted(JsonRecord.quoted(text)));
  }

  /** As in the key of a record. */
  @Override
  public String toString() {
    return scope.kind() == SettingScope.Kind.GLOBAL ? key.name() : key.name() + "@" + scope;
  }
}
