/** STOMP 1.2 as text and back: what a client's frames say, and what is said to it. Pure. */
package dev.sluice.notifier.stomp;
