/**
 * What is said to subscribers and when: outcomes as they happen, the present state on subscribing,
 * ranks and figures by period.
 */
package dev.sluice.notifier.push;
