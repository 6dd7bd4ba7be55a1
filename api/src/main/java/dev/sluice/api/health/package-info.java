/** Whether this process lives, and whether it may be sent people. */
package dev.sluice.api.health;
