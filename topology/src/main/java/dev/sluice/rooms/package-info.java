/**
 * What is kept of rooms, without Kafka and without a clock: sums of logged events, what was said
 * last, who is in.
 */
package dev.sluice.rooms;
