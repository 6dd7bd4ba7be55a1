/**
 * Who someone is: sessions (random values with an HMAC) and admission passes (signed tokens).
 * Shared by the tiers in front of the log; nothing here is written to a topic but a session's hash.
 */
package dev.sluice.identity;
