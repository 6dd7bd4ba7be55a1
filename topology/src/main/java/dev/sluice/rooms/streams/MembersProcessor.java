package dev.sluice.rooms.streams;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.contract.InvalidRecordException;
import dev.sluice.contract.Membership;
import dev.sluice.contract.MembershipJson;
import dev.sluice.contract.Partitions;
import dev.sluice.contract.Topics;
import dev.sluice.log.DeadLetter;
import dev.sluice.query.OwnedPart;
import dev.sluice.rooms.Members;
import dev.sluice.streams.Destined;
import org.apache.kafka.streams.processor.api.Processor;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.processor.api.RecordMetadata;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Who is in the rooms of one partition, by {@code sluice.joins}. */
final class MembersProcessor implements Processor<byte[], byte[], Destined, byte[]> {
  private static final Logger LOG = LoggerFactory.getLogger(MembersProcessor.class);

  private final Topics topics;
  private final RoomsTopology.Surroundings surroundings;

  private ProcessorContext<Destined, byte[]> context;
  private int partition;
  private RoomsRows rows;
  private Members members;
  private OwnedPart<Members> owned;

  MembersProcessor(Topics topics, RoomsTopology.Surroundings surroundings) {
    this.topics = topics;
    this.surroundings = surroundings;
  }

  @Override
  public void init(ProcessorContext<Destined, byte[]> context) {
    this.context = context;
    partition = context.taskId().partition();
    rows = new RoomsRows(context.getStateStore(RoomsTopology.ROOMS_STORE));
    members = new Members(rows);
    owned = new OwnedPart<>(partition, members, surroundings.maxWaiters(), surroundings.answers());
    surroundings.members().opened(owned);
    LOG.info(
        "Members of partition {} taken over, {}",
        partition,
        members.countedAnew() ? "counted anew" : "as they were counted");
  }

  @Override
  public void process(Record<byte[], byte[]> record) {
    long offset = context.recordMetadata().map(RecordMetadata::offset).orElseThrow();
    try {
      members.apply(parse(record));
      surroundings.counters().membership();
    } catch (InvalidRecordException e) {
      bury(record, offset, e.getMessage());
    }
    owned.applied(offset);
  }

  private Membership parse(Record<byte[], byte[]> record) throws InvalidRecordException {
    if (record.key() == null) {
      throw new InvalidRecordException("the key is missing");
    }
    int belongs = Partitions.of(record.key(), topics.partitions());
    if (belongs != partition) {
      throw new InvalidRecordException("its key belongs to partition " + belongs);
    }
    return MembershipJson.read(new String(record.key(), UTF_8), record.value());
  }

  private void bury(Record<byte[], byte[]> record, long offset, String reason) {
    DeadLetter.Origin origin =
        new DeadLetter.Origin(topics.joins(), partition, offset, record.timestamp());
    context.forward(Destined.deadLetter(record, origin, reason), RoomsTopology.DEAD_LETTERS_SINK);
    surroundings.counters().invalid();
    LOG.warn("Join {} of partition {} is dead-lettered: {}", offset, partition, reason);
  }

  @Override
  public void close() {
    if (owned == null) {
      return;
    }
    surroundings.members().closed(owned);
    owned = null;
    rows.closeToOthers();
    if (context.recordMetadata().isEmpty()) {
      // Without a record Streams writes nothing: the next owner counts anew.
      return;
    }
    try {
      members.close();
    } catch (RuntimeException e) {
      LOG.warn("The members of partition {} will be counted anew: {}", partition, e.toString());
    }
  }
}
