/**
 * The optional link to Redis: marks of hot rooms for other systems, a short cache of feeds that
 * instances share, and a second way for admissions to the notifiers. Without it, or with it broken,
 * everything else works as it does.
 */
package dev.sluice.redis;
