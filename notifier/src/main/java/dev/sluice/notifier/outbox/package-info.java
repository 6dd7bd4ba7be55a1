/** What waits to be sent to one connection, and what gives way when it can't be sent. Pure. */
package dev.sluice.notifier.outbox;
