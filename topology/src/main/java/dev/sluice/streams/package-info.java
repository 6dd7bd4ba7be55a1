/**
 * What the two Kafka Streams applications share: how they run, who owns what, and when they write.
 */
package dev.sluice.streams;
