package dev.sluice.contract;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonFactoryBuilder;
import com.fasterxml.jackson.core.util.JsonRecyclerPools;

/**
 * Begins JSON factories whose buffers are shared by all threads. By default each thread keeps its
 * own, so that a virtual thread, which serves one call, made some 20 KB of them for each.
 */
public final class PooledJson {
  private PooledJson() {}

  public static JsonFactoryBuilder builder() {
    return (JsonFactoryBuilder)
        JsonFactory.builder().recyclerPool(JsonRecyclerPools.sharedConcurrentDequePool());
  }
}
