package dev.sluice.notifier.connection;

import dev.sluice.identity.AdminRule;

/**
 * What came with the handshake of a connection.
 *
 * @param sessionToken of the cookie, or null
 * @param call by which it is judged whether an operator makes it
 */
public record Handshake(String sessionToken, AdminRule.Call call) {}
