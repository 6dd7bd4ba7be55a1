package dev.sluice.admission.streams;

import dev.sluice.admission.AdmissionMachine;
import dev.sluice.admission.AdmissionState;
import dev.sluice.admission.StateRestore;
import dev.sluice.admission.Step;
import dev.sluice.contract.Command;
import dev.sluice.contract.CommandJson;
import dev.sluice.contract.Ids;
import dev.sluice.contract.InvalidRecordException;
import dev.sluice.contract.Outcome;
import dev.sluice.contract.OutcomeJson;
import dev.sluice.contract.Partitions;
import dev.sluice.contract.Topics;
import dev.sluice.log.DeadLetter;
import dev.sluice.query.OwnedPartition;
import dev.sluice.streams.Destined;
import dev.sluice.streams.WriteBehind;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Set;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.processor.api.Processor;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.processor.api.RecordMetadata;
import org.apache.kafka.streams.state.KeyValueStore;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The admission machine of one partition, between its log and its stores: parses commands, applies
 * them, forwards outcomes and dead letters, and writes what has changed when a commit comes.
 *
 * <p>The machine's state is rebuilt from the stores in every {@link #init}, whether the object is
 * new or not. When it can't go on without a wrong decision it halts: it applies and writes nothing
 * more, answers nothing, and says why.
 */
final class AdmissionProcessor implements Processor<byte[], byte[], Destined, byte[]> {
  private static final Logger LOG = LoggerFactory.getLogger(AdmissionProcessor.class);

  /** Results kept for callers who ask after their command was applied. */
  private static final int RECENT_RESULTS = 1 << 14;

  private final Topics topics;
  private final AdmissionTopology.Surroundings surroundings;

  private ProcessorContext<Destined, byte[]> context;
  private int partition;
  private Set<Integer> outcomesPartition;
  private LiveStore live;
  private EndedStore ended;
  private AdmissionState state;
  private AdmissionMachine machine;
  private OwnedPartition owned;
  private boolean halted;

  /** The state in memory may be half changed, so none of it may be written. */
  private boolean spoilt;

  private byte[] lastKey;
  private String lastRoom;

  AdmissionProcessor(Topics topics, AdmissionTopology.Surroundings surroundings) {
    this.topics = topics;
    this.surroundings = surroundings;
  }

  @Override
  public void init(ProcessorContext<Destined, byte[]> context) {
    this.context = context;
    partition = context.taskId().partition();
    outcomesPartition = Set.of(partition);
    halted = false;
    spoilt = false;
    live = new LiveStore(store(AdmissionTopology.LIVE_STORE));
    ended = new EndedStore(store(AdmissionTopology.ENDED_STORE));
    StateRestore restore = new StateRestore(partition, ended, live);
    live.readInto(restore);
    state = restore.finish();
    machine = new AdmissionMachine(state);
    owned =
        new OwnedPartition(
            partition, state, RECENT_RESULTS, surroundings.maxWaiters(), surroundings.answers());
    WriteBehind writeBehind = context.getStateStore(AdmissionTopology.WRITE_BEHIND_STORE);
    writeBehind.beforeCommit(this::write);
    surroundings.owned().opened(owned);
    LOG.info("Partition {} taken over with offset {} applied", partition, state.appliedOffset());
  }

  private KeyValueStore<Bytes, byte[]> store(String name) {
    return context.getStateStore(name);
  }

  @Override
  public void process(Record<byte[], byte[]> record) {
    if (halted) {
      return;
    }
    long offset = context.recordMetadata().map(RecordMetadata::offset).orElseThrow();
    String room = room(record.key());
    Command command = null;
    String invalid = null;
    try {
      command = parse(record, room);
    } catch (InvalidRecordException e) {
      invalid = e.getMessage();
    }
    try {
      Step step =
          command == null
              ? machine.applyInvalid(offset, record.timestamp(), named(room), null, invalid)
              : machine.apply(offset, record.timestamp(), command);
      take(step, record, offset, invalid);
    } catch (KafkaException storeOrProducerFailed) {
      throw storeOrProducerFailed;
    } catch (RuntimeException fault) {
      spoilt = true;
      LOG.error("Partition {} can't apply offset {}", partition, offset, fault);
      halt("the command at offset %d meets a fault of the program: %s".formatted(offset, fault));
    }
  }

