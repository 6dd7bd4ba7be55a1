package dev.sluice.admission.streams;

import dev.sluice.contract.AcceptedSetting;
import dev.sluice.contract.Command;
import dev.sluice.contract.CommandJson;
import dev.sluice.contract.Partitions;
import dev.sluice.contract.Receipt;
import dev.sluice.log.CommandLog;
import dev.sluice.query.OwnedPartition;
import dev.sluice.query.OwnedPartitions;
import dev.sluice.settings.SettingsFollower;
import dev.sluice.settings.SettingsView;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.LongAdder;

/**
 * Brings accepted settings into the logs of the owned partitions: all that decide admission after a
 * takeover, and each change after that. A machine ignores what it knows, so sending too much does
 * no harm, and sending too little is made up for when the send is repeated. Driven by one thread.
 */
public final class Configurer {
  private static final long RETRY_NANOS = Duration.ofMillis(500).toNanos();

  private final OwnedPartitions owned;
  private final int partitions;
  private final CommandLog log;
  private final SettingsFollower settings;
  private final Map<Integer, Told> told = new HashMap<>();
  private final LongAdder sent = new LongAdder();

  private record Key(String name, String room) {
    static Key of(AcceptedSetting setting) {
      return new Key(setting.key(), setting.roomId());
    }
  }

  /** What a partition has been told since this process took it over. */
  private static final class Told {
    private final OwnedPartition to;
    private Map<Key, AcceptedSetting> settings;
    private SettingsView seen;
    private long notBeforeNanos;
    private CompletableFuture<Receipt> sending;
    private volatile long configuredAt = Long.MAX_VALUE;

    private Told(OwnedPartition to) {
      this.to = to;
    }
  }

  public Configurer(
      OwnedPartitions owned, int partitions, CommandLog log, SettingsFollower settings) {
    this.owned = owned;
    this.partitions = partitions;
    this.log = log;
    this.settings = settings;
  }

  /** Looks at all partitions once. */
  public void look(long nowNanos) {
    if (!settings.readToEnd().isDone()) {
      return;
    }
    SettingsView view = settings.view();
    for (OwnedPartition partition : owned.all()) {
      Told state = toldTo(partition);
      if (state.sending == null && state.seen != view && nowNanos - state.notBeforeNanos >= 0) {
        bringUpTo(state, view);
      } else if (state.sending != null && state.sending.isDone()) {
        finish(state, nowNanos);
      }
    }
  }

  private synchronized Told toldTo(OwnedPartition partition) {
    Told state = told.get(partition.partition());
    if (state == null || state.to != partition) {
      state = new Told(partition);
      state.notBeforeNanos = System.nanoTime();
      told.put(partition.partition(), state);
    }
    return state;
  }

  private void bringUpTo(Told state, SettingsView view) {
    Map<Key, AcceptedSetting> target = new HashMap<>();
    for (AcceptedSetting setting : view.admissionSettings()) {
      if (concerns(state.to.partition(), setting)) {
        target.put(Key.of(setting), setting);
      }
    }
    List<AcceptedSetting> news = new ArrayList<>();
    for (AcceptedSetting setting : target.values()) {
      if (isNews(setting, state.settings)) {
        news.add(setting);
      }
    }
    state.seen = view;
    if (news.isEmpty() && state.settings != null) {
      state.settings = target;
      return;
    }
    news.sort(
        Comparator.comparing(AcceptedSetting::key)
            .thenComparing(
                AcceptedSetting::roomId, Comparator.nullsFirst(Comparator.naturalOrder())));
    state.sending = send(state.to.partition(), news);
    state.settings = target;
  }

  private boolean concerns(int partition, AcceptedSetting setting) {
    return setting.roomId() == null || Partitions.of(setting.roomId(), partitions) == partition;
  }

  /** What stays unset is no news, though the offset up to which that is known goes up. */
  private static boolean isNews(AcceptedSetting setting, Map<Key, AcceptedSetting> before) {
    if (before == null) {
      return true;
    }
    AcceptedSetting known = before.get(Key.of(setting));
    if (known == null) {
      return true;
    }
    return known.offset() != setting.offset()
        && !(known.value() == null && setting.value() == null);
  }

  private CompletableFuture<Receipt> send(int partition, List<AcceptedSetting> settings) {
    CompletableFuture<Receipt> last = null;
    int from = 0;
    do {
      int to = Math.min(from + CommandJson.MAX_SETTINGS, settings.size());
      Command.Configure part = new Command.Configure(settings.subList(from, to));
      last =
          last == null
              ? log.append(partition, null, part)
              : last.thenCompose(receipt -> log.append(partition, null, part));
      from = to;
      sent.increment();
    } while (from < settings.size());
    return last;
  }

  private static void finish(Told state, long nowNanos) {
    if (state.sending.isCompletedExceptionally()) {
      state.settings = null;
      state.seen = null;
      state.notBeforeNanos = nowNanos + RETRY_NANOS;
    } else if (state.configuredAt == Long.MAX_VALUE) {
      state.configuredAt = state.sending.join().offset();
    }
    state.sending = null;
  }

  /** Whether a partition has applied what it was told after the takeover. Any thread. */
  public synchronized boolean hasConfigured(OwnedPartition partition) {
    Told state = told.get(partition.partition());
    return state != null && state.to == partition && partition.applied() >= state.configuredAt;
  }

  /** Commands sent since the start. Any thread. */
  public long sent() {
    return sent.sum();
  }
}
