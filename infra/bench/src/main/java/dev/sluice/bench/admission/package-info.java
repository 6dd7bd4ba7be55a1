/** Benchmarks of the whole path of an entry, from HTTP to the decision and back. */
package dev.sluice.bench.admission;
