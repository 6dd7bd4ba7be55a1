package dev.sluice.api;

import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * What one instance of the API takes on ({@code sluice.api.*}).
 *
 * @param answerWithin how long an admission call waits for what its command did before the answer
 *     is PENDING; above the time the log itself may take
 * @param maxInFlight admission calls under way at once; above it they are refused with 503
 * @param maxRoomCalls calls on rooms under way at once; above it they are refused with 503
 * @param maxWaitingFetches fetches that wait in one room; above it they are refused with 503
 * @param hotReadInterval between two readings of a hot room at least
 */
@ConfigurationProperties("sluice.api")
public record ApiLimits(
    @DefaultValue("4s") Duration answerWithin,
    @DefaultValue("20000") int maxInFlight,
    @DefaultValue("20000") int maxRoomCalls,
    @DefaultValue("5000") int maxWaitingFetches,
    @DefaultValue("250ms") Duration hotReadInterval) {}
