package dev.sluice.log;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.contract.Audience;
import dev.sluice.contract.Partitions;
import dev.sluice.contract.RoomCountJson;
import dev.sluice.contract.Topics;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AudienceLogTest {
  @TempDir Path directory;

  @Test
  void audiencesStandInTheirRoomsPartition() throws Exception {
    Audience audience = new Audience("lobby", "notifier-1", 17);
    try (KafkaFixture kafka = new KafkaFixture(directory, new Topics("audience.", 2))) {
      try (AudienceLog log = new AudienceLog(kafka.clients(), kafka.topics())) {
        log.append(audience);
      }

      var records = kafka.all(kafka.topics().roomCounts(), Partitions.of("lobby", 2));
      assertThat(records).hasSize(1);
      assertThat(KafkaFixture.text(records.get(0).key())).isEqualTo("lobby");
      assertThat(RoomCountJson.read("lobby", records.get(0).value())).isEqualTo(audience);
    }
  }
}
