/**
 * What is written to and read from Kafka: commands, outcomes, identifiers and topics. Everything
 * else in Sluice, and anyone outside, may depend on this package; it depends on nothing of Sluice.
 */
package dev.sluice.contract;
