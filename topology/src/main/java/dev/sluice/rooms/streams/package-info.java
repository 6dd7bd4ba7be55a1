/** The rooms application: its topology, its processors and its store. */
package dev.sluice.rooms.streams;
