/** Counting rooms, and how soon a hot one is found. */
package dev.sluice.bench.hot;
