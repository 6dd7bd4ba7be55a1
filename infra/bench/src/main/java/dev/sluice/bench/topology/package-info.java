/** Benchmark of the topology alone: one room, its commands already in the log. */
package dev.sluice.bench.topology;
