package dev.sluice.kinesis.http;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.kinesis.call.Caller;
import dev.sluice.kinesis.call.Operation;
import dev.sluice.kinesis.call.Subscription;
import dev.sluice.kinesis.shard.ErrorType;
import dev.sluice.kinesis.shard.KinesisException;
import dev.sluice.kinesis.wire.Action;
import dev.sluice.kinesis.wire.Answer;
import dev.sluice.kinesis.wire.Format;
import dev.sluice.kinesis.wire.Input;
import dev.sluice.kinesis.wire.MalformedBodyException;
import dev.sluice.kinesis.wire.Validation;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.NanoTime;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One request and its answer. Looks at the request in AWS's order: the method, the content type,
 * whether the body parses, the operation, who signed it, whether what it asks is valid.
 */
final class Exchange {
  private static final Logger LOG = LoggerFactory.getLogger(Exchange.class);
  private static final String TARGET = "Kinesis_20131202.";
  private static final int FIRST_BYTES = 64 << 10;
  private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);
  private static final Base64.Encoder BASE64 = Base64.getEncoder();

  private final KinesisHandler handler;
  private final Request request;
  private final Response response;
  private final Callback callback;
  private final String id = UUID.randomUUID().toString();
  private final long began = NanoTime.now();

  /** Whether it has a place among the requests under way. */
  private final AtomicBoolean underWay = new AtomicBoolean();

  /** Null until it is known. */
  private Action action;

  /** Null until it is known. */
  private Caller caller;

  private Format format;
  private byte[] body = new byte[0];
  private int length;

  /** How much memory it has taken. */
  private int taken;

  Exchange(KinesisHandler handler, Request request, Response response, Callback callback) {
    this.handler = handler;
    this.request = request;
    this.response = response;
    this.callback = callback;
  }

  void begin() {
    byte[] random = new byte[72];
    ThreadLocalRandom.current().nextBytes(random);
    response.getHeaders().add("x-amzn-RequestId", id);
    response.getHeaders().add("x-amz-id-2", BASE64.encodeToString(random));
    format = Format.of(request.getHeaders().get(HttpHeader.CONTENT_TYPE));
    Request.addCompletionListener(request, failure -> ended());
    if (!handler.load.beginRequest()) {
      refuse(ErrorType.SERVICE_UNAVAILABLE, "Too many requests are under way. Try again.");
      return;
    }
    underWay.set(true);
    // A page in somebody's browser could otherwise use what listens on loopback.
    if (!request.getMethod().equals("POST")
        || (handler.signatures == null && request.getHeaders().contains(HttpHeader.ORIGIN))) {
      refuseWithoutFormat();
      return;
    }
    if (format == null) {
      String target = request.getHeaders().get("X-Amz-Target");
      if (target == null || target.indexOf('.') < 0) {
        refuseWithoutFormat();
      } else {
        write(404, null, ByteBuffer.wrap("<UnknownOperationException/>\n".getBytes(UTF_8)));
      }
      return;
    }
    if (request.getLength() > KinesisHandler.MAX_BODY) {
      refuseTooLarge();
      return;
    }
    read();
  }

  private void ended() {
    endRequest();
    handler.load.release(taken);
    taken = 0;
    if (caller != null) {
      handler.memory.release(caller.held());
    }
  }

  private void endRequest() {
    if (underWay.compareAndSet(true, false)) {
      handler.load.endRequest();
    }
  }

  /** Reads what is there of the body; called again when there is more. */
  private void read() {
    while (true) {
      Content.Chunk chunk = request.read();
      if (chunk == null) {
        request.demand(this::read);
        return;
      }
      if (Content.Chunk.isFailure(chunk)) {
        abandon();
        return;
      }
      boolean last = chunk.isLast();
      boolean goesOn = append(chunk.getByteBuffer());
      chunk.release();
      if (!goesOn) {
        return;
      }
      if (last) {
        serve(ByteBuffer.wrap(body, 0, length));
        return;
      }
      if (NanoTime.since(began) > handler.settings.body().toNanos()) {
        abandon();
        return;
      }
    }
  }

  /** False if there was no room for it, and that has been said. */
  private boolean append(ByteBuffer bytes) {
    int needed = length + bytes.remaining();
    if (needed > KinesisHandler.MAX_BODY) {
      refuseTooLarge();
      return false;
    }
    if (needed > body.length) {
      // As much as is announced, but what is announced and doesn't come takes no memory.
      long announced = Math.max(request.getLength(), 0);
      int size = (int) Math.max(needed, Math.min(announced, Math.max(FIRST_BYTES, 2L * length)));
      if (announced < needed) {
        size = Math.max(needed, Math.min(KinesisHandler.MAX_BODY, Math.max(4096, 2 * length)));
      }
      if (size <= FIRST_BYTES) {
        handler.load.occupy(size - taken);
      } else if (!handler.load.take(size - taken)) {
        refuse(ErrorType.SERVICE_UNAVAILABLE, "Too much is under way. Try again.");
        return false;
      }
      taken = size;
      body = Arrays.copyOf(body, size);
    }
    bytes.get(body, length, bytes.remaining());
    length = needed;
    return true;
  }

  private void serve(ByteBuffer content) {
    try {
      action = action();
      serveAction(content);
    } catch (MalformedBodyException e) {
      refuse(ErrorType.SERIALIZATION, null);
    } catch (KinesisException e) {
      refuse(e.type(), e.getMessage());
    } catch (RuntimeException e) {
      fail(e);
    }
  }

  /** Null if there is no such. */
  private Action action() {
    String target = request.getHeaders().get("X-Amz-Target");
    return target != null && target.startsWith(TARGET)
        ? Action.titled(target.substring(TARGET.length()))
        : null;
  }

  private void serveAction(ByteBuffer content) throws MalformedBodyException {
    if (action == null) {
      if (content.hasRemaining()) {
        format.skim(content);
      }
      throw new KinesisException(ErrorType.UNKNOWN_OPERATION, null);
    }
    Input input = null;
    KinesisException wrongType = null;
    try {
      input = format.read(action, content);
    } catch (KinesisException e) {
      wrongType = e;
    }
    String accessKey = authenticate(content);
    if (wrongType != null) {
      throw wrongType;
    }
    Validation.check(input);
    caller = new Caller(id, accessKey);
    if (action == Action.SUBSCRIBE_TO_SHARD) {
      subscribe(input);
    } else {
      call(input);
    }
  }

  private String authenticate(ByteBuffer content) {
    SignedRequest signed =
        new SignedRequest(
            request.getMethod(),
            request.getHttpURI().getPath(),
            request.getHttpURI().getQuery(),
            new RequestHeaders(request),
            content);
    Authentication authentication = Authentication.of(signed);
    return handler.signatures == null ? null : handler.signatures.verify(signed, authentication);
  }

  private void call(Input input) {
    Operation operation = handler.operations.of(action);
    if (operation == null) {
      throw new KinesisException(ErrorType.UNKNOWN_OPERATION, null);
    }
    answer(
        operation.call(input, caller),
        answer -> {
          answered(null);
          ByteBuffer bytes = answer == Answer.NOTHING ? NOTHING : format.write(answer);
          write(200, format.contentType(), bytes);
        });
  }

  private void subscribe(Input input) {
    if (!handler.load.beginSubscription()) {
      throw new KinesisException(
          ErrorType.LIMIT_EXCEEDED, "Too many subscriptions are under way here.");
    }
    CompletableFuture<Subscription> begun;
    try {
      begun = handler.operations.subscribe().subscribe(input, caller);
    } catch (RuntimeException e) {
      handler.load.endSubscription();
      throw e;
    }
    answer(
        begun.whenComplete(
            (subscription, failure) -> {
              if (failure != null) {
                handler.load.endSubscription();
              }
            }),
        this::stream);
  }

  private void stream(Subscription subscription) {
    endRequest();
    answered(null);
    response.setStatus(200);
    response.getHeaders().put(HttpHeader.CONTENT_TYPE, EventFrame.CONTENT_TYPE);
    EventStream stream =
        new EventStream(
            subscription, response, Callback.from(callback, handler.load::endSubscription));
    handler.streams.add(stream);
    Request.addCompletionListener(request, failure -> handler.streams.remove(stream));
    request.addFailureListener(stream::abort);
    stream.iterate();
  }

  /** Does {@code then} with a result, or says why there is none. */
  private <T> void answer(CompletableFuture<T> result, Consumer<T> then) {
    var unused =
        result.whenComplete(
            (value, failure) -> {
              try {
                if (failure == null) {
                  then.accept(value);
                  return;
                }
                Throwable cause =
                    failure instanceof CompletionException && failure.getCause() != null
                        ? failure.getCause()
                        : failure;
                if (cause instanceof KinesisException refusal) {
                  refuse(refusal.type(), refusal.getMessage());
                } else {
                  fail(cause);
                }
              } catch (RuntimeException e) {
                fail(e);
              }
            });
  }

  private void fail(Throwable cause) {
    LOG.error("{} failed, request {}", action, id, cause);
    if (!response.isCommitted()) {
      refuse(ErrorType.INTERNAL_FAILURE, null);
    } else {
      callback.failed(cause);
    }
  }

  private void answered(ErrorType refusal) {
    if (action != null) {
      handler.meters.answered(action, caller, refusal, NanoTime.since(began));
    }
  }

  private void refuse(ErrorType type, String message) {
    answered(type);
    Format answered = format == null ? Format.JSON : format;
    write(type.status(), answered.contentType(), answered.write(type, message));
  }

  private void refuseTooLarge() {
    refuse(
        ErrorType.REQUEST_ENTITY_TOO_LARGE,
        "Request must be smaller than " + KinesisHandler.MAX_BODY + " bytes.");
  }

  /** As AWS answers what isn't of its protocol. */
  private void refuseWithoutFormat() {
    String xml =
        """
        <AccessDeniedException>
          <Message>Unable to determine service/operation name to be authorized</Message>
        </AccessDeniedException>
        """;
    write(403, null, ByteBuffer.wrap(xml.getBytes(UTF_8)));
  }

  /** The body doesn't come, or not in time. */
  private void abandon() {
    response.getHeaders().put(HttpFields.CONNECTION_CLOSE);
    write(408, null, NOTHING);
  }

  private void write(int status, String contentType, ByteBuffer bytes) {
    response.setStatus(status);
    if (contentType != null) {
      response.getHeaders().put(HttpHeader.CONTENT_TYPE, contentType);
    }
    response.getHeaders().put(HttpHeader.CONTENT_LENGTH, bytes.remaining());
    response.write(true, bytes.slice(), callback);
  }

  /** As signatures name them. */
  private record RequestHeaders(Request request) implements SignedRequest.Headers {
    @Override
    public List<String> values(String name) {
      List<String> values = request.getHeaders().getValuesList(name);
      boolean isAuthority = name.equals("host") || name.equals(":authority");
      return values.isEmpty() && isAuthority
          ? List.of(request.getHttpURI().getAuthority())
          : values;
    }

    @Override
    public Iterable<String> names() {
      List<String> names = new ArrayList<>();
      for (HttpField field : request.getHeaders()) {
        names.add(field.getName().toLowerCase(Locale.ROOT));
      }
      return names;
    }
  }
}
