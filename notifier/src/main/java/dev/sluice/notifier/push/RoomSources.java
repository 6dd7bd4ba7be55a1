package dev.sluice.notifier.push;

import dev.sluice.hot.HotRooms;
import dev.sluice.query.RoomQueries;
import dev.sluice.settings.SettingsView;
import java.util.function.Supplier;

/**
 * What the pushes of rooms are made of.
 *
 * @param settings those in force now
 * @param audiences hears how many follow each room here
 */
public record RoomSources(
    RoomQueries queries,
    LiveRoomEvents events,
    HotRooms hotRooms,
    Supplier<SettingsView> settings,
    AudienceWriter audiences) {}
