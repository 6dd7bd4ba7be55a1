/**
 * How the tiers in front write commands and what happens in rooms, hear outcomes and look at dead
 * letters: plain Kafka clients, no Kafka Streams.
 */
package dev.sluice.log;
