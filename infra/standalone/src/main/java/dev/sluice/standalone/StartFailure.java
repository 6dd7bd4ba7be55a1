package dev.sluice.standalone;

import dev.sluice.broker.BrokerStartException;
import dev.sluice.runtime.StartException;
import org.springframework.boot.web.server.PortInUseException;

/**
 * Why Sluice didn't start, in words for the person who started it.
 *
 * @param words what is wrong and, where known, what to do
 * @param isExpected whether that says it all; otherwise the stack trace matters
 */
record StartFailure(String words, boolean isExpected) {
  static StartFailure of(Throwable thrown) {
    for (Throwable cause = thrown; cause != null; cause = cause.getCause()) {
      if (cause instanceof StartRefusal || cause instanceof StartException) {
        return new StartFailure(cause.getMessage(), true);
      }
      if (cause instanceof BrokerStartException broker) {
        return new StartFailure(
            words(broker), broker.reason() != BrokerStartException.Reason.FAILED);
      }
      if (cause instanceof PortInUseException taken) {
        return new StartFailure(
            "Port %d is taken by another program: set SERVER_PORT to another one"
                .formatted(taken.getPort()),
            true);
      }
    }
    return new StartFailure("Sluice could not start: " + root(thrown).getMessage(), false);
  }

  private static String words(BrokerStartException broker) {
    return switch (broker.reason()) {
      case PORT_TAKEN -> broker.getMessage() + ": set SLUICE_BROKER_PORT to another one";
      case DIRECTORY_IN_USE -> broker.getMessage() + ": set SLUICE_DATA_DIR to another one";
      case ADDRESS_UNUSABLE, DIRECTORY_UNUSABLE, FAILED -> broker.getMessage();
    };
  }

  private static Throwable root(Throwable thrown) {
    Throwable root = thrown;
    while (root.getCause() != null) {
      root = root.getCause();
    }
    return root;
  }
}
