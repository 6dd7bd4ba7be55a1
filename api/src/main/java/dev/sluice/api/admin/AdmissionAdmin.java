package dev.sluice.api.admin;

import dev.sluice.api.problem.Problem;
import dev.sluice.api.problem.ProblemType;
import dev.sluice.contract.Ids;
import dev.sluice.contract.RoomState;
import dev.sluice.query.AdmissionQueries;
import dev.sluice.query.QueryException;
import dev.sluice.query.RoomView;
import dev.sluice.query.SystemView;
import dev.sluice.query.SystemView.PartitionStatus;
import dev.sluice.query.SystemView.PartitionView;
import dev.sluice.settings.SettingKey;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/** How admission stands, and under which settings. */
@RestController
@RequestMapping("/api/admin/admission")
public final class AdmissionAdmin {
  private final AdmissionQueries queries;
  private final SettingsInForce settings;

  /**
   * A room.
   *
   * @param pacePerSecond null without limit
   * @param configured whether settings have reached it; until then nobody is admitted
   */
  public record Room(
      String roomId,
      RoomState state,
      int capacity,
      Double pacePerSecond,
      long totalWaiting,
      long active,
      long nextTicket,
      long admittedLastMinute,
      boolean configured,
      int partition,
      long offset) {
    /** What a query saw of it. */
    public static Room of(RoomView room) {
      return new Room(
          room.roomId(),
          room.state(),
          room.capacity(),
          room.pacePerSecond() == 0 ? null : room.pacePerSecond(),
          room.waiting(),
          room.active(),
          room.nextTicket(),
          room.admittedLastMinute(),
          room.configured(),
          room.partition(),
          room.offset());
    }
  }

  /** All of admission. */
  record Status(
      boolean ready,
      long totalWaiting,
      long active,
      List<PartitionView> partitions,
      List<Room> rooms) {
    static Status of(SystemView system) {
      return new Status(
          system.partitions().stream()
              .allMatch(partition -> partition.status() == PartitionStatus.READY),
          system.rooms().stream().mapToLong(RoomView::waiting).sum(),
          system.rooms().stream().mapToLong(RoomView::active).sum(),
          system.partitions(),
          system.rooms().stream().map(Room::of).toList());
    }
  }

  public AdmissionAdmin(AdmissionQueries queries, SettingsInForce settings) {
    this.queries = queries;
    this.settings = settings;
  }

  @GetMapping("/config")
  SettingsAdmin.Settings config() {
    return SettingsAdmin.inForce(settings.view(), SettingKey::decidesAdmission);
  }

  @GetMapping("/status")
  CompletableFuture<Status> status() {
    return orNotNow(queries.system()).thenApply(Status::of);
  }

  @GetMapping("/status/{roomId}")
  CompletableFuture<Room> status(@PathVariable String roomId) {
    if (!Ids.isValid(roomId)) {
      throw Problem.invalid("roomId", "must be 1 to 128 characters of A-Z a-z 0-9 . _ : -")
          .asException();
    }
    return orNotNow(queries.room(roomId)).thenApply(Room::of);
  }

  /** The same, a lack of a sure answer told as one that may pass. */
  public static <T> CompletableFuture<T> orNotNow(CompletableFuture<T> question) {
    return question.exceptionally(
        failure -> {
          Throwable cause = LogFailures.causeOf(failure);
          if (cause instanceof QueryException) {
            throw Problem.passing(
                    ProblemType.STATE_AWAY, "The state can't be read for sure now.", 2)
                .asException();
          }
          throw new CompletionException(cause);
        });
  }
}
