package dev.sluice.broker;

import dev.sluice.broker.BrokerStartException.Reason;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** Exclusive use of a broker's directory. The operating system ends it with the process. */
final class DirectoryLock implements AutoCloseable {
  private static final String FILE = "broker.lock";

  private final FileChannel channel;

  private DirectoryLock(FileChannel channel) {
    this.channel = channel;
  }

  /** Makes the directory where it is missing. */
  static DirectoryLock acquire(Path directory) {
    FileChannel channel;
    try {
      Files.createDirectories(directory);
      channel =
          FileChannel.open(
              directory.resolve(FILE), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    } catch (IOException e) {
      throw new BrokerStartException(
          Reason.DIRECTORY_UNUSABLE,
          "The broker's directory %s can't be used: %s".formatted(directory, e.getMessage()),
          e);
    }
    FileLock lock;
    try {
      lock = channel.tryLock();
    } catch (OverlappingFileLockException e) {
      lock = null;
    } catch (IOException e) {
      closeQuietly(channel);
      throw new BrokerStartException(
          Reason.DIRECTORY_UNUSABLE,
          "The broker's directory %s can't be locked: %s".formatted(directory, e.getMessage()),
          e);
    }
    if (lock == null) {
      closeQuietly(channel);
      throw new BrokerStartException(
          Reason.DIRECTORY_IN_USE,
          "The broker's directory %s is in use by another broker".formatted(directory),
          null);
    }
    return new DirectoryLock(channel);
  }

  @Override
  public void close() {
    closeQuietly(channel);
  }

  @SuppressWarnings("EmptyCatch")
  private static void closeQuietly(FileChannel channel) {
    try {
      channel.close();
    } catch (IOException ignored) {
      // Nothing was written through it, and a closed descriptor holds no lock.
    }
  }
}
