package dev.sluice.api.exchange;

import dev.sluice.api.problem.Problem;
import dev.sluice.api.problem.ProblemException;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;
import jakarta.servlet.ReadListener;
import jakarta.servlet.ServletInputStream;
import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.WriteListener;
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
 * whoever comes first, as fast as the caller reads. No thread waits for any of it.
 */
public final class Exchange implements ReadListener, AsyncListener {
  /** Longest body, in bytes. */
  static final int MAX_BODY = 64 * 1024;

  /** How much more of one that is too long is read away, so that its sender hears the refusal. */
  private static final int MAX_DISCARDED = 1024 * 1024;

  private static final Logger LOG = LoggerFactory.getLogger(Exchange.class);
  private static final int FIRST_BUFFER = 512;
  private static final int WRITTEN_AT_ONCE = 32 * 1024;

  private final HttpServletRequest request;
  private final HttpServletResponse response;
  private final AsyncContext async;
  private final InFlight inFlight;
  private final AtomicBoolean answered = new AtomicBoolean();
  private final AtomicBoolean ended = new AtomicBoolean();
  private ServletInputStream input;
  private byte[] body = new byte[FIRST_BUFFER];
  private int length;
  private boolean isTooLong;
  private long discarded;
  private volatile boolean bodyRead;
  private volatile Runnable onEnd = () -> {};
  private OnBody onBody;

  /** What to do once the body is there. */
  @FunctionalInterface
  public interface OnBody {
    void accept(byte[] body, int length);
  }

  /**
   * @param atMost until the request is given up
   * @param inFlight where it has a place, which is given back when it has been answered or given up
   */
  Exchange(
      HttpServletRequest request,
      HttpServletResponse response,
      Duration atMost,
      InFlight inFlight) {
    this.request = request;
    this.response = response;
    this.inFlight = inFlight;
    this.async = request.startAsync(request, response);
    async.setTimeout(atMost.toMillis());
    async.addListener(this);
  }

  /** Reads the body and hands it on, at once if all of it is there already. */
  public void read(OnBody then) throws IOException {
    onBody = then;
    long declared = request.getContentLengthLong();
    if (declared > MAX_BODY + MAX_DISCARDED) {
      refuseUnread();
      return;
    }
    isTooLong = declared > MAX_BODY;
    input = request.getInputStream();
    if (!isTooLong && declared >= 0 && input.available() >= declared) {
      handOn(input.readNBytes((int) declared), (int) declared);
    } else {
      input.setReadListener(this);
    }
  }

  /** Its rest stays in the connection, so the caller is told that this won't be used again. */
  private void refuseUnread() {
    answer(
        () -> {
          response.setHeader("Connection", "close");
          return told(Problem.ofStatus(413));
        });
  }

  /** Answers with {@code problem}. */
  public void refuse(Problem problem) {
    answer(() -> told(problem));
  }

  /** Answers what {@code answer} gives, unless that has been done. */
  public void answer(Supplier<Answered> answer) {
    if (!answered.compareAndSet(false, true)) {
      return;
    }
    boolean isWritten = true;
    try {
      Answered made = made(answer);
      if (!made.isSmall() && !inFlight.beginWriting(made.body().length)) {
        made = told(Problem.ofStatus(503));
      }
      if (made.isSmall()) {
        made.writeTo(response);
      } else {
        new LargeBody(made).begin();
        isWritten = false;
      }
    } catch (IOException | RuntimeException e) {
      // The caller has gone; there is no one to tell.
      LOG.debug("An answer could not be written", e);
    } finally {
      if (isWritten) {
        end();
      }
    }
  }

  /** Written as far as the connection takes it at a time. */
  private final class LargeBody implements WriteListener {
    private final Answered made;
    private final AtomicBoolean given = new AtomicBoolean();
    private ServletOutputStream output;
    private int written;

    LargeBody(Answered made) {
      this.made = made;
    }

    void begin() throws IOException {
      try {
        made.begin(response);
        // So that a body cut short is seen to be one.
        response.setContentLength(made.body().length);
        onEnd = this::giveBack;
        output = response.getOutputStream();
        output.setWriteListener(this);
        if (ended.get()) {
          giveBack();
        }
      } catch (IOException | RuntimeException e) {
        giveBack();
        throw e;
      }
    }

    @Override
    public void onWritePossible() throws IOException {
      while (output.isReady()) {
        if (written == made.body().length) {
          end();
          return;
        }
        int count = Math.min(WRITTEN_AT_ONCE, made.body().length - written);
        output.write(made.body(), written, count);
        written += count;
      }
    }

    @Override
    public void onError(Throwable failure) {
      LOG.debug("A caller did not read its answer", failure);
      end();
    }

    private void giveBack() {
      if (given.compareAndSet(false, true)) {
        inFlight.endWriting(made.body().length);
      }
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
      isTooLong |= length > MAX_BODY;
      if (isTooLong) {
        discarded += length;
        length = 0;
        if (discarded > MAX_BODY + MAX_DISCARDED) {
          refuseUnread();
          return;
        }
      }
    }
  }

  @Override
  public void onAllDataRead() {
    if (isTooLong) {
      refuse(Problem.ofStatus(413));
    } else if (!answered.get()) {
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
    if (answered.get()) {
      end();
    } else {
      refuse(Problem.ofStatus(bodyRead ? 500 : 408));
    }
  }

  @Override
  public void onError(AsyncEvent event) {
    answered.set(true);
    end();
  }

  @Override
  public void onComplete(AsyncEvent event) {
    answered.set(true);
    release();
  }

  @Override
  public void onStartAsync(AsyncEvent event) {}

  private void handOn(byte[] bytes, int count) {
    bodyRead = true;
    attempt(() -> onBody.accept(bytes, count));
  }

  /** Runs {@code step}; what it throws becomes the answer. */
  public void attempt(Runnable step) {
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

  private void end() {
    try {
      async.complete();
    } catch (IllegalStateException e) {
      LOG.debug("A request was completed already", e);
    } finally {
      release();
    }
  }

  private void release() {
    if (ended.compareAndSet(false, true)) {
      inFlight.end();
      onEnd.run();
    }
  }
}
