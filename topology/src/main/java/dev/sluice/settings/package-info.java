/**
 * Settings that operators change while Sluice runs: which there are, what each allows, the gate
 * that accepts or refuses what is written, and the view of what is in force.
 */
package dev.sluice.settings;
