package dev.sluice.streams;

import java.util.Map;
import org.apache.kafka.streams.state.RocksDBConfigSetter;
import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.Cache;
import org.rocksdb.LRUCache;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;
import org.rocksdb.WriteBufferManager;

/**
 * Bounds the memory of all RocksDB stores of this process together: one block cache, from which the
 * write buffers, indexes and filters are taken too. Without it every store of every partition has
 * its own.
 *
 * <p>Cache and write-buffer manager live as long as the process; closing them with one store would
 * pull them from under the others.
 */
public final class BoundedRocksDb implements RocksDBConfigSetter {
  private static final long CACHE_BYTES = 64L << 20;
  private static final long WRITE_BUFFERS_BYTES = 32L << 20;
  private static final long WRITE_BUFFER_BYTES = 4L << 20;

  static {
    RocksDB.loadLibrary();
  }

  private static final Cache CACHE = new LRUCache(CACHE_BYTES, -1, false, 0.1);
  private static final WriteBufferManager WRITE_BUFFERS =
      new WriteBufferManager(WRITE_BUFFERS_BYTES, CACHE);

  @Override
  public void setConfig(String storeName, Options options, Map<String, Object> configs) {
    BlockBasedTableConfig table = (BlockBasedTableConfig) options.tableFormatConfig();
    table.setBlockCache(CACHE);
    table.setCacheIndexAndFilterBlocks(true);
    table.setCacheIndexAndFilterBlocksWithHighPriority(true);
    table.setPinTopLevelIndexAndFilter(true);
    options.setTableFormatConfig(table);
    options.setWriteBufferManager(WRITE_BUFFERS);
    options.setWriteBufferSize(WRITE_BUFFER_BYTES);
    options.setMaxWriteBufferNumber(3);
  }

  @Override
  public void close(String storeName, Options options) {}
}
