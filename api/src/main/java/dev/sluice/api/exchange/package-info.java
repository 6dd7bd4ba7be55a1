/**
 * How calls that a herd makes come in and are answered: asynchronous requests without a framework,
 * bounded in number and in bytes, on no thread while they wait.
 */
package dev.sluice.api.exchange;
