package dev.sluice.api.admission;

import dev.sluice.api.problem.Problem;
import dev.sluice.api.problem.ProblemException;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;
import jakarta.servlet.ReadListener;
import jakarta.servlet.ServletInputStream;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One asynchronous request: its bounded body is read as it arrives, and it is answered once,
 * whoever comes first. No thread waits for either.
 */
final class Exchange implements ReadListener, AsyncListener {
  /** Longest body, in bytes. */
  static final int MAX_BODY = 64 * 1024;

  private static final Logger LOG = LoggerFactory.getLogger(Exchange.class);
  private static final int FIRST_BUFFER = 512;

  private final HttpServletRequest request;
  private final HttpServletResponse response;
  private final AsyncContext async;
  private final Runnable afterwards;
  private final AtomicBoolean answered = new AtomicBoolean();
  private ServletInputStream input;
  private byte[] body = new byte[FIRST_BUFFER];
  private int length;
  private volatile boolean bodyRead;
  private OnBody onBody;

  /** What to do once the body is there. */
  @FunctionalInterface
  interface OnBody {
    void accept(byte[] body, int length);
  }

  /**
   * @param atMost until the request is given up
   * @param afterwards run once when it has been answered or given up
   */
  Exchange(
      HttpServletRequest request,
      HttpServletResponse response,
      Duration atMost,
      Runnable afterwards) {
    this.request = request;
    this.response = response;
    this.afterwards = afterwards;
    this.async = request.startAsync(request, response);
    async.setTimeout(atMost.toMillis());
    async.addListener(this);
  }

  /** Reads the body and hands it on, at once if all of it is there already. */
  void read(OnBody then) throws IOException {
    onBody = then;
    long declared = request.getContentLengthLong();
    if (declared > MAX_BODY) {
      refuse(Problem.ofStatus(413));
      return;
    }
    input = request.getInputStream();
    if (declared >= 0 && input.available() >= declared) {
      handOn(input.readNBytes((int) declared), (int) declared);
    } else {
      input.setReadListener(this);
    }
  }

  /** Answers with {@code problem}. */
  void refuse(Problem problem) {
    answer(() -> told(problem));
  }

  /** Answers what {@code answer} gives, unless that has been done. */
  void answer(Supplier<Answered> answer) {
    if (!answered.compareAndSet(false, true)) {
      return;
    }
    try {
      made(answer).writeTo(response);
    } catch (IOException | RuntimeException e) {
      // The caller has gone; there is no one to tell.
      LOG.debug("An answer could not be written", e);
    } finally {
      complete();
    }
  }

  @Override
  public void onDataAvailable() throws IOException {
    while (input.isReady() && !input.isFinished()) {
      if (length == body.length) {
        body = Arrays.copyOf(body, body.length * 2);
      }
      int read = input.read(body, length, body.length - length);
      if (read < 0) {
        return;
      }
      length += read;
      if (length > MAX_BODY) {
        refuse(Problem.ofStatus(413));
        return;
      }
    }
  }

  @Override
  public void onAllDataRead() {
    if (!answered.get()) {
      handOn(body, length);
    }
  }

  @Override
  public void onError(Throwable failure) {
    LOG.debug("A body did not arrive", failure);
    refuse(Problem.ofStatus(400));
  }

  @Override
  public void onTimeout(AsyncEvent event) {
    refuse(Problem.ofStatus(bodyRead ? 500 : 408));
  }

  @Override
  public void onError(AsyncEvent event) {
    if (answered.compareAndSet(false, true)) {
      complete();
    }
  }

  @Override
  public void onComplete(AsyncEvent event) {
    if (answered.compareAndSet(false, true)) {
      afterwards.run();
    }
  }

  @Override
  public void onStartAsync(AsyncEvent event) {}

  private void handOn(byte[] bytes, int count) {
    bodyRead = true;
    attempt(() -> onBody.accept(bytes, count));
  }

  /** Runs {@code step}; what it throws becomes the answer. */
  void attempt(Runnable step) {
    try {
      step.run();
    } catch (ProblemException e) {
      refuse(e.problem());
    } catch (RuntimeException e) {
      LOG.error("A call failed for no foreseen reason", e);
      refuse(Problem.ofStatus(500));
    }
  }

  private Answered made(Supplier<Answered> answer) {
    try {
      return answer.get();
    } catch (ProblemException e) {
      return told(e.problem());
    } catch (RuntimeException e) {
      LOG.error("An answer could not be made", e);
      return told(Problem.ofStatus(500));
    }
  }

  private Answered told(Problem problem) {
    return Answered.problem(problem, request.getRequestURI());
  }

  private void complete() {
    try {
      async.complete();
    } catch (IllegalStateException e) {
      LOG.debug("A request was completed already", e);
    } finally {
      afterwards.run();
    }
  }
}
