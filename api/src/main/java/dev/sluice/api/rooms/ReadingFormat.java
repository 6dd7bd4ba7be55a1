package dev.sluice.api.rooms;

import dev.sluice.api.rooms.SharedFeed.Reading;
import dev.sluice.query.FeedPage;
import dev.sluice.query.FeedPage.FeedEvent;
import dev.sluice.streams.BinaryReader;
import dev.sluice.streams.BinaryWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** A reading as bytes, for a {@link SharedFeed} that is elsewhere. */
public final class ReadingFormat {
  /** A reader of another release takes what it doesn't know for nothing. */
  private static final int VERSION = 1;

  private ReadingFormat() {}

  public static byte[] write(Reading reading) {
    FeedPage page = reading.page();
    BinaryWriter writer =
        new BinaryWriter(1_024)
            .begin()
            .put(VERSION)
            .put(reading.after())
            .put(reading.reflects())
            .put(page.cursor())
            .put(page.more())
            .put(page.events().size());
    for (FeedEvent event : page.events()) {
      writer.put(event.cursor()).put(event.at()).put(event.value().length).putRaw(event.value());
    }
    return writer.end();
  }

  /** Empty if the bytes are none that {@link #write} made. */
  public static Optional<Reading> read(byte[] bytes) {
    try {
      BinaryReader reader = new BinaryReader(bytes);
      if (reader.getInt() != VERSION) {
        return Optional.empty();
      }
      long after = reader.getLong();
      long reflects = reader.getLong();
      long cursor = reader.getLong();
      boolean more = reader.getBoolean();
      int size = reader.getInt();
      List<FeedEvent> events = new ArrayList<>();
      for (int i = 0; i < size; i++) {
        long at = reader.getLong();
        events.add(new FeedEvent(at, reader.getLong(), reader.getRaw(reader.getInt())));
      }
      return Optional.of(new Reading(after, reflects, new FeedPage(events, cursor, more)));
    } catch (ArithmeticException
        | IndexOutOfBoundsException
        | NegativeArraySizeException
        | IllegalArgumentException e) {
      return Optional.empty();
    }
  }
}
