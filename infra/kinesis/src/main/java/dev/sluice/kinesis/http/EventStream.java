package dev.sluice.kinesis.http;

import dev.sluice.kinesis.call.Subscription;
import dev.sluice.kinesis.shard.ErrorType;
import dev.sluice.kinesis.shard.KinesisException;
import dev.sluice.kinesis.wire.Answer;
import dev.sluice.kinesis.wire.Format;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.IteratingCallback;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes the events of a subscription as frames. One write is under way at a time, and the next
 * event is asked for only then. Begins, and goes on, with {@link #iterate}.
 */
final class EventStream extends IteratingCallback {
  private static final Logger LOG = LoggerFactory.getLogger(EventStream.class);
  private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

  private final Subscription subscription;
  private final Response response;
  private final Callback ended;
  private final AtomicBoolean closed = new AtomicBoolean();
  private boolean begun;
  private boolean last;

  /** The event that is awaited; null if it is to be asked for. */
  private CompletableFuture<Answer> awaited;

  /**
   * @param ended hears when all is written or the client has gone
   */
  EventStream(Subscription subscription, Response response, Callback ended) {
    this.subscription = subscription;
    this.response = response;
    this.ended = ended;
  }

  @Override
  protected Action process() {
    if (last) {
      return Action.SUCCEEDED;
    }
    if (!begun) {
      begun = true;
      return write(EventFrame.initialResponse());
    }
    if (awaited == null) {
      awaited = next();
      if (!awaited.isDone()) {
        var unused = awaited.whenComplete((event, failure) -> iterate());
        return Action.IDLE;
      }
    } else if (!awaited.isDone()) {
      return Action.IDLE;
    }
    CompletableFuture<Answer> done = awaited;
    awaited = null;
    return write(frame(done));
  }

  private CompletableFuture<Answer> next() {
    try {
      return subscription.next();
    } catch (RuntimeException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  /** What is to be written of an event that has come, or hasn't; empty at the end. */
  private ByteBuffer frame(CompletableFuture<Answer> done) {
    try {
      Answer event = done.join();
      if (event != null) {
        return EventFrame.event("SubscribeToShardEvent", Format.JSON.write(event));
      }
      last = true;
      return NOTHING.slice();
    } catch (RuntimeException e) {
      last = true;
      return exception(e);
    }
  }

  private static ByteBuffer exception(RuntimeException e) {
    Throwable cause = e instanceof CompletionException && e.getCause() != null ? e.getCause() : e;
    String message = cause.getMessage();
    String type = "InternalFailureException";
    if (cause instanceof KinesisException refusal) {
      if (refusal.type() != ErrorType.INTERNAL_FAILURE) {
        type = refusal.type().text();
      }
    } else {
      LOG.error("a subscription failed", cause);
      message = null;
    }
    String said = message;
    return EventFrame.exception(type, Format.JSON.write(out -> out.text("message", said)));
  }

  private Action write(ByteBuffer frame) {
    response.write(last, frame, this);
    return Action.SCHEDULED;
  }

  @Override
  protected void onSuccess() {
    // Each write; the next step is taken by process().
  }

  @Override
  protected void onCompleteSuccess() {
    close(null);
  }

  @Override
  protected void onCompleteFailure(Throwable cause) {
    close(cause);
  }

  @Override
  protected void onAborted(Throwable cause) {
    // What is being written may never be; nobody must wait for it.
    close(cause);
  }

  private void close(Throwable cause) {
    if (closed.compareAndSet(false, true)) {
      try {
        subscription.close();
      } finally {
        if (cause == null) {
          ended.succeeded();
        } else {
          ended.failed(cause);
        }
      }
    }
  }
}
