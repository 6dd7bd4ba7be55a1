/** Benchmarks of the rank index, beside a Redis sorted set. */
package dev.sluice.bench.rank;
