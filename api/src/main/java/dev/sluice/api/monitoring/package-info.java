/** How busy the rooms are, how that goes on, and what to do about it. */
package dev.sluice.api.monitoring;
