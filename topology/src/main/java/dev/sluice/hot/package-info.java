/**
 * How busy rooms are: what an edge counts, what an owner makes of the sums, and when a room is hot.
 * Plain Java: no Kafka, no Spring, no clock, no chance.
 */
package dev.sluice.hot;
