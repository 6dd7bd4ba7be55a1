package dev.sluice.bench.report;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.util.DefaultPrettyPrinter;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The measured figures of one benchmark, printed as a table and kept as JSON. */
public final class Report {
  private final String benchmark;
  private final Instant startedAt;
  private final List<Row> rows = new ArrayList<>();

  /**
   * One figure.
   *
   * @param what was measured
   * @param subject of which it was measured, such as {@code sluice} or {@code redis}
   * @param goal in words, or empty where there is none
   */
  public record Row(String what, String subject, double value, String unit, String goal) {}

  public Report(String benchmark, Instant startedAt) {
    this.benchmark = benchmark;
    this.startedAt = startedAt.truncatedTo(ChronoUnit.SECONDS);
  }

  public void add(String what, String subject, double value, String unit) {
    add(what, subject, value, unit, "");
  }

  public void add(String what, String subject, double value, String unit, String goal) {
    rows.add(new Row(what, subject, value, unit, goal));
  }

  /** Adds a number of things, best without any. */
  public void addCount(String what, String subject, long count) {
    add(what, subject, (double) count, "", "0");
  }

  public void print(PrintStream out) {
    int what = width("what", rows.stream().map(Row::what).toList());
    int subject = width("of", rows.stream().map(Row::subject).toList());
    String format = "%-" + what + "s  %-" + subject + "s  %14s %-10s %s%n";
    out.printf(Locale.ROOT, format, "what", "of", "figure", "", "goal");
    for (Row row : rows) {
      out.printf(Locale.ROOT, format, row.what, row.subject, number(row.value), row.unit, row.goal);
    }
  }

  /**
   * Writes {@code NAME-TIME.json} into {@code directory}, which is made if need be.
   *
   * @return the file
   */
  public Path save(Path directory) throws IOException {
    Files.createDirectories(directory);
    Path file =
        directory.resolve(benchmark + "-" + startedAt.toString().replace(":", "") + ".json");
    try (JsonGenerator json =
        new JsonFactory()
            .createGenerator(Files.newBufferedWriter(file, StandardCharsets.UTF_8))
            .setPrettyPrinter(new DefaultPrettyPrinter())) {
      json.writeStartObject();
      json.writeStringField("benchmark", benchmark);
      json.writeStringField("startedAt", startedAt.toString());
      json.writeStringField("java", System.getProperty("java.vm.version"));
      json.writeStringField(
          "os", System.getProperty("os.name") + " " + System.getProperty("os.arch"));
      json.writeNumberField("processors", Runtime.getRuntime().availableProcessors());
      json.writeArrayFieldStart("figures");
      for (Row row : rows) {
        json.writeStartObject();
        json.writeStringField("what", row.what);
        json.writeStringField("of", row.subject);
        json.writeNumberField("figure", row.value);
        json.writeStringField("unit", row.unit);
        if (!row.goal.isEmpty()) {
          json.writeStringField("goal", row.goal);
        }
        json.writeEndObject();
      }
      json.writeEndArray();
      json.writeEndObject();
    }
    return file;
  }

  private static int width(String title, List<String> texts) {
    return texts.stream().mapToInt(String::length).reduce(title.length(), Math::max);
  }

  private static String number(double value) {
    double size = Math.abs(value);
    if (size >= 1000) {
      return String.format(Locale.ROOT, "%,.0f", value);
    }
    return String.format(Locale.ROOT, size >= 100 ? "%.0f" : size >= 10 ? "%.1f" : "%.3f", value);
  }
}
