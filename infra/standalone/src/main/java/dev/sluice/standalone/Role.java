package dev.sluice.standalone;

import java.util.Arrays;
import java.util.Collection;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;

/** A tier that a process may run. One that is absent starts nothing. */
enum Role {
  /** The embedded Kafka broker. */
  BROKER,
  /** The streams applications, their state and the queries of it. */
  TOPOLOGY,
  /** REST. */
  API,
  /** STOMP over WebSocket, and the pages. */
  NOTIFIER,
  /** The Kinesis-compatible endpoint. */
  KINESIS;

  private static final String ALL = "all";

  String text() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Whether it answers on the HTTP port. */
  boolean isWeb() {
    return this == API || this == NOTIFIER;
  }

  /**
   * @param names such as {@code api}, or {@code all}; in any case
   * @throws StartRefusal when there is none, or one that isn't a role
   */
  static Set<Role> parse(Collection<String> names) {
    Set<Role> roles = EnumSet.noneOf(Role.class);
    for (String name : names) {
      String wanted = name.strip().toLowerCase(Locale.ROOT);
      if (wanted.equals(ALL)) {
        roles.addAll(EnumSet.allOf(Role.class));
      } else if (!wanted.isEmpty()) {
        roles.add(
            Arrays.stream(values())
                .filter(role -> role.text().equals(wanted))
                .findFirst()
                .orElseThrow(
                    () ->
                        new StartRefusal(
                            "\"%s\" is no role: sluice.roles takes %s"
                                .formatted(name.strip(), choice()))));
      }
    }
    if (roles.isEmpty()) {
      throw new StartRefusal("No role is given: sluice.roles takes " + choice());
    }
    return roles;
  }

  private static String choice() {
    return "\"all\", or any of "
        + Arrays.stream(values()).map(Role::text).collect(Collectors.joining(", "));
  }
}
