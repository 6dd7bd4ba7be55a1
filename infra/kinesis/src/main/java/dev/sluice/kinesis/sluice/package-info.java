/** Sluice's own topics as streams: what clients may put into them, and how it is stored. */
package dev.sluice.kinesis.sluice;
