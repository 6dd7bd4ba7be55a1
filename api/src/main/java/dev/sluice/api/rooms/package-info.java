/**
 * The calls on rooms: what happens in them, what was said, who comes and goes, and how busy they
 * are. {@link dev.sluice.api.rooms.RoomCalls} says what each call means, {@link
 * dev.sluice.api.rooms.JoinLimits} and {@link dev.sluice.api.rooms.FetchGate} how a hot one is
 * calmed; the servlet only carries them.
 */
package dev.sluice.api.rooms;
