package dev.sluice.notifier.connection;

import java.time.Duration;

/**
 * What one connection may take.
 *
 * @param frameBytes longest frame from the client
 * @param subscriptions at a time
 * @param frameRate frames a second from the client, with one second's worth at once
 * @param outboxBytes waiting and in flight
 * @param sendBufferBytes that the system may keep beyond those, on their way to the client
 * @param mustDeliver admissions and timeouts waiting
 * @param connectWithin from opening to the CONNECT frame
 * @param heartbeat offered and wanted; also how long a client may be silent before it is pinged
 * @param silence after which a client that doesn't even answer pings is gone
 * @param sendWithin from handing a parcel to the socket until it has left
 * @param closeWithin from closing until the socket is dropped
 */
public record ConnectionLimits(
    int frameBytes,
    int subscriptions,
    int frameRate,
    long outboxBytes,
    int sendBufferBytes,
    int mustDeliver,
    Duration connectWithin,
    Duration heartbeat,
    Duration silence,
    Duration sendWithin,
    Duration closeWithin) {}
