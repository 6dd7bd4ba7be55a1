package dev.sluice.kinesis.wire;

import java.io.IOException;

/**
 * What an answer or an event says: the fields of an object, written in whichever format is asked.
 */
@FunctionalInterface
public interface Answer {
  /** An answer that says nothing, and has no body. */
  Answer NOTHING = out -> {};

  void write(AnswerWriter out) throws IOException;
}
