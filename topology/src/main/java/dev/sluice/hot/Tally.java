package dev.sluice.hot;

/** Events of a slice of a room over some time, by kind. */
record Tally(long messages, long fetches, long joins) {
  static final Tally NONE = new Tally(0, 0, 0);

  Tally plus(Tally more) {
    return new Tally(messages + more.messages, fetches + more.fetches, joins + more.joins);
  }

  long total() {
    return messages + fetches + joins;
  }
}
