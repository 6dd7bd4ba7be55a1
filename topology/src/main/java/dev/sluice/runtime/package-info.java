/** Starts and stops what the topology tier runs: topics, the admission application, its edges. */
package dev.sluice.runtime;
