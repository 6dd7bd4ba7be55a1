package dev.sluice.api.rooms;

import dev.sluice.api.problem.Problem;
import dev.sluice.api.problem.ProblemException;
import dev.sluice.api.problem.ProblemType;
import dev.sluice.api.rooms.RoomMeters.Call;
import dev.sluice.api.rooms.RoomMeters.Result;
import dev.sluice.contract.EventKind;
import dev.sluice.contract.Membership;
import dev.sluice.contract.Receipt;
import dev.sluice.contract.RoomEvent;
import dev.sluice.contract.SumMark;
import dev.sluice.hot.edge.EdgeCounters;
import dev.sluice.log.LogUnavailableException;
import dev.sluice.query.QueryException;
import dev.sluice.query.RoomQueries;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What each call on a room means: what it logs and counts, and what the caller is told, as JSON.
 * Its futures fail with {@link ProblemException}. Thread-safe; holds no thread while it waits.
 */
public final class RoomCalls {
  private static final Logger LOG = LoggerFactory.getLogger(RoomCalls.class);
  private static final int AWAY_RETRY_AFTER = 2;

  private final Log log;
  private final EdgeCounters counters;
  private final JoinLimits joins;
  private final Fetches fetches;
  private final RoomQueries queries;
  private final RoomMeters meters;
  private final Executor answerers;

  /** The way into the log. */
  public interface Log {
    /** As {@link dev.sluice.log.RoomLog#append(RoomEvent, SumMark)}. */
    CompletableFuture<Receipt> append(RoomEvent event, SumMark mark);

    /** As {@link dev.sluice.log.RoomLog#append(Membership)}. */
    CompletableFuture<Receipt> append(Membership membership);
  }

  /**
   * @param answerers make the answers: a log's or a stream's own thread has more to do
   */
  public RoomCalls(
      Log log,
      EdgeCounters counters,
      JoinLimits joins,
      Fetches fetches,
      RoomQueries queries,
      RoomMeters meters,
      Executor answerers) {
    this.log = log;
    this.counters = counters;
    this.joins = joins;
    this.fetches = fetches;
    this.queries = queries;
    this.meters = meters;
    this.answerers = answerers;
  }

  /** Logs an event, and counts it once it is in the log. */
  CompletableFuture<byte[]> event(RoomEvent event) {
    return measured(
        Call.EVENT,
        () -> {
          EdgeCounters.Place place =
              counters.reserve(event.roomId(), event.kind(), event.country(), event.app());
          return log.append(event, place == null ? null : place.mark())
              .thenApply(
                  receipt -> {
                    if (place != null) {
                      place.count();
                    }
                    return receipt;
                  })
              .thenApplyAsync(receipt -> RoomJson.cursor(receipt.offset()), answerers);
        });
  }

  /** What was said after a cursor; asking counts, also when there is no answer. */
  CompletableFuture<byte[]> fetch(String roomId, FetchQuery query) {
    return measured(
        Call.FETCH,
        () -> {
          counters.count(roomId, EventKind.FETCH, query.country(), query.app());
          return fetches.fetch(roomId, query.after(), query.upTo(), query.limit());
        });
  }

  /** Lets somebody in, if this instance may let in one more now. */
  CompletableFuture<byte[]> join(Membership membership) {
    return measured(
        Call.JOIN,
        () -> {
          String roomId = membership.roomId();
          JoinLimits.Verdict verdict = joins.take(roomId);
          if (!verdict.isAccepted()) {
            throw tooManyJoins(verdict);
          }
          return log.append(membership)
              .whenComplete(
                  (receipt, failure) -> {
                    if (failure == null) {
                      counters.count(
                          roomId, EventKind.JOIN, membership.country(), membership.app());
                    } else if (isCertainlyNotStored(failure)) {
                      joins.giveBack(roomId, verdict);
                    }
                  })
              .thenApplyAsync(receipt -> RoomJson.NOTHING, answerers);
        });
  }

  /** Lets somebody out. */
  CompletableFuture<byte[]> leave(Membership membership) {
    return measured(
        Call.LEAVE,
        () -> log.append(membership).thenApplyAsync(receipt -> RoomJson.NOTHING, answerers));
  }

  /** How busy a room is, and who is in it. */
  CompletableFuture<byte[]> room(String roomId) {
    return measured(
        Call.ROOM,
        () ->
            queries
                .heat(roomId)
                .thenCombineAsync(queries.members(roomId), RoomJson::room, answerers));
  }

  /** The hot rooms, hottest first. */
  CompletableFuture<byte[]> hot() {
    return measured(Call.HOT, () -> queries.hot().thenApplyAsync(RoomJson::hot, answerers));
  }

  private CompletableFuture<byte[]> measured(Call call, Supplier<CompletableFuture<byte[]>> work) {
    long begun = System.nanoTime();
    CompletableFuture<byte[]> answer;
    try {
      answer = work.get();
    } catch (RuntimeException e) {
      answer = CompletableFuture.failedFuture(e);
    }
    return answer.handle(
        (body, failure) -> {
          if (failure == null) {
            meters.ended(call, Result.DONE, System.nanoTime() - begun);
            return body;
          }
          ProblemException problem = problemOf(call, cause(failure));
          meters.ended(call, resultOf(problem.problem().type()), System.nanoTime() - begun);
          throw problem;
        });
  }

  private static Result resultOf(ProblemType type) {
    return switch (type) {
      case JOIN_LIMIT, BUSY -> Result.REFUSED;
      case LOG_AWAY, STATE_AWAY -> Result.AWAY;
      case MAY_BE_STORED -> Result.UNSURE;
      default -> Result.FAILED;
    };
  }

  private static ProblemException problemOf(Call call, Throwable cause) {
    if (cause instanceof ProblemException problem) {
      return problem;
    }
    if (cause instanceof LogUnavailableException away) {
      return away.mayBeStored()
          ? Problem.passing(
                  ProblemType.MAY_BE_STORED,
                  "The log didn't confirm this in time; it may be stored all the same.",
                  AWAY_RETRY_AFTER)
              .asException()
          : Problem.passing(
                  ProblemType.LOG_AWAY,
                  "The log can't be written to now; nothing was stored.",
                  AWAY_RETRY_AFTER)
              .asException();
    }
    if (cause instanceof QueryException) {
      return Problem.passing(
              ProblemType.STATE_AWAY,
              "The state of this room can't be read for sure now.",
              AWAY_RETRY_AFTER)
          .asException();
    }
    LOG.error("A call on a room failed for no foreseen reason: {}", call, cause);
    return Problem.ofStatus(500).asException();
  }

  private static ProblemException tooManyJoins(JoinLimits.Verdict verdict) {
    long millis = verdict.retryAfterMillis();
    return Problem.passing(
            ProblemType.JOIN_LIMIT,
            "No more than %d people may join this room here in %d s; the next can in %d ms."
                .formatted(verdict.threshold(), verdict.windowSeconds(), millis),
            (int) ((millis + 999) / 1000))
        .asException();
  }

  private static boolean isCertainlyNotStored(Throwable failure) {
    return cause(failure) instanceof LogUnavailableException away && !away.mayBeStored();
  }

  private static Throwable cause(Throwable failure) {
    return failure instanceof CompletionException && failure.getCause() != null
        ? failure.getCause()
        : failure;
  }
}
