package dev.sluice.contract;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.Objects;

/** Records as they have been written since the first release: key, space, value. */
final class GoldenSamples {
  record Sample(String key, String json) {
    byte[] value() {
      return json.getBytes(UTF_8);
    }
  }

  private GoldenSamples() {}

  static List<Sample> in(String file) throws IOException {
    try (InputStream in = Objects.requireNonNull(GoldenSamples.class.getResourceAsStream(file))) {
      return new String(in.readAllBytes(), UTF_8).lines().map(GoldenSamples::sample).toList();
    }
  }

  private static Sample sample(String line) {
    int space = line.indexOf(' ');
    String key = line.substring(0, space);
    return new Sample(key.equals("-") ? null : key, line.substring(space + 1));
  }
}
