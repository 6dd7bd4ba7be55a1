package dev.sluice.api.admission;

import dev.sluice.api.problem.Problem;
import dev.sluice.api.problem.ProblemType;
import dev.sluice.contract.Command;
import dev.sluice.contract.PersonStatus;
import dev.sluice.contract.Receipt;
import dev.sluice.identity.Session;
import dev.sluice.log.LogUnavailableException;
import dev.sluice.query.AdmissionQueries;
import dev.sluice.query.Answer;
import dev.sluice.query.PersonView;
import dev.sluice.query.QueryException;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.LongFunction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What each admission call means: the command it appends, and what the caller is told of the
 * command's answer. Thread-safe; holds no thread while it waits. Its futures never fail.
 */
public final class AdmissionCalls {
  private static final Logger LOG = LoggerFactory.getLogger(AdmissionCalls.class);

  /** The time of a receipt of which only the offset is known. */
  private static final long UNKNOWN_TIME = -1;

  private static final int PLACES_RETRY_AFTER = 5;
  private static final int AWAY_RETRY_AFTER = 2;

  /** How long nothing more is appended for a partition that was found to be halted. */
  private static final long HALTED_NANOS = TimeUnit.SECONDS.toNanos(2);

  private static final long FIRST_PAUSE_MILLIS = 20;
  private static final long LONGEST_PAUSE_MILLIS = 250;

  private final Entries entries;
  private final AdmissionQueries queries;
  private final AdmissionMeters meters;
  private final Duration answerWithin;

  /** Until when ({@link System#nanoTime}) nothing is sent to partitions found to be halted. */
  private final Map<Integer, Long> halted = new ConcurrentHashMap<>();

  /** The way into the log. */
  @FunctionalInterface
  public interface Entries {
    /** As {@link dev.sluice.log.CommandLog#append}. */
    CompletableFuture<Receipt> append(int partition, String roomId, Command command);
  }

  /**
   * @param answerWithin how long a caller waits for what the command did before the answer is
   *     PENDING; longer than the log itself may take
   */
  public AdmissionCalls(
      Entries entries, AdmissionQueries queries, AdmissionMeters meters, Duration answerWithin) {
    this.entries = entries;
    this.queries = queries;
    this.meters = meters;
    this.answerWithin = answerWithin;
  }

  /** Enters a room, or finds the place already held there. */
  CompletableFuture<Reply> enter(PersonName name, Session session) {
    Call call = new Call(name, session);
    Command.Enter command = new Command.Enter(name.roomId(), name.requestId(), session.hash());
    return call.append(command, call::entered).whenComplete((reply, e) -> meters.entered(reply));
  }

  /**
   * Where a person stands.
   *
   * @param leastOffset of the command that the answer must reflect, or {@link AdmissionQueries#ANY}
   */
  CompletableFuture<Reply> status(PersonName name, Session session, long leastOffset) {
    Call call = new Call(name, session);
    return call.person(leastOffset)
        .thenApply(person -> call.ifOwned(person, found -> new Reply.Found(200, found)))
        .exceptionally(
            failure ->
                leastOffset == AdmissionQueries.ANY || !(cause(failure) instanceof QueryException)
                    ? noState(failure)
                    : new Reply.Pending(
                        200,
                        name,
                        call.partition,
                        new Receipt(call.partition, leastOffset, UNKNOWN_TIME)));
  }

  /** Renews an admitted person's place. */
  CompletableFuture<Reply> heartbeat(PersonName name, Session session) {
    Call call = new Call(name, session);
    return call.withOwned(
        person ->
            person.status() == PersonStatus.ADMITTED
                ? call.append(
                    new Command.Heartbeat(name.roomId(), name.requestId(), person.ticket()),
                    (answer, receipt) -> call.afterwards(answer, receipt, AdmissionCalls::renewed))
                : done(renewed(person)));
  }

  /** Ends an admitted person's place, successfully. */
  CompletableFuture<Reply> complete(PersonName name, Session session) {
    Call call = new Call(name, session);
    return call.withOwned(
        person ->
            person.status() == PersonStatus.ADMITTED
                ? call.append(
                    new Command.Complete(name.roomId(), name.requestId(), person.ticket()),
                    (answer, receipt) ->
                        call.afterwards(answer, receipt, AdmissionCalls::completed))
                : done(completed(person)));
  }

  /** Gives up a place, waiting or active. */
  CompletableFuture<Reply> leave(PersonName name, Session session) {
    Call call = new Call(name, session);
    return call.withOwned(
        person ->
            person.status().isLive()
                ? call.append(
                    new Command.Leave(name.roomId(), name.requestId(), person.ticket()),
                    (answer, receipt) -> call.afterwards(answer, receipt, AdmissionCalls::left))
                : done(left(person)));
  }

