package dev.sluice.standalone;

import java.util.Set;
import org.springframework.core.env.Environment;

/** Where a person looks once Sluice is ready, a line each. */
record WhereToLook(Environment environment, Set<Role> roles) {
  static int httpPort(Environment environment) {
    return environment.getRequiredProperty("local.server.port", Integer.class);
  }

  @Override
  public String toString() {
    StringBuilder lines = new StringBuilder();
    if (roles.stream().anyMatch(Role::isWeb)) {
      String root = "http://localhost:" + httpPort(environment);
      if (roles.contains(Role.NOTIFIER)) {
        line(lines, "Demo site", root + "/");
        line(lines, "Console", root + "/console");
      }
      if (roles.contains(Role.API)) {
        line(lines, "REST API", root + "/openapi.json");
        line(lines, "Health", root + "/health/ready");
        line(lines, "Metrics", root + "/actuator/prometheus");
      }
    }
    String log = environment.getProperty("logging.file.name");
    if (log != null) {
      line(lines, "Log", log);
    }
    return lines.toString();
  }

  private static void line(StringBuilder lines, String what, String where) {
    lines.append("%-10s %s%n".formatted(what, where));
  }
}
