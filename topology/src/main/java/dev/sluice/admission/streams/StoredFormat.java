package dev.sluice.admission.streams;

import dev.sluice.admission.Flow;
import dev.sluice.admission.PartitionRecord;
import dev.sluice.admission.Person;
import dev.sluice.admission.RoomRecord;
import dev.sluice.contract.AcceptedSetting;
import dev.sluice.contract.PersonStatus;
import dev.sluice.contract.Receipt;
import dev.sluice.contract.Version;
import dev.sluice.streams.BinaryReader;
import dev.sluice.streams.BinaryWriter;
import java.util.ArrayList;
import java.util.List;

/**
 * How values are laid out in the admission stores: a format number, then the fields in order. A
 * reader of a new format ships one release before its writer.
 */
final class StoredFormat {
  private static final int FORMAT = 1;

  /** A status is stored as its place in here. */
  private static final List<PersonStatus> STATUSES =
      List.of(
          PersonStatus.WAITING,
          PersonStatus.ADMITTED,
          PersonStatus.COMPLETED,
          PersonStatus.LEFT,
          PersonStatus.EXPIRED);

  private StoredFormat() {}

  static byte[] partition(PartitionRecord partition, BinaryWriter to) {
    return begin(to)
        .put(partition.appliedOffset())
        .put(partition.time())
        .put(partition.skew())
        .put(partition.rulesVersion())
        .put(partition.configured())
        .end();
  }

  static PartitionRecord partition(byte[] value) {
    BinaryReader from = begin(value);
    return new PartitionRecord(
        from.getLong(), from.getLong(), from.getLong(), from.getInt(), from.getBoolean());
  }

  static byte[] setting(AcceptedSetting setting, BinaryWriter to) {
    return begin(to)
        .put(setting.key())
        .put(setting.roomId())
        .put(setting.value())
        .put(setting.offset())
        .end();
  }

  static AcceptedSetting setting(byte[] value) {
    BinaryReader from = begin(value);
    return new AcceptedSetting(from.getText(), from.getText(), from.getText(), from.getLong());
  }

  static byte[] room(RoomRecord room, BinaryWriter to) {
    begin(to)
        .put(room.roomId())
        .put(room.nextTicket())
        .put(room.paceNextMicros())
        .put(room.closeThrough())
        .put(room.progressAt())
        .put(room.progressOwed());
    flow(room.admitted(), to);
    flow(room.outflow(), to);
    return to.end();
  }

  static RoomRecord room(byte[] value) {
    BinaryReader from = begin(value);
    return new RoomRecord(
        from.getText(),
        from.getLong(),
        from.getLong(),
        from.getLong(),
        from.getLong(),
        from.getBoolean(),
        flow(from),
        flow(from));
  }

  private static void flow(Flow flow, BinaryWriter to) {
    int[] counts = flow.counts();
    to.put(flow.since()).put(flow.last()).put(counts.length);
    for (int count : counts) {
      to.put(count);
    }
  }

  private static Flow flow(BinaryReader from) {
    long since = from.getLong();
    long last = from.getLong();
    int[] counts = new int[from.getInt()];
    for (int i = 0; i < counts.length; i++) {
      counts[i] = from.getInt();
    }
    return Flow.of(since, last, counts);
  }

  static byte[] leaf(long[] words, BinaryWriter to) {
    begin(to);
    for (long word : words) {
      to.putFixed(word);
    }
    return to.end();
  }

  static long[] leaf(byte[] value) {
    BinaryReader from = begin(value);
    long[] words = new long[(value.length - 1) / Long.BYTES];
    for (int i = 0; i < words.length; i++) {
      words[i] = from.getFixed();
    }
    return words;
  }

  static byte[] people(List<Person> people, BinaryWriter to) {
    begin(to).put(people.size());
    for (Person person : people) {
      personOfRoom(person, to);
    }
    return to.end();
  }

  static List<Person> people(String roomId, byte[] value) {
    BinaryReader from = begin(value);
    int size = from.getInt();
    List<Person> people = new ArrayList<>(size);
    for (int i = 0; i < size; i++) {
      people.add(personOfRoom(roomId, from));
    }
    return people;
  }

  static byte[] person(Person person, BinaryWriter to) {
    personOfRoom(person, begin(to));
    return to.end();
  }

  static Person person(String roomId, byte[] value) {
    return personOfRoom(roomId, begin(value));
  }

  private static void personOfRoom(Person person, BinaryWriter to) {
    Receipt receipt = person.receipt();
    Version version = person.version();
    to.put(person.requestId())
        .put(person.session())
        .put(STATUSES.indexOf(person.status()))
        .put(person.ticket())
        .put(person.expiresAt())
        .put(person.hardEnd())
        .put(person.endedAt())
        .put(person.reason())
        .put(receipt.partition())
        .put(receipt.offset())
        .put(receipt.at())
        .put(version.offset() - receipt.offset())
        .put(version.index());
  }

  private static Person personOfRoom(String roomId, BinaryReader from) {
    String requestId = from.getText();
    String session = from.getText();
    PersonStatus status = STATUSES.get(from.getInt());
    long ticket = from.getLong();
    long expiresAt = from.getLong();
    long hardEnd = from.getLong();
    long endedAt = from.getLong();
    String reason = from.getText();
    Receipt receipt = new Receipt(from.getInt(), from.getLong(), from.getLong());
    Version version =
        new Version(receipt.partition(), receipt.offset() + from.getLong(), from.getInt());
    return new Person(
        roomId, requestId, session, status, ticket, expiresAt, hardEnd, endedAt, reason, receipt,
        version);
  }

  static BinaryWriter begin(BinaryWriter to) {
    return to.begin().put(FORMAT);
  }

  static BinaryReader begin(byte[] value) {
    BinaryReader from = new BinaryReader(value);
    int format = from.getInt();
    if (format != FORMAT) {
      throw new IllegalStateException(
          "The store holds a record of format " + format + ", this program reads " + FORMAT);
    }
    return from;
  }
}
