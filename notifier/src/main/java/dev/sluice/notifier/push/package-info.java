/**
 * What is said to subscribers and when: outcomes as they happen, the present state on subscribing,
 * ranks and figures by period, news of rooms at the pace that their heat allows.
 */
package dev.sluice.notifier.push;
