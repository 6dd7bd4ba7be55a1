/** What can go wrong over REST, in words, and how every edge of the container says it. */
package dev.sluice.api.problem;
