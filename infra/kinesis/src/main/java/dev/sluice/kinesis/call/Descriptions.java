package dev.sluice.kinesis.call;

import dev.sluice.kinesis.shard.HashRange;
import dev.sluice.kinesis.shard.Shard;
import dev.sluice.kinesis.shard.StreamState;
import dev.sluice.kinesis.shard.StreamState.Status;
import dev.sluice.kinesis.wire.AnswerWriter;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/** Structures that several answers have. */
final class Descriptions {
  private Descriptions() {}

  /** Shards as clients may see them: none before a stream's topic is there. */
  static List<Shard> shown(StreamState stream, long now) {
    return stream.status() == Status.CREATING ? List.of() : stream.visible(now);
  }

  static String encryption(StreamState stream) {
    return stream.keyId() == null ? "NONE" : "KMS";
  }

  static void mode(AnswerWriter out, StreamState stream) throws IOException {
    out.object("StreamModeDetails").text("StreamMode", stream.mode().name()).end();
  }

  static void texts(AnswerWriter out, String field, Collection<String> texts) throws IOException {
    out.array(field);
    for (String text : texts) {
      out.text(text);
    }
    out.end();
  }

  static void shards(AnswerWriter out, List<Shard> shards) throws IOException {
    out.array("Shards");
    for (Shard shard : shards) {
      out.object().text("ShardId", shard.id());
      if (shard.parent() != Shard.NONE) {
        out.text("ParentShardId", Shard.id(shard.parent()));
      }
      if (shard.adjacentParent() != Shard.NONE) {
        out.text("AdjacentParentShardId", Shard.id(shard.adjacentParent()));
      }
      range(out, shard.range());
      out.object("SequenceNumberRange")
          .text("StartingSequenceNumber", shard.startingSequenceNumber().toString());
      if (shard.isClosed()) {
        out.text("EndingSequenceNumber", shard.endingSequenceNumber().toString());
      }
      out.end().end();
    }
    out.end();
  }

  /** What was made of a shard whose end a reader has reached. */
  static void children(AnswerWriter out, List<Shard> children) throws IOException {
    out.array("ChildShards");
    for (Shard child : children) {
      List<String> parents = new ArrayList<>(2);
      parents.add(Shard.id(child.parent()));
      if (child.adjacentParent() != Shard.NONE) {
        parents.add(Shard.id(child.adjacentParent()));
      }
      out.object().text("ShardId", child.id());
      texts(out, "ParentShards", parents);
      range(out, child.range());
      out.end();
    }
    out.end();
  }

  private static void range(AnswerWriter out, HashRange range) throws IOException {
    out.object("HashKeyRange")
        .text("StartingHashKey", range.start().toString())
        .text("EndingHashKey", range.end().toString())
        .end();
  }
}
