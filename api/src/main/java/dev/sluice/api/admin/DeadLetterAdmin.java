package dev.sluice.api.admin;

import dev.sluice.api.problem.Problem;
import dev.sluice.api.problem.ProblemType;
import dev.sluice.log.DeadLetter;
import java.time.Instant;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.concurrent.CompletableFuture;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** Records that could not be used: looked at, and sent again. */
@RestController
@RequestMapping("/api/admin/dlq")
public final class DeadLetterAdmin {
  private static final int MAX_LIMIT = 1000;
  private static final String NOTHING_SENT = "The log can't be reached now; nothing was sent.";

  private final Shelf shelf;

  /** Where dead letters are kept. */
  public interface Shelf {
    /** As {@link dev.sluice.log.DeadLetters#list}. */
    CompletableFuture<List<DeadLetter>> list(int limit);

    /** As {@link dev.sluice.log.DeadLetters#redrive}. */
    CompletableFuture<DeadLetter.Redriven> redrive(String id);
  }

  /** A dead letter; texts are cut when long, {@code size} is that of the value in bytes. */
  record Letter(
      String id,
      Instant at,
      String key,
      String value,
      int size,
      String reason,
      Origin origin,
      Redriven redriven) {
    static Letter of(DeadLetter letter) {
      return new Letter(
          letter.id(),
          Instant.ofEpochMilli(letter.at()),
          letter.key(),
          letter.value(),
          letter.size(),
          letter.reason(),
          letter.origin() == null ? null : Origin.of(letter.origin()),
          letter.redriven().map(Redriven::of).orElse(null));
    }
  }

  /** Where a record stood when it was found unusable. */
  record Origin(String topic, int partition, long offset, Instant at) {
    static Origin of(DeadLetter.Origin origin) {
      return new Origin(
          origin.topic(),
          origin.partition(),
          origin.offset(),
          Instant.ofEpochMilli(origin.timestamp()));
    }
  }

  /** Where a record went when it was sent again; all null when it may have gone and may not. */
  record Redriven(String topic, Integer partition, Long offset, Instant at) {
    static final Redriven UNSURE = new Redriven(null, null, null, null);

    static Redriven of(DeadLetter.Redriven redriven) {
      return new Redriven(
          redriven.topic(),
          redriven.partition(),
          redriven.offset(),
          Instant.ofEpochMilli(redriven.at()));
    }
  }

  public DeadLetterAdmin(Shelf shelf) {
    this.shelf = shelf;
  }

  @GetMapping
  CompletableFuture<List<Letter>> list(@RequestParam(defaultValue = "100") int limit) {
    if (limit < 1 || limit > MAX_LIMIT) {
      throw Problem.invalid("limit", "must be 1 to 1000").asException();
    }
    return shelf
        .list(limit)
        .handle(
            (letters, failure) -> {
              if (failure != null) {
                throw away(failure);
              }
              return letters.stream().map(Letter::of).toList();
            });
  }

  @PostMapping("/{id}/redrive")
  CompletableFuture<ResponseEntity<Redriven>> redrive(@PathVariable String id) {
    return shelf
        .redrive(id)
        .handle(
            (redriven, failure) ->
                failure == null ? ResponseEntity.ok(Redriven.of(redriven)) : unsure(failure));
  }

  private static RuntimeException away(Throwable failure) {
    LogFailures.throwUnlessMaybeStored(failure, "The dead letters can't be read now.");
    return Problem.passing(ProblemType.LOG_AWAY, "The dead letters can't be read now.", 2)
        .asException();
  }

  private static ResponseEntity<Redriven> unsure(Throwable failure) {
    Throwable cause = LogFailures.causeOf(failure);
    if (cause instanceof NoSuchElementException) {
      throw Problem.of(ProblemType.NO_SUCH_RECORD, "There is no dead letter of this id.")
          .asException();
    }
    if (cause instanceof IllegalStateException) {
      throw Problem.of(ProblemType.CANT_BE_SENT, cause.getMessage()).asException();
    }
    LogFailures.throwUnlessMaybeStored(failure, NOTHING_SENT);
    return ResponseEntity.accepted().body(Redriven.UNSURE);
  }
}
