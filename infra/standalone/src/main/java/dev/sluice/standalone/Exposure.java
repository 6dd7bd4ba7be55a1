package dev.sluice.standalone;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Who can reach this process. On loopback it may run without a secret of its operator's choosing;
 * bound elsewhere it may not.
 *
 * @param beyondLoopback the properties whose address others can reach, with that address
 */
record Exposure(Map<String, String> beyondLoopback) {
  Exposure {
    beyondLoopback = Map.copyOf(beyondLoopback);
  }

  /**
   * @param addresses that this process binds, by the property that says so
   * @throws StartRefusal when one is unknown
   */
  static Exposure of(Map<String, String> addresses) {
    Map<String, String> beyond = new LinkedHashMap<>();
    addresses.forEach(
        (property, address) -> {
          if (!isLoopback(property, address)) {
            beyond.put(property, address);
          }
        });
    return new Exposure(beyond);
  }

  boolean isLoopbackOnly() {
    return beyondLoopback.isEmpty();
  }

  /**
   * @throws StartRefusal when others can reach this process and something that guards it is missing
   */
  void demand(String adminToken, String secret) {
    if (isLoopbackOnly() || (isGiven(adminToken) && isGiven(secret))) {
      return;
    }
    Map.Entry<String, String> first = beyondLoopback.entrySet().iterator().next();
    String missing =
        isGiven(adminToken)
            ? "SLUICE_SECRET"
            : isGiven(secret) ? "SLUICE_ADMIN_TOKEN" : "SLUICE_ADMIN_TOKEN and SLUICE_SECRET";
    throw new StartRefusal(
        "%s is %s, which others can reach: set %s, or bind 127.0.0.1"
            .formatted(first.getKey(), first.getValue(), missing));
  }

  static boolean isGiven(String text) {
    return text != null && !text.isBlank();
  }

  @SuppressWarnings("AddressSelection")
  private static boolean isLoopback(String property, String address) {
    try {
      return InetAddress.getByName(address).isLoopbackAddress();
    } catch (UnknownHostException e) {
      throw new StartRefusal(
          "%s is %s, which is unknown on this machine".formatted(property, address), e);
    }
  }
}
