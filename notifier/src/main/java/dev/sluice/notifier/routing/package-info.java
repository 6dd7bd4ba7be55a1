/**
 * Who hears what: destinations, subscriptions with their version guards, and the table that finds
 * them by hash. Pure: no socket, no thread, no clock.
 */
package dev.sluice.notifier.routing;