  private static Reply renewed(PersonView person) {
    return person.status().isLive() ? new Reply.Found(200, person) : refuse(ended(person));
  }

  private static Reply completed(PersonView person) {
    return switch (person.status()) {
      case COMPLETED -> new Reply.Found(200, person);
      case WAITING ->
          refuse(
              Problem.of(
                  ProblemType.STILL_WAITING,
                  "This person is still waiting and has nothing to complete."));
      // Only another place than the one to be completed can be active now.
      case ADMITTED, LEFT, EXPIRED -> refuse(ended(person));
    };
  }

  private static Reply left(PersonView person) {
    return new Reply.Found(200, person);
  }

  private static Problem ended(PersonView person) {
    String detail =
        switch (person.status()) {
          case COMPLETED -> "This person's stay has been completed.";
          case LEFT -> "This person has left.";
          case EXPIRED -> "This person's place has expired.";
          case WAITING, ADMITTED -> "The place that was meant has ended.";
        };
    return Problem.of(ProblemType.PLACE_ENDED, detail);
  }

  private static Reply refuse(Problem problem) {
    return new Reply.Refused(problem);
  }

  private static CompletableFuture<Reply> done(Reply reply) {
    return CompletableFuture.completedFuture(reply);
  }

  private static Reply notYours() {
    return refuse(Problem.of(ProblemType.NOT_YOURS, "This person belongs to another session."));
  }

  private static Reply unknown() {
    return refuse(
        Problem.of(
            ProblemType.NEVER_ENTERED,
            "Nobody of this requestId has entered this room, or it was too long ago."));
  }

  /** A question that changes nothing has no sure answer now. */
  private static Reply noState(Throwable failure) {
    if (!(cause(failure) instanceof QueryException)) {
      return broken(failure);
    }
    return refuse(
        Problem.passing(
            ProblemType.STATE_AWAY,
            "The state of this room can't be read for sure now.",
            AWAY_RETRY_AFTER));
  }

  private static Reply broken(Throwable failure) {
    LOG.error("An admission call failed for no foreseen reason", failure);
    return refuse(Problem.ofStatus(500));
  }

  private static Throwable cause(Throwable failure) {
    return failure instanceof CompletionException && failure.getCause() != null
        ? failure.getCause()
        : failure;
  }

  /** One call under way: whom it is about, who asks, and until when. */
  private final class Call {
    private final PersonName name;
    private final Session session;
    private final int partition;
    private final long begun = System.nanoTime();

    Call(PersonName name, Session session) {
      this.name = name;
      this.session = session;
      this.partition = queries.partitionOf(name.roomId());
    }

    /** Appends {@code command} and says what {@code judge} makes of its answer, or PENDING. */
    CompletableFuture<Reply> append(
        Command command, BiFunction<Answer, Receipt, CompletableFuture<Reply>> judge) {
      if (isHalted()) {
        return done(
            refuse(
                Problem.passing(
                    ProblemType.STATE_AWAY,
                    "The rooms of this partition are halted; nothing was stored.",
                    AWAY_RETRY_AFTER)));
      }
      return entries
          .append(partition, name.roomId(), command)
          .thenCompose(receipt -> answer(receipt, judge))
          .exceptionally(this::notAppended);
    }

    /** Never fails, so that a failure of the append can be told from one afterwards. */
    private CompletableFuture<Reply> answer(
        Receipt receipt, BiFunction<Answer, Receipt, CompletableFuture<Reply>> judge) {
      return persistently(
              atMost -> queries.await(partition, receipt.offset(), Duration.ofNanos(atMost)), 0)
          .thenCompose(
              answer -> {
                meters.decided(System.nanoTime() - begun);
                return judge.apply(answer, receipt);
              })
          .exceptionally(failure -> pending(receipt, failure));
    }

    private Reply notAppended(Throwable failure) {
      if (!(cause(failure) instanceof LogUnavailableException unavailable)) {
        return broken(failure);
      }
      return unavailable.mayBeStored()
          ? new Reply.Pending(202, name, partition, null)
          : refuse(
              Problem.passing(
                  ProblemType.LOG_AWAY,
                  "The log can't be written to now; nothing was stored.",
                  AWAY_RETRY_AFTER));
    }

