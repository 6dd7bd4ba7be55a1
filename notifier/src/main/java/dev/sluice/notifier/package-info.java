/**
 * Push: STOMP over WebSocket to everyone who waits. {@link dev.sluice.notifier.Notifier} puts the
 * parts together; {@link dev.sluice.notifier.NotifierConfiguration} puts it into a Spring
 * application.
 */
package dev.sluice.notifier;
