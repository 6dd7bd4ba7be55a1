package dev.sluice.bench.demo;

/** The on-sale can't go on; the message says why, in words for the terminal. */
final class DemoFailure extends RuntimeException {
  private static final long serialVersionUID = 1L;

  DemoFailure(String message) {
    super(message);
  }
}
