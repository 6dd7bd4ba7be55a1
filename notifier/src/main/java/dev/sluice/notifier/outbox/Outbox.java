package dev.sluice.notifier.outbox;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What waits to be sent to one connection, in three lanes: control first, then what must be
 * delivered, then last values, of which only the newest of each key is kept. One load is in flight
 * at a time. All lanes and the load in flight together are capped in bytes; nothing is ever dropped
 * silently: over the cap, or with too many parcels that must be delivered, an offer says {@link
 * Offer#OVERFLOW} and the connection has to go. Thread-safe.
 */
public final class Outbox {
  /** A load is what is there, but no more parcels once it has so many bytes. */
  private static final int FULL_LOAD = 8 * 1024;

  private final long maxBytes;
  private final int maxMustDeliver;

  private final Deque<Parcel> control = new ArrayDeque<>(1);
  private final Deque<Parcel> mustDeliver = new ArrayDeque<>(1);
  private final Map<Object, Parcel> lastValues = new LinkedHashMap<>(2);
  private boolean inFlight;
  private long bytesInFlight;
  private long bytes;
  private boolean sealed;

  /** What became of an offer. */
  public enum Offer {
    QUEUED,
    /** Queued in the place of an older value of its key, which nobody will see. */
    REPLACED,
    OVERFLOW,
    /** The outbox is sealed; nothing was kept. */
    SEALED
  }

  /**
   * @param maxBytes of all that waits and the load in flight
   * @param maxMustDeliver parcels in the lane of what must be delivered
   */
  public Outbox(long maxBytes, int maxMustDeliver) {
    this.maxBytes = maxBytes;
    this.maxMustDeliver = maxMustDeliver;
  }

  /** Receipts, heartbeats, what is said about the connection itself. */
  public synchronized Offer control(Parcel parcel) {
    if (sealed) {
      return Offer.SEALED;
    }
    control.add(parcel);
    return counted(parcel.size());
  }

  /** Admissions and timeouts. */
  public synchronized Offer mustDeliver(Parcel parcel) {
    if (sealed) {
      return Offer.SEALED;
    }
    mustDeliver.add(parcel);
    Offer offer = counted(parcel.size());
    return mustDeliver.size() > maxMustDeliver ? Offer.OVERFLOW : offer;
  }

  /** Ranks and figures: replaces what waits under {@code key}, in its place in the order. */
  public synchronized Offer lastValue(Object key, Parcel parcel) {
    if (sealed) {
      return Offer.SEALED;
    }
    Parcel older = lastValues.put(key, parcel);
    if (older == null) {
      return counted(parcel.size());
    }
    return counted(parcel.size() - older.size()) == Offer.OVERFLOW
        ? Offer.OVERFLOW
        : Offer.REPLACED;
  }

  /** Takes back the last value waiting under {@code key}, if any. */
  public synchronized void forget(Object key) {
    Parcel older = lastValues.remove(key);
    if (older != null) {
      bytes -= older.size();
    }
  }

  /**
   * What to send now, which is in flight from here on; empty: nothing, or something is in flight.
   */
  public synchronized List<Parcel> next() {
    if (inFlight || (control.isEmpty() && mustDeliver.isEmpty() && lastValues.isEmpty())) {
      return List.of();
    }
    List<Parcel> load = new ArrayList<>(2);
    take(control.iterator(), load);
    take(mustDeliver.iterator(), load);
    take(lastValues.values().iterator(), load);
    inFlight = true;
    return load;
  }

  private void take(Iterator<Parcel> lane, List<Parcel> load) {
    while (bytesInFlight < FULL_LOAD && lane.hasNext()) {
      Parcel parcel = lane.next();
      lane.remove();
      load.add(parcel);
      bytesInFlight += parcel.size();
    }
  }

  /** The load in flight has left. */
  public synchronized void sent() {
    bytes -= bytesInFlight;
    bytesInFlight = 0;
    inFlight = false;
  }

  /**
   * Takes nothing more; what waits in the lanes of control and of what must be delivered leaves.
   */
  public synchronized void seal() {
    sealed = true;
    lastValues.values().forEach(parcel -> bytes -= parcel.size());
    lastValues.clear();
  }

  /** Takes nothing more and lets go of all that waits. */
  public synchronized void discard() {
    sealed = true;
    control.clear();
    mustDeliver.clear();
    lastValues.clear();
    bytes = bytesInFlight;
  }

  /** Sealed, with nothing waiting or in flight. */
  public synchronized boolean isDrained() {
    return sealed && !inFlight && control.isEmpty() && mustDeliver.isEmpty();
  }

  public synchronized boolean hasInFlight() {
    return inFlight;
  }

  /** Bytes waiting and in flight. */
  public synchronized long bytes() {
    return bytes;
  }

  private Offer counted(int more) {
    bytes += more;
    return bytes > maxBytes ? Offer.OVERFLOW : Offer.QUEUED;
  }
}
