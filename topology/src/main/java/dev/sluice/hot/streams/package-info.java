/** Hot rooms on Kafka Streams: the owner of sums, its store and its verdicts. */
package dev.sluice.hot.streams;
