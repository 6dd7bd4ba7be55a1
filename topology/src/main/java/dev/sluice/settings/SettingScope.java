package dev.sluice.settings;

import dev.sluice.contract.Ids;
import java.util.Locale;
import java.util.Objects;

/**
 * What a value of a setting is for: everything, or one room, country or app.
 *
 * @param name of the room, country or app; null for {@link Kind#GLOBAL}
 */
public record SettingScope(Kind kind, String name) {
  /** Kinds of scope, from the widest to the narrowest: a narrower one wins. */
  public enum Kind {
    GLOBAL,
    COUNTRY,
    APP,
    ROOM;

    /** As written in a key: {@code room}. */
    public String word() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  public static final SettingScope GLOBAL = new SettingScope(Kind.GLOBAL, null);

  /**
   * @throws IllegalArgumentException if {@code name} is not an identifier, or given for {@code
   *     GLOBAL}
   */
  public SettingScope {
    Objects.requireNonNull(kind);
    if (kind == Kind.GLOBAL ? name != null : !Ids.isValid(name)) {
      throw new IllegalArgumentException("not the name of a " + kind.word() + ": " + name);
    }
  }

  public static SettingScope room(String roomId) {
    return new SettingScope(Kind.ROOM, roomId);
  }

  public static SettingScope country(String country) {
    return new SettingScope(Kind.COUNTRY, country);
  }

  public static SettingScope app(String app) {
    return new SettingScope(Kind.APP, app);
  }

  /** {@code global}, or {@code room=lobby}. */
  @Override
  public String toString() {
    return kind == Kind.GLOBAL ? kind.word() : kind.word() + "=" + name;
  }
}
