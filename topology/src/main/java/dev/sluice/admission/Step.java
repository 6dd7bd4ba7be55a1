package dev.sluice.admission;

import dev.sluice.contract.Outcome;
import dev.sluice.query.Answer;
import java.util.List;

/** What the machine did with a record of its partition. */
public sealed interface Step {
  /** The record was applied: what it changed, in order, and the answer to whoever sent it. */
  record Applied(List<Outcome> outcomes, Answer answer) implements Step {}

  /** The record had been applied before; nothing changed. */
  record Skipped() implements Step {}

  /** Records are missing before this one; nothing changed, and nothing may until they are found. */
  record Gap(long expectedOffset, long offset) implements Step {}

  /** The record asks for rules that this program doesn't know; nothing changed. */
  record RulesTooNew(int asked, int known) implements Step {}
}
