package dev.sluice.notifier;

import dev.sluice.identity.AdminRule;
import dev.sluice.identity.AdminRule.Verdict;
import dev.sluice.notifier.connection.Problem;
import dev.sluice.notifier.connection.Refusal;
import jakarta.servlet.http.HttpServletRequest;
import java.util.Collections;
import java.util.HashSet;
import org.springframework.http.HttpHeaders;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** Tells operators how push stands. */
@RestController
final class WebSocketStatusController {
  static final String PATH = "/api/v1/monitor/websocket/status";

  private final Notifier notifier;
  private final AdminRule admins;

  WebSocketStatusController(Notifier notifier, AdminRule admins) {
    this.notifier = notifier;
    this.admins = admins;
  }

  /**
   * How push stands in this process.
   *
   * @param people with a subscriber
   * @param rooms whose figures have a subscriber
   * @param outboxBytes waiting and in flight on all connections
   * @param opened connections, since the start, as all that follow
   * @param closed connections
   * @param sent frames
   * @param replaced last values that a newer one replaced before they left
   * @param errors ERROR frames
   * @param overflows connections ended because the client was too slow
   * @param silent connections ended because the client fell silent
   * @param refused handshakes, by reason
   */
  record Status(
      boolean accepting,
      int connections,
      long subscriptions,
      int people,
      int rooms,
      long outboxBytes,
      long opened,
      long closed,
      long sent,
      long replaced,
      long errors,
      long overflows,
      long silent,
      Refused refused) {}

  /** Handshakes refused since the start. */
  record Refused(long full, long rate, long notAccepting, long origin) {}

  @GetMapping(PATH)
  ResponseEntity<Object> status(HttpServletRequest request) {
    Verdict verdict =
        admins.judge(
            new AdminRule.Call(
                request.getRemoteAddr(),
                new HashSet<>(Collections.list(request.getHeaderNames())),
                request.getHeader(HttpHeaders.AUTHORIZATION),
                request.getHeader(HttpHeaders.HOST),
                request.getHeader(HttpHeaders.ORIGIN)));
    return verdict == Verdict.ALLOWED ? ResponseEntity.ok(status()) : refusal(verdict);
  }

  private Status status() {
    var counters = notifier.counters();
    return new Status(
        notifier.isAccepting(),
        notifier.connections().size(),
        notifier.connections().subscriptionCount(),
        notifier.table().peopleCount(),
        notifier.table().roomCount(),
        notifier.connections().outboxBytes(),
        counters.opened(),
        counters.closed(),
        counters.sent(),
        counters.replaced(),
        counters.errors(),
        counters.overflows(),
        counters.silent(),
        new Refused(
            counters.refused(Refusal.FULL),
            counters.refused(Refusal.RATE),
            counters.refused(Refusal.NOT_ACCEPTING),
            counters.refused(Refusal.ORIGIN)));
  }

  private static ResponseEntity<Object> refusal(Verdict verdict) {
    ResponseEntity.BodyBuilder response =
        ResponseEntity.status(verdict.status()).contentType(MediaType.APPLICATION_PROBLEM_JSON);
    if (verdict == Verdict.NO_TOKEN) {
      response.header(HttpHeaders.WWW_AUTHENTICATE, "Bearer");
    }
    return response.body(Problem.ofOperators(verdict).json(PATH));
  }
}
