/** What the endpoint does when it is called. */
package dev.sluice.kinesis.call;
