/** How benchmarks tell what they measured. */
package dev.sluice.bench.report;
