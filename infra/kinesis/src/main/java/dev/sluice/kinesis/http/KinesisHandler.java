package dev.sluice.kinesis.http;

import dev.sluice.kinesis.call.AnswerMemory;
import dev.sluice.kinesis.call.CallMeters;
import dev.sluice.kinesis.call.Operations;
import java.time.Clock;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;

/** Serves requests, as many at a time as there is room for. Thread-safe. */
final class KinesisHandler extends Handler.Abstract {
  /** Ten MiB of data in base64, as many keys as there can be, and their names. */
  static final int MAX_BODY = 15 << 20;

  final HttpSettings settings;
  final Operations operations;
  final Load load;
  final CallMeters meters;
  final AnswerMemory memory;

  /** Null if signatures aren't verified. */
  final SignatureVerifier signatures;

  /** Whose subscriptions last. */
  final Set<EventStream> streams = ConcurrentHashMap.newKeySet();

  KinesisHandler(
      HttpSettings settings,
      Operations operations,
      Clock clock,
      AnswerMemory memory,
      CallMeters meters) {
    this.settings = settings;
    this.operations = operations;
    this.load = new Load(settings);
    this.memory = memory;
    this.meters = meters;
    this.signatures =
        settings.keys().isEmpty() ? null : new SignatureVerifier(settings.keys(), "kinesis", clock);
  }

  @Override
  public boolean handle(Request request, Response response, Callback callback) {
    new Exchange(this, request, response, callback).begin();
    return true;
  }
}
