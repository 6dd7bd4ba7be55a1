package dev.sluice.settings;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.contract.Topics;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.AutoOffsetReset;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.processor.api.Processor;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.Stores;

/**
 * The gate's topology. Bytes in, so that every record reaches the judge; two sinks out; and a store
 * of what is in force, so that a record read again after the group's offsets were lost brings no
 * old value back.
 */
final class GateTopology {
  static final String SOURCE = "config-source";
  static final String GATE = "settings-gate";
  static final String IN_FORCE = "settings-in-force";
  static final String SETTINGS_SINK = "settings-sink";
  static final String HISTORY_SINK = "config-history-sink";

  /** Header of a record of {@code settings}: its offset in {@code config}, for tombstones too. */
  static final String OFFSET = "sluice-config-offset";

  /** Header of records of {@code config} and {@code settings}: who wrote it. */
  static final String WHO = "sluice-who";

  private GateTopology() {}

  static Topology of(Topics topics) {
    Topology topology = new Topology();
    topology.addSource(
        AutoOffsetReset.earliest(),
        SOURCE,
        // One with a negative timestamp would stop the thread, or never reach the judge.
        (record, partitionTime) -> Math.max(0, record.timestamp()),
        new ByteArrayDeserializer(),
        new ByteArrayDeserializer(),
        topics.config());
    topology.addProcessor(GATE, Gate::new, SOURCE);
    topology.addStateStore(
        Stores.keyValueStoreBuilder(
                Stores.inMemoryKeyValueStore(IN_FORCE), Serdes.String(), Serdes.Long())
            .withCachingDisabled(),
        GATE);
    topology.addSink(
        SETTINGS_SINK,
        topics.settings(),
        new ByteArraySerializer(),
        new ByteArraySerializer(),
        GATE);
    topology.addSink(
        HISTORY_SINK,
        topics.configHistory(),
        new ByteArraySerializer(),
        new ByteArraySerializer(),
        GATE);
    return topology;
  }

  /** Judges each record and tells both sinks. */
  private static final class Gate implements Processor<byte[], byte[], byte[], byte[]> {
    private ProcessorContext<byte[], byte[]> context;
    private KeyValueStore<String, Long> offsetsInForce;

    @Override
    public void init(ProcessorContext<byte[], byte[]> context) {
      this.context = context;
      this.offsetsInForce = context.getStateStore(IN_FORCE);
    }

    @Override
    public void process(Record<byte[], byte[]> record) {
      long offset = context.recordMetadata().orElseThrow().offset();
      Header who = record.headers().lastHeader(WHO);
      Verdict verdict =
          Verdict.of(
              record.key(),
              record.value(),
              who == null ? null : who.value(),
              record.timestamp(),
              offset);
      SettingsView.InForce<?> setting = verdict.setting();
      if (setting != null) {
        String address = setting.address().toString();
        Long inForce = offsetsInForce.get(address);
        if (inForce != null && inForce >= offset) {
          return;
        }
        offsetsInForce.put(address, offset);
        context.forward(settingRecord(address, setting), SETTINGS_SINK);
      }
      SettingAttempt attempt = verdict.attempt();
      context.forward(
          new Record<>(
              attempt.setting() == null ? null : attempt.setting().getBytes(UTF_8),
              SettingsJson.write(attempt),
              record.timestamp()),
          HISTORY_SINK);
    }

    private static Record<byte[], byte[]> settingRecord(
        String address, SettingsView.InForce<?> setting) {
      Headers headers = new RecordHeaders();
      headers.add(OFFSET, Long.toString(setting.offset()).getBytes(UTF_8));
      if (setting.who() != null) {
        headers.add(WHO, setting.who().getBytes(UTF_8));
      }
      return new Record<>(
          address.getBytes(UTF_8),
          setting.isUnset() ? null : SettingsJson.write(setting),
          setting.at(),
          headers);
    }
  }
}
