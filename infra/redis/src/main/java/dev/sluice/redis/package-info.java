/**
 * The optional link to Redis: marks of hot rooms for other systems, and a short cache of feeds that
 * instances share. Without it, or with it broken, everything else works as it does.
 */
package dev.sluice.redis;
