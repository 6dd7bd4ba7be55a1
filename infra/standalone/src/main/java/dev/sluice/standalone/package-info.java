/**
 * One program for every tier: which run in this process, where they listen, how they start and
 * stop.
 */
package dev.sluice.standalone;
