/** Benchmarks of starting: fresh, and after a kill -9 with many people waiting. */
package dev.sluice.bench.start;
