package dev.sluice.api.monitoring;

import dev.sluice.api.admin.AdmissionAdmin;
import dev.sluice.api.admin.AdmissionAdmin.Room;
import dev.sluice.query.AdmissionQueries;
import dev.sluice.query.SystemView;
import dev.sluice.query.SystemView.PartitionView;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/** The load, its course and what it suggests, for operators and their pages. */
@RestController
@RequestMapping("/api/admin/monitoring")
public final class MonitoringAdmin {
  private final Monitor monitor;
  private final AdmissionQueries queries;
  private final Clock clock;

  /** The load now and its last 100 points, 10 s apart, oldest first. */
  record Metrics(Point live, List<Point> points) {}

  /** All of it for a page. */
  record Dashboard(
      Point live,
      List<Point> points,
      Analysis analysis,
      List<PartitionView> partitions,
      List<Room> rooms) {}

  public MonitoringAdmin(Monitor monitor, AdmissionQueries queries, Clock clock) {
    this.monitor = monitor;
    this.queries = queries;
    this.clock = clock;
  }

  @GetMapping("/metrics")
  CompletableFuture<Metrics> metrics() {
    return AdmissionAdmin.orNotNow(monitor.live())
        .thenApply(live -> new Metrics(live, monitor.points()));
  }

  @GetMapping("/analysis")
  CompletableFuture<Analysis> analysis() {
    return AdmissionAdmin.orNotNow(monitor.live()).thenApply(this::analysed);
  }

  @GetMapping("/dashboard")
  CompletableFuture<Dashboard> dashboard() {
    return AdmissionAdmin.orNotNow(queries.system()).thenApply(this::dashboard);
  }

  private Dashboard dashboard(SystemView system) {
    Point live = Point.of(clock.instant(), system);
    return new Dashboard(
        live,
        monitor.points(),
        analysed(live),
        system.partitions(),
        system.rooms().stream().map(Room::of).toList());
  }

  private Analysis analysed(Point live) {
    List<Point> points = new ArrayList<>(monitor.points());
    points.add(live);
    return Analysis.of(points);
  }
}
