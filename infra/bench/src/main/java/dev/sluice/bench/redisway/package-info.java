/**
 * The usual way to build a waiting room, as the baseline: one Lua script on Redis sorted sets,
 * behind the very servlet that Sluice answers with.
 */
package dev.sluice.bench.redisway;
