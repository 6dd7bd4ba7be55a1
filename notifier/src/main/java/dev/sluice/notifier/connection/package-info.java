/**
 * One STOMP connection and all of them: what a client may do, how long it may be silent, how it is
 * sent to and let go. Knows no container.
 */
package dev.sluice.notifier.connection;