    /** It is in the log, so whatever goes wrong now, the answer isn't no. */
    private Reply pending(Receipt receipt, Throwable failure) {
      if (!(cause(failure) instanceof QueryException query)) {
        LOG.error("The answer of a command was lost for no foreseen reason", failure);
      } else if (query.kind() == QueryException.Kind.HALTED) {
        halted.put(partition, System.nanoTime() + HALTED_NANOS);
      }
      return pending(receipt);
    }

    private boolean isHalted() {
      Long until = halted.get(partition);
      return until != null && until - System.nanoTime() > 0;
    }

    private Reply pending(Receipt receipt) {
      return new Reply.Pending(202, name, partition, receipt);
    }

    CompletableFuture<Reply> entered(Answer answer, Receipt receipt) {
      return switch (answer.result()) {
        case DONE ->
            afterwards(answer, receipt, this::place)
                .thenApply(reply -> isUnknown(reply) ? pending(receipt) : reply);
        case NOT_YOURS -> done(notYours());
        case ROOM_CLOSED ->
            done(refuse(Problem.of(ProblemType.ROOM_CLOSED, "This room is closed.")));
        case ROOM_DRAINING ->
            done(
                refuse(
                    Problem.of(ProblemType.ROOM_DRAINING, "This room takes nobody new any more.")));
        case TOO_MANY_PLACES ->
            done(
                refuse(
                    Problem.passing(
                        ProblemType.TOO_MANY_PLACES,
                        "This session holds as many places in this room as it may.",
                        PLACES_RETRY_AFTER)));
        case NOT_THAT_PLACE, UNKNOWN_PERSON, INVALID -> {
          LOG.error("An entry was answered with {}: {}", answer.result(), answer.detail());
          yield done(refuse(Problem.ofStatus(500)));
        }
      };
    }

    /** The entry was applied and the owner no longer knows to what effect. */
    private boolean isUnknown(Reply reply) {
      return reply instanceof Reply.Refused refused
          && refused.problem().type() == ProblemType.NEVER_ENTERED;
    }

    private Reply place(PersonView person) {
      return new Reply.Found(person.status() == PersonStatus.WAITING ? 202 : 200, person);
    }

    /** What {@code judge} makes of the person as they stand after the command. */
    CompletableFuture<Reply> afterwards(
        Answer answer, Receipt receipt, Function<PersonView, Reply> judge) {
      if (answer.person() != null) {
        return done(ifOwned(Optional.of(answer.person()), judge));
      }
      return person(receipt.offset()).thenApply(person -> ifOwned(person, judge));
    }

    /** What {@code next} does with the person, if there is one and they are the session's. */
    CompletableFuture<Reply> withOwned(Function<PersonView, CompletableFuture<Reply>> next) {
      return person(AdmissionQueries.ANY)
          .thenCompose(
              person -> {
                if (person.isEmpty()) {
                  return done(unknown());
                }
                return owns(person.get()) ? next.apply(person.get()) : done(notYours());
              })
          .exceptionally(AdmissionCalls::noState);
    }

    Reply ifOwned(Optional<PersonView> person, Function<PersonView, Reply> next) {
      if (person.isEmpty()) {
        return unknown();
      }
      return owns(person.get()) ? next.apply(person.get()) : notYours();
    }

    private boolean owns(PersonView person) {
      return session.hash().equals(person.session());
    }

    CompletableFuture<Optional<PersonView>> person(long leastOffset) {
      return persistently(
          atMost -> queries.person(name.roomId(), name.requestId(), leastOffset), 0);
    }

    /** Asks again, after growing pauses, while that may help and there is time for it. */
    private <T> CompletableFuture<T> persistently(
        LongFunction<CompletableFuture<T>> question, int attempt) {
      return question
          .apply(Math.max(nanosLeft(), 1))
          .exceptionallyCompose(
              failure -> {
                long pause =
                    Math.min(FIRST_PAUSE_MILLIS << Math.min(attempt, 8), LONGEST_PAUSE_MILLIS);
                if (!mayHelp(failure) || TimeUnit.MILLISECONDS.toNanos(pause) >= nanosLeft()) {
                  return CompletableFuture.failedFuture(failure);
                }
                Executor later = CompletableFuture.delayedExecutor(pause, TimeUnit.MILLISECONDS);
                return CompletableFuture.supplyAsync(() -> null, later)
                    .thenCompose(nothing -> persistently(question, attempt + 1));
              });
    }

    private boolean mayHelp(Throwable failure) {
      return cause(failure) instanceof QueryException query && query.kind().isRetryable();
    }

    private long nanosLeft() {
      return answerWithin.toNanos() - (System.nanoTime() - begun);
    }
  }
}
