package dev.sluice.bench.push;

/** A server that pushes, as the measurements drive it. */
interface Pushes {
  /** Name of the one room. */
  String ROOM = "topgun2";

  /** Name of a person. */
  static String person(int number) {
    return "person-" + number;
  }

  /**
   * Tells one person something, on {@code /topic/timeout/} and their name.
   *
   * @param stamp comes back in the member {@code reason}
   */
  void tellPerson(int person, long stamp);

  /**
   * Tells everyone something, on {@code /topic/stats/} and the room.
   *
   * @param stamp comes back in the member {@code totalWaiting}
   */
  void tellAll(long stamp);

  /** Open connections; 0 where that isn't measured. */
  default int connections() {
    return 0;
  }

  /** Bytes that wait for all clients and are in flight to them; 0 where that isn't measured. */
  default long outboxBytes() {
    return 0;
  }

  /** What is kept though nobody is connected: best nothing; 0 where that isn't measured. */
  default long left() {
    return 0;
  }
}
