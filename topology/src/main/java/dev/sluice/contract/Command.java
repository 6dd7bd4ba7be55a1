package dev.sluice.contract;

import java.util.List;

/**
 * A record of {@code sluice.entries}. Those of a person or a room are keyed by {@code roomId};
 * those of a whole partition ({@link Tick}, {@link Rules}, {@link Configure}) have no key and are
 * sent to it explicitly.
 */
public sealed interface Command {
  /** Asks for a place. {@code session} is the hash of the session that will own the person. */
  record Enter(String roomId, String requestId, String session) implements OfPerson {}

  /** Gives up the place held with {@code ticket}, waiting or active. */
  record Leave(String roomId, String requestId, long ticket, String session) implements OfPlace {
    public Leave(String roomId, String requestId, long ticket) {
      this(roomId, requestId, ticket, null);
    }
  }

  /** Renews the active place held with {@code ticket}. */
  record Heartbeat(String roomId, String requestId, long ticket, String session)
      implements OfPlace {
    public Heartbeat(String roomId, String requestId, long ticket) {
      this(roomId, requestId, ticket, null);
    }
  }

  /** Ends the active place held with {@code ticket}, successfully. */
  record Complete(String roomId, String requestId, long ticket, String session) implements OfPlace {
    public Complete(String roomId, String requestId, long ticket) {
      this(roomId, requestId, ticket, null);
    }
  }

  /** Lets time pass: applies what is due. */
  record Tick() implements Command {}

  /** Brings accepted settings into force; one of a lower or equal offset per key is ignored. */
  record Configure(List<AcceptedSetting> settings) implements Command {
    public Configure {
      settings = List.copyOf(settings);
    }
  }

  /** Raises the machine's rules version; a lower or equal one is ignored. */
  record Rules(int version) implements Command {}

  /** A command about one person in one room. */
  sealed interface OfPerson extends Command {
    String roomId();

    String requestId();
  }

  /** A command about a place that somebody holds. */
  sealed interface OfPlace extends OfPerson {
    long ticket();

    /**
     * Hash of the session that asks, which must be the person's; null if whoever wrote the command
     * has made sure of that.
     */
    String session();
  }
}
