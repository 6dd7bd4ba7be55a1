/** Starts, watches and kills the processes under measurement. */
package dev.sluice.bench.process;
