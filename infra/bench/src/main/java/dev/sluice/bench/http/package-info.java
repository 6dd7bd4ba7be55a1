/** Sends HTTP requests at high rates with one thread. */
package dev.sluice.bench.http;
