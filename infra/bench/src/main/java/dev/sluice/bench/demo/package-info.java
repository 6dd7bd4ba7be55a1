/**
 * A simulated on-sale: visitors who enter, wait, finish, vanish or leave, and a judge who looks at
 * Sluice from outside only.
 */
package dev.sluice.bench.demo;
