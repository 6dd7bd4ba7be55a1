package dev.sluice.bench.redisway;

import dev.sluice.api.admission.AdmissionCalls;
import dev.sluice.contract.Command;
import dev.sluice.contract.PersonStatus;
import dev.sluice.contract.Receipt;
import dev.sluice.contract.Version;
import dev.sluice.query.AdmissionQueries;
import dev.sluice.query.Answer;
import dev.sluice.query.PersonView;
import dev.sluice.query.QueryException;
import dev.sluice.query.RoomView;
import dev.sluice.query.SystemView;
import dev.sluice.query.WaitingSnapshot;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Stands where Sluice has its log and its state, and does both with one script call in Redis. It
 * knows how to enter and nothing else, which is all that is measured. Thread-safe.
 */
final class RedisRoom implements AdmissionCalls.Entries, AdmissionQueries {
  private final WaitingRoomScript script;
  private final Executor callers;
  private final AtomicLong calls = new AtomicLong();
  private final Map<Long, Answer> answers = new ConcurrentHashMap<>();

  /**
   * @param callers runs the blocking calls: as many threads as the script has connections
   */
  RedisRoom(WaitingRoomScript script, Executor callers) {
    this.script = script;
    this.callers = callers;
  }

  @Override
  public CompletableFuture<Receipt> append(int partition, String roomId, Command command) {
    if (!(command instanceof Command.Enter enter)) {
      return CompletableFuture.failedFuture(new UnsupportedOperationException("only entries"));
    }
    return CompletableFuture.supplyAsync(() -> enter(enter), callers);
  }

  private Receipt enter(Command.Enter enter) {
    long now = System.currentTimeMillis();
    WaitingRoomScript.Standing standing =
        script.enter(enter.roomId(), enter.requestId(), enter.session(), now);
    Receipt receipt = new Receipt(0, calls.getAndIncrement(), now);
    answers.put(receipt.offset(), answer(enter, standing, receipt));
    return receipt;
  }

  private static Answer answer(
      Command.Enter enter, WaitingRoomScript.Standing standing, Receipt receipt) {
    if (standing.status().equals("NOT_YOURS")) {
      return new Answer(0, receipt.offset(), Answer.Result.NOT_YOURS, null, null);
    }
    PersonView person =
        new PersonView(
            enter.roomId(),
            enter.requestId(),
            enter.session(),
            PersonStatus.valueOf(standing.status()),
            standing.ticket(),
            standing.rank(),
            standing.waiting(),
            -1,
            standing.expiresAt(),
            null,
            receipt,
            new Version(0, receipt.offset(), 0));
    return new Answer(0, receipt.offset(), Answer.Result.DONE, person, null);
  }

  @Override
  public int partitionOf(String roomId) {
    return 0;
  }

  @Override
  public CompletableFuture<Answer> await(int partition, long offset, Duration atMost) {
    return CompletableFuture.completedFuture(answers.remove(offset));
  }

  @Override
  public CompletableFuture<Optional<PersonView>> person(
      String roomId, String requestId, long leastOffset) {
    return notHere();
  }

  @Override
  public CompletableFuture<List<PersonView>> people(String requestId) {
    return notHere();
  }

  @Override
  public CompletableFuture<RoomView> room(String roomId) {
    return notHere();
  }

  @Override
  public CompletableFuture<WaitingSnapshot> waiting(String roomId) {
    return notHere();
  }

  @Override
  public CompletableFuture<SystemView> system() {
    return notHere();
  }

  private static <T> CompletableFuture<T> notHere() {
    return CompletableFuture.failedFuture(
        new QueryException(QueryException.Kind.HALTED, "the baseline only enters"));
  }
}
