/** The edge to Jetty: the handshake, and a Jetty session as a connection's wire. */
package dev.sluice.notifier.jetty;
