package dev.sluice.admission;

import dev.sluice.contract.AcceptedSetting;
import java.util.List;

/**
 * Takes what has changed in an {@link AdmissionState} since it was last asked, for keeping. Each
 * part replaces the one kept under the same name; null means there is nothing to keep any more.
 * What {@link StateRestore} is given, in any order, is what was kept.
 */
public interface Changes {
  void partition(PartitionRecord partition);

  /** The newest of a key and room, also when it unsets them: its offset outlives its value. */
  void setting(AcceptedSetting setting);

  void room(RoomRecord room);

  /** Nobody is remembered in the room: this is kept for {@link RestingRooms}, all else goes. */
  void resting(RoomRecord room);

  /**
   * Who waits among the tickets of a leaf.
   *
   * @param words as in {@link RankIndex#leaf}, or null when nobody does
   */
  void waitingLeaf(String roomId, long number, long[] words);

  /**
   * Those who entered with the tickets {@code 64 number} to {@code 64 number + 63}. Kept once
   * written: people who no longer wait stay in it until the last of them has gone.
   *
   * @param waiting in ticket order, those who wait; null when nobody does
   */
  void entrants(String roomId, long number, List<Person> waiting);

  /**
   * The one who holds an active place.
   *
   * @param person null when the place is free again
   */
  void active(String roomId, long ticket, Person person);
}
