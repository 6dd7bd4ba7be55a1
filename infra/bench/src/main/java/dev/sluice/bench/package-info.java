/** The demonstration and the benchmarks, and how they reach a Sluice. */
package dev.sluice.bench;
