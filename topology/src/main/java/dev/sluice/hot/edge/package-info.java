/** Counting where events come in, in memory, at the speed of memory. */
package dev.sluice.hot.edge;
