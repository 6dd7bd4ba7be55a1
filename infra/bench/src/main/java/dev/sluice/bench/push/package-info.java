/** Push to ten thousand people: what it costs, how soon it arrives, and what disturbs it. */
package dev.sluice.bench.push;
