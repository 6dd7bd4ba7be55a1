package dev.sluice.bench.demo;

import java.util.Comparator;
import java.util.List;

/** What everyone waiting said while the room was paused and nobody entered or left. */
record Census(List<Place> places) {
  /** A waiting visitor's own view of their place. */
  record Place(long ticket, long rank, long totalWaiting) {}

  Census {
    places = List.copyOf(places);
  }

  /** Ranks that aren't 1 + the waiting tickets below, or totals that aren't all who wait. */
  long wrong() {
    List<Place> inOrder = places.stream().sorted(Comparator.comparingLong(Place::ticket)).toList();
    long wrong = 0;
    for (int i = 0; i < inOrder.size(); i++) {
      Place place = inOrder.get(i);
      if (place.rank != i + 1 || place.totalWaiting != inOrder.size()) {
        wrong++;
      }
    }
    return wrong;
  }
}
