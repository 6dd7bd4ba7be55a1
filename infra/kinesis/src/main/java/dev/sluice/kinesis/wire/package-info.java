/**
 * What goes over the wire, without the wire: the actions and what each takes, requests and answers
 * in JSON and CBOR, validation in AWS's words, names of resources.
 */
package dev.sluice.kinesis.wire;