  /** Outcomes tell of rooms; a key that can't be one is told of in the dead letter alone. */
  private static String named(String room) {
    return Ids.isValid(room) ? room : null;
  }

  private void take(Step step, Record<byte[], byte[]> record, long offset, String invalid) {
    if (step instanceof Step.Applied applied) {
      finish(applied, record, offset, invalid);
    } else if (step instanceof Step.Gap gap) {
      halt(
          "after offset %d, applied last, comes %d: commands are missing, or the group's offset is ahead of the state"
              .formatted(gap.expectedOffset() - 1, gap.offset()));
    } else if (step instanceof Step.RulesTooNew rules) {
      halt(
          "the command at offset %d asks for version %d of the rules and this program knows %d"
              .formatted(offset, rules.asked(), rules.known()));
    }
  }

  /**
   * @throws InvalidRecordException with the reason, in words
   */
  private Command parse(Record<byte[], byte[]> record, String room) throws InvalidRecordException {
    if (record.value() == null) {
      throw new InvalidRecordException("no value");
    }
    if (record.key() != null) {
      int belongs = Partitions.of(record.key(), topics.partitions());
      if (belongs != partition) {
        throw new InvalidRecordException("its key belongs to partition " + belongs);
      }
    }
    return CommandJson.read(room, record.value());
  }

  /** The key as text; most often that of the record before. */
  private String room(byte[] key) {
    if (key == null) {
      return null;
    }
    if (!Arrays.equals(key, lastKey)) {
      lastKey = key;
      lastRoom = new String(key, StandardCharsets.UTF_8);
    }
    return lastRoom;
  }

  private void finish(
      Step.Applied applied, Record<byte[], byte[]> record, long offset, String invalid) {
    for (Outcome outcome : applied.outcomes()) {
      forward(outcome, record);
    }
    if (invalid != null) {
      bury(record, offset, invalid);
    }
    surroundings.counters().command();
    owned.applied(applied.answer(), machine.dueInMillis());
  }

  private void forward(Outcome outcome, Record<byte[], byte[]> cause) {
    context.forward(
        new Record<>(
            new Destined(outcomesPartition, keyOf(outcome.roomId())),
            OutcomeJson.write(outcome),
            cause.timestamp()),
        AdmissionTopology.OUTCOMES_SINK);
    surroundings.counters().outcome(outcome);
  }

  /** The command may have another key, or none: a tick expires people of any room. */
  private byte[] keyOf(String room) {
    if (room == null) {
      return null;
    }
    return room.equals(lastRoom) ? lastKey : room.getBytes(StandardCharsets.UTF_8);
  }

  private void bury(Record<byte[], byte[]> record, long offset, String reason) {
    DeadLetter.Origin origin =
        new DeadLetter.Origin(topics.entries(), partition, offset, record.timestamp());
    context.forward(
        Destined.deadLetter(record, origin, reason), AdmissionTopology.DEAD_LETTERS_SINK);
    surroundings.counters().invalid();
    LOG.warn("Offset {} of partition {} is dead-lettered: {}", offset, partition, reason);
  }

  private void halt(String because) {
    halted = true;
    String words =
        "Partition %d of %s stopped: %s.".formatted(partition, topics.entries(), because);
    LOG.error(words);
    owned.halt(words);
  }

  /** Runs before each commit, and before a task that can't commit is given up. */
  private void write() {
    if (!spoilt) {
      state.drainTo(live);
      ended.write();
    }
  }

  @Override
  public void close() {
    if (owned != null) {
      surroundings.owned().closed(owned);
    }
  }
}
