/**
 * Interactive queries: what the tiers in front may ask of the topology's state, and how an owner
 * answers, in the same process or another.
 */
package dev.sluice.query;
