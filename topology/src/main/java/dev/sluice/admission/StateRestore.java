package dev.sluice.admission;

import dev.sluice.contract.AcceptedSetting;
import java.util.List;

/** Rebuilds an {@link AdmissionState} from what was kept of it, given in any order. */
public final class StateRestore implements Changes {
  private final int partition;
  private final EndedPeople ended;

  public StateRestore(int partition, EndedPeople ended) {
    this.partition = partition;
    this.ended = ended;
  }

  @Override
  public void partition(PartitionRecord record) {}

  @Override
  public void setting(AcceptedSetting setting) {}

  @Override
  public void room(RoomRecord room) {}

  @Override
  public void waitingLeaf(String roomId, long number, long[] words) {}

  @Override
  public void entrants(String roomId, long number, List<Person> waiting) {}

  @Override
  public void active(String roomId, long ticket, Person person) {}

  /**
   * The state, as new as what was kept; nothing of it counts as changed.
   *
   * @throws IllegalStateException if the parts don't fit each other
   */
  public AdmissionState finish() {
    return new AdmissionState(partition, ended);
  }
}
