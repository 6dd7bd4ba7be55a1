package dev.sluice.kinesis.sluice;

import dev.sluice.contract.Command;
import dev.sluice.contract.CommandJson;
import dev.sluice.contract.EventKind;
import dev.sluice.contract.Ids;
import dev.sluice.contract.InvalidRecordException;
import dev.sluice.contract.JsonRecord;
import dev.sluice.contract.Membership;
import dev.sluice.contract.MembershipJson;
import dev.sluice.contract.RoomEvent;
import dev.sluice.contract.RoomEventJson;
import dev.sluice.identity.Session;
import dev.sluice.identity.Sessions;

/**
 * What clients may put into Sluice's topics, and what is stored of it: what REST would have taken
 * and written. What they put names the room, since their partition keys are their own affair. All
 * methods throw {@link InvalidRecordException}, in words for the client. Thread-safe.
 */
final class Intake {
  /** In place of a room that isn't named, to hear first what else may be wrong. */
  private static final String ANY_ROOM = "-";

  private final Sessions sessions;

  Intake(Sessions sessions) {
    this.sessions = sessions;
  }

  /**
   * What is to be stored.
   *
   * @param roomId the key
   * @param counts also an event, for {@code room-events}; null if there is none
   */
  @SuppressWarnings("ArrayRecordComponent") // handed on, never compared
  record Taken(String roomId, byte[] value, byte[] counts) {}

  /**
   * A command of a person, for {@code entries}: as stored there, but with the room as {@code
   * roomId} or {@code movieId}, and with the session's token.
   */
  Taken command(byte[] data) throws InvalidRecordException {
    Names names = Names.of(data);
    if (names.roomId != null && names.movieId != null) {
      throw new InvalidRecordException("roomId and movieId can't both be there");
    }
    String roomId = names.roomId == null ? names.movieId : names.roomId;
    Command read = CommandJson.read(roomId == null ? ANY_ROOM : roomId, data);
    if (!(read instanceof Command.OfPerson command)) {
      throw new InvalidRecordException(
          "%s can't be put here, only commands of people can".formatted(CommandJson.type(read)));
    }
    if (roomId == null) {
      throw JsonRecord.missing(CommandJson.type(read), "roomId");
    }
    Session session =
        sessions
            .verify(names.session)
            .orElseThrow(
                () ->
                    new InvalidRecordException(
                        "session of %s must be the token of a session that was issued here"
                            .formatted(CommandJson.type(read))));
    return new Taken(roomId, CommandJson.write(of(command, session.hash())), null);
  }

  private static Command of(Command.OfPerson command, String session) {
    String room = command.roomId();
    String person = command.requestId();
    if (command instanceof Command.Leave leave) {
      return new Command.Leave(room, person, leave.ticket(), session);
    } else if (command instanceof Command.Heartbeat heartbeat) {
      return new Command.Heartbeat(room, person, heartbeat.ticket(), session);
    } else if (command instanceof Command.Complete complete) {
      return new Command.Complete(room, person, complete.ticket(), session);
    }
    return new Command.Enter(room, person, session);
  }

  /** An event, for {@code room-events}: as stored there. */
  Taken event(byte[] data) throws InvalidRecordException {
    RoomEvent event = RoomEventJson.read(data);
    if (event.kind() == EventKind.JOIN) {
      throw new InvalidRecordException("JOIN can't be put here; put it into the stream of joins");
    }
    return new Taken(event.roomId(), RoomEventJson.write(event), null);
  }

  /**
   * A join or a leave, for {@code joins}: as stored there, but with the room as {@code roomId}. A
   * join also counts as an event.
   */
  Taken membership(byte[] data) throws InvalidRecordException {
    String roomId = Names.of(data).roomId;
    Membership read = MembershipJson.read(roomId == null ? ANY_ROOM : roomId, data);
    if (roomId == null) {
      throw new InvalidRecordException("roomId is missing");
    }
    byte[] counts =
        read.joins()
            ? RoomEventJson.write(
                new RoomEvent(
                    EventKind.JOIN, roomId, read.userId(), read.country(), read.app(), null))
            : null;
    return new Taken(roomId, MembershipJson.write(read), counts);
  }

  /** What a value names that isn't stored in it. */
  private record Names(String roomId, String movieId, String session) {
    static Names of(byte[] data) throws InvalidRecordException {
      String roomId = null;
      String movieId = null;
      String session = null;
      try (JsonRecord record = JsonRecord.read(data)) {
        for (String field = record.next(); field != null; field = record.next()) {
          switch (field) {
            case "roomId" -> roomId = record.text();
            case "movieId" -> movieId = record.text();
            case "session" -> session = record.text();
            default -> record.skip();
          }
        }
      }
      check("roomId", roomId);
      check("movieId", movieId);
      return new Names(roomId, movieId, session);
    }

    private static void check(String field, String id) throws InvalidRecordException {
      if (id != null && !Ids.isValid(id)) {
        throw new InvalidRecordException(
            "%s must be 1 to %d characters of A-Z a-z 0-9 . _ : -"
                .formatted(field, Ids.MAX_LENGTH));
      }
    }
  }
}
