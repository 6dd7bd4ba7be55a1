/**
 * The decisions of the waiting room: a deterministic machine that turns the commands of one
 * partition, in log order, into outcomes. Plain Java: no Kafka, no clock, no randomness.
 */
package dev.sluice.admission;
