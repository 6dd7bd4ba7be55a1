/** The edge to HTTP, on Jetty: limits, signatures, formats, events. */
package dev.sluice.kinesis.http;
