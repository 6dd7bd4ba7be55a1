/** A real Kafka broker inside the JVM, so that Sluice runs on a machine that has no Kafka. */
package dev.sluice.broker;
