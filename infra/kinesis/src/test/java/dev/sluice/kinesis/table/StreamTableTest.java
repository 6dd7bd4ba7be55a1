package dev.sluice.kinesis.table;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.kinesis.TestBroker;
import dev.sluice.kinesis.shard.Account;
import dev.sluice.kinesis.shard.ErrorType;
import dev.sluice.kinesis.shard.KinesisException;
import dev.sluice.kinesis.shard.StreamChange;
import dev.sluice.kinesis.shard.StreamState;
import dev.sluice.kinesis.shard.StreamState.Mode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class StreamTableTest {
  private static final Account ACCOUNT = Account.DEFAULT;
  private static final StreamState STREAM =
      StreamChange.create(ACCOUNT, null, List.of(), "s", Mode.PROVISIONED, 1, 1_024, Map.of(), 1);

  private final String topic = TestBroker.prefix() + "kinesis-streams";
  private final List<StreamTable> tables = new ArrayList<>();

  private StreamTable table() {
    StreamTable table = new StreamTable(TestBroker.clients(), topic, (short) 1);
    tables.add(table);
    table.start();
    return table;
  }

  @AfterEach
  void close() {
    tables.forEach(StreamTable::close);
  }

  @Test
  void whatOneCommitsEveryoneReadsWhoAsksAfterwards() {
    StreamTable one = table();
    StreamTable other = table();
    one.change("s", none -> STREAM).join();

    for (int i = 0; i < 20; i++) {
      String tag = "t" + i;
      StreamState changed =
          one.change("s", now -> StreamChange.addTags(ACCOUNT, now, Map.of(tag, ""))).join();
      other.readToEnd().join();
      assertThat(other.stream("s")).isEqualTo(changed);
      assertThat(one.stream("s")).isEqualTo(changed);
    }
    one.change("s", now -> null).join();
    other.readToEnd().join();
    assertThat(other.stream("s")).isNull();
  }

  @Test
  void changesOfTwoInstancesAtOnceAreAllMade() {
    StreamTable one = table();
    StreamTable other = table();
    one.change("s", none -> STREAM).join();

    List<CompletableFuture<StreamState>> changes = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      String tag = "t" + i;
      changes.add(one.change("s", now -> StreamChange.addTags(ACCOUNT, now, Map.of(tag, "one"))));
      changes.add(
          other.change("s", now -> StreamChange.addTags(ACCOUNT, now, Map.of("u" + tag, "other"))));
    }
    changes.forEach(CompletableFuture::join);

    one.readToEnd().join();
    assertThat(one.stream("s").tags()).hasSize(40);
  }

  @Test
  void whoStartsLaterHasAllThatStoodThere() {
    StreamTable one = table();
    one.change("s", none -> STREAM).join();
    one.change("gone", none -> STREAM).join();
    one.change("gone", now -> null).join();

    StreamTable later = table();
    later.ready().join();

    assertThat(later.streams()).containsExactly(STREAM);
  }

  @Test
  void aRefusedChangeChangesNothing() {
    StreamTable one = table();

    assertThatThrownBy(
            () ->
                one.change(
                        "s",
                        none -> {
                          throw ACCOUNT.noStream("s");
                        })
                    .join())
        .isInstanceOf(CompletionException.class)
        .hasCauseInstanceOf(KinesisException.class);
    assertThat(one.change("s", none -> STREAM).join()).isEqualTo(STREAM);
  }

  @Test
  void whatAnInstanceLeftUncommittedIsNeverSeenAndHoldsNobodyUp() {
    StreamTable one = table();
    one.change("s", none -> STREAM).join();
    Map<String, Object> settings = new HashMap<>(TestBroker.clients());
    settings.put("transactional.id", topic);
    try (KafkaProducer<byte[], byte[]> died =
        new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer())) {
      died.initTransactions();
      died.beginTransaction();
      var unused = died.send(new ProducerRecord<>(topic, 0, "s".getBytes(UTF_8), null));
      died.flush();

      one.readToEnd().join();
      assertThat(one.stream("s")).isEqualTo(STREAM);
      StreamState changed =
          one.change("s", now -> StreamChange.addTags(ACCOUNT, now, Map.of("a", "b"))).join();
      assertThat(changed.tags()).containsEntry("a", "b");
      assertThatThrownBy(died::commitTransaction).isNotNull();
    }
    one.readToEnd().join();
    assertThat(one.stream("s").tags()).containsEntry("a", "b");
  }

  @Test
  void whoWaitsForAConditionIsToldWhenItIsMet() {
    StreamTable one = table();
    StreamTable other = table();
    CompletableFuture<StreamState> met =
        other.when("s", stream -> stream != null && !stream.tags().isEmpty());
    one.change("s", none -> STREAM).join();
    assertThat(met).isNotDone();

    one.change("s", now -> StreamChange.addTags(ACCOUNT, now, Map.of("a", "b"))).join();

    assertThat(met.join().tags()).containsKey("a");
  }

  @Test
  void withoutKafkaItIsUnavailable() {
    StreamTable away =
        new StreamTable(Map.of("bootstrap.servers", "127.0.0.1:1"), topic, (short) 1);
    tables.add(away);
    away.start();

    assertThatThrownBy(() -> away.readToEnd().join())
        .hasCauseInstanceOf(KinesisException.class)
        .cause()
        .satisfies(
            e ->
                assertThat(((KinesisException) e).type()).isEqualTo(ErrorType.SERVICE_UNAVAILABLE));
  }
}
