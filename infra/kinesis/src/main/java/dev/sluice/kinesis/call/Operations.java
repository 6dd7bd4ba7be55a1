package dev.sluice.kinesis.call;

import dev.sluice.kinesis.wire.Action;
import java.util.EnumMap;
import java.util.Map;

/** What is done for each action. Immutable. */
public final class Operations {
  private final Map<Action, Operation> operations;
  private final SubscribeOperation subscribe;

  public Operations(Map<Action, Operation> operations, SubscribeOperation subscribe) {
    this.operations = new EnumMap<>(operations);
    this.subscribe = subscribe;
  }

  /** The operation of an action other than SubscribeToShard; null if there is none. */
  public Operation of(Action action) {
    return operations.get(action);
  }

  public SubscribeOperation subscribe() {
    return subscribe;
  }
}
