package dev.sluice.streams;

import java.util.Map;
import org.apache.kafka.streams.processor.StateStore;
import org.apache.kafka.streams.processor.StateStoreContext;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.processor.internals.InternalProcessorContext;
import org.apache.kafka.streams.processor.internals.ProcessorNode;
import org.apache.kafka.streams.state.StoreBuilder;
import org.apache.kafka.streams.state.internals.CacheFlushListener;
import org.apache.kafka.streams.state.internals.CachedStateStore;

/**
 * A store with nothing in it that tells the processor of its task when a commit is about to happen.
 *
 * <p>Kafka Streams flushes the caches of all stores of a task right before it flushes the producer
 * and commits the transaction. Being such a cache is the only way to write at that moment: what the
 * processor puts into its other stores then is logged in the transaction that commits the input
 * offsets. So state can live in the heap between commits, and a commit writes each changed part
 * once, however often it changed.
 *
 * <p>{@link CachedStateStore} and the node of a context are internal to Kafka Streams; tests
 * against a real broker show that this still holds.
 */
public final class WriteBehind implements StateStore, CachedStateStore<byte[], byte[]> {
  private final String name;
  private Runnable beforeCommit = () -> {};
  private boolean open;

  private WriteBehind(String name) {
    this.name = name;
  }

  /** Sets what runs before each commit, on the stream thread. */
  public void beforeCommit(Runnable action) {
    beforeCommit = action;
  }

  /**
   * Sets what runs before each commit and may forward records as the processor that is being
   * initialized with {@code context}, as a flushed cache does; the commit then covers them too.
   */
  public void beforeCommit(ProcessorContext<?, ?> context, Runnable action) {
    InternalProcessorContext<?, ?> task = (InternalProcessorContext<?, ?>) context;
    ProcessorNode<?, ?, ?, ?> processor = task.currentNode();
    beforeCommit =
        () -> {
          ProcessorNode<?, ?, ?, ?> before = task.currentNode();
          task.setCurrentNode(processor);
          try {
            action.run();
          } finally {
            task.setCurrentNode(before);
          }
        };
  }

  @Override
  public void flushCache() {
    beforeCommit.run();
  }

  @Override
  public void clearCache() {
    beforeCommit = () -> {};
  }

  @Override
  public boolean setFlushListener(
      CacheFlushListener<byte[], byte[]> listener, boolean sendOldValues) {
    return false;
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public void init(StateStoreContext context, StateStore root) {
    beforeCommit = () -> {};
    context.register(root, (key, value) -> {});
    open = true;
  }

  @Override
  public void close() {
    beforeCommit = () -> {};
    open = false;
  }

  @Override
  public boolean persistent() {
    return false;
  }

  @Override
  public boolean isOpen() {
    return open;
  }

  /** Builds one for each task; neither logged nor cached. */
  public static final class Builder implements StoreBuilder<WriteBehind> {
    private final String name;

    public Builder(String name) {
      this.name = name;
    }

    @Override
    public StoreBuilder<WriteBehind> withCachingEnabled() {
      throw new UnsupportedOperationException("a write-behind store is its own cache");
    }

    @Override
    public StoreBuilder<WriteBehind> withCachingDisabled() {
      return this;
    }

    @Override
    public StoreBuilder<WriteBehind> withLoggingEnabled(Map<String, String> config) {
      throw new UnsupportedOperationException("a write-behind store holds nothing to log");
    }

    @Override
    public StoreBuilder<WriteBehind> withLoggingDisabled() {
      return this;
    }

    @Override
    public WriteBehind build() {
      return new WriteBehind(name);
    }

    @Override
    public Map<String, String> logConfig() {
      return Map.of();
    }

    @Override
    public boolean loggingEnabled() {
      return false;
    }

    @Override
    public String name() {
      return name;
    }
  }
}
