/** How fast records are put and read by the protocol of Kinesis. */
package dev.sluice.bench.kinesis;
