package dev.sluice.settings;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.sluice.contract.InvalidRecordException;
import dev.sluice.contract.JsonRecord;
import dev.sluice.contract.Rfc3339;
import java.io.IOException;

/** The values of {@code settings} and {@code config-history} as JSON. Thread-safe. */
final class SettingsJson {
  private static final String SETTING = "SETTING";
  private static final String ATTEMPT = "ATTEMPT";

  private SettingsJson() {}

  /** A setting in force; one that is unset is a tombstone instead. */
  static byte[] write(SettingsView.InForce<?> setting) {
    return JsonRecord.write(
        SETTING,
        json -> {
          json.writeFieldName("value");
          json.writeRawValue(setting.json());
          optional(json, "who", setting.who());
          json.writeStringField("at", Rfc3339.format(setting.at()));
          json.writeNumberField("offset", setting.offset());
        });
  }

  /**
   * Reads a setting in force.
   *
   * @throws InvalidRecordException if the record is none
   * @throws BadSettingException if its value isn't one that this program accepts
   */
  static SettingsView.InForce<?> read(SettingAddress address, byte[] value)
      throws InvalidRecordException, BadSettingException {
    String json = null;
    String who = null;
    long at = 0;
    long offset = -1;
    Envelope envelope = new Envelope();
    try (JsonRecord record = JsonRecord.read(value)) {
      for (String field = record.next(); field != null; field = record.next()) {
        switch (field) {
          case "value" -> json = record.scalar();
          case "who" -> who = record.text();
          case "at" -> at = record.time();
          case "offset" -> offset = record.number();
          default -> envelope.read(field, record);
        }
      }
    }
    envelope.require(SETTING);
    return inForce(address, address.key(), json, offset, at, who);
  }

  private static <T> SettingsView.InForce<T> inForce(
      SettingAddress address, SettingKey<T> key, String json, long offset, long at, String who)
      throws BadSettingException {
    SettingKey.Checked<T> checked = key.check(json);
    return new SettingsView.InForce<>(address, checked.json(), checked.value(), offset, at, who);
  }

  static byte[] write(SettingAttempt attempt) {
    return JsonRecord.write(
        ATTEMPT,
        json -> {
          optional(json, "setting", attempt.setting());
          optional(json, "value", attempt.value());
          json.writeBooleanField("accepted", attempt.accepted());
          optional(json, "reason", attempt.reason());
          optional(json, "who", attempt.who());
          json.writeStringField("at", Rfc3339.format(attempt.at()));
          json.writeNumberField("offset", attempt.offset());
        });
  }

  static SettingAttempt readAttempt(byte[] value) throws InvalidRecordException {
    String setting = null;
    String written = null;
    boolean accepted = false;
    String reason = null;
    String who = null;
    long at = 0;
    long offset = -1;
    Envelope envelope = new Envelope();
    try (JsonRecord record = JsonRecord.read(value)) {
      for (String field = record.next(); field != null; field = record.next()) {
        switch (field) {
          case "setting" -> setting = record.text();
          case "value" -> written = record.text();
          case "accepted" -> accepted = record.flag();
          case "reason" -> reason = record.text();
          case "who" -> who = record.text();
          case "at" -> at = record.time();
          case "offset" -> offset = record.number();
          default -> envelope.read(field, record);
        }
      }
    }
    envelope.require(ATTEMPT);
    return new SettingAttempt(setting, written, accepted, reason, who, at, offset);
  }

  private static void optional(JsonGenerator json, String field, String value) throws IOException {
    if (value != null) {
      json.writeStringField(field, value);
    }
  }

  /** {@code type} and {@code v}. */
  private static final class Envelope {
    private String type;
    private boolean versioned;

    void read(String field, JsonRecord record) throws InvalidRecordException {
      switch (field) {
        case "type" -> type = record.text();
        case "v" -> versioned = record.version() > 0;
        default -> record.skip();
      }
    }

    void require(String expected) throws InvalidRecordException {
      if (!expected.equals(type) || !versioned) {
        throw new InvalidRecordException("not a " + expected);
      }
    }
  }
}
