/**
 * REST: admission, admin, monitoring, health. Keeps no state of its own; what it answers comes from
 * the log and from queries.
 */
package dev.sluice.api;
