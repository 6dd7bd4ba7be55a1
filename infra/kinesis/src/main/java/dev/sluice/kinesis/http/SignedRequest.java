package dev.sluice.kinesis.http;

import java.nio.ByteBuffer;
import java.util.List;

/**
 * What of a request its signature covers.
 *
 * @param path as it was sent
 * @param query as it was sent; null if there was none
 */
record SignedRequest(String method, String path, String query, Headers headers, ByteBuffer body) {

  /** A request's headers. */
  interface Headers {
    /** All values of a header, whose name has small letters; empty if there is none. */
    List<String> values(String name);

    /** The names of all, in small letters. */
    Iterable<String> names();
  }
}
