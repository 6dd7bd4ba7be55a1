package dev.sluice.bench.rank;

import redis.clients.jedis.Jedis;
import redis.clients.jedis.Pipeline;

/** A queue in a Redis sorted set: members are people, scores their tickets. */
final class RedisQueue {
  private static final int BATCH = 10_000;

  private RedisQueue() {}

  static String key(int entered) {
    return "waiting-" + entered;
  }

  static String member(long ticket) {
    return "p" + ticket;
  }

  /** Puts those who are left of {@code entered} people into Redis. */
  static void fill(Jedis jedis, int entered) {
    WaitingTickets tickets = WaitingTickets.of(entered);
    String key = key(entered);
    Pipeline pipeline = jedis.pipelined();
    for (int i = 0; i < tickets.count(); i++) {
      long ticket = tickets.ticket(i);
      pipeline.zadd(key, (double) ticket, member(ticket));
      if (i % BATCH == 0) {
        pipeline.sync();
      }
    }
    pipeline.sync();
  }

  /** Bytes that Redis says the set takes. */
  static long bytes(Jedis jedis, int entered) {
    return jedis.memoryUsage(key(entered), 0);
  }
}
