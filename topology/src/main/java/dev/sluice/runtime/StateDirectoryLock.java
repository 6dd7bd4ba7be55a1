package dev.sluice.runtime;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * The right to use a state directory, held by one process at a time. The operating system gives it
 * back when the process dies, however it dies.
 */
final class StateDirectoryLock implements AutoCloseable {
  private final FileChannel channel;

  private StateDirectoryLock(FileChannel lockedChannel) {
    this.channel = lockedChannel;
  }

  /**
   * Takes the lock, creating the directory if absent.
   *
   * @throws StartException if another instance has it, or the directory can't be written
   */
  static StateDirectoryLock take(Path directory) {
    Path file = directory.resolve("sluice.lock");
    try {
      Files.createDirectories(directory);
      FileChannel channel =
          FileChannel.open(
              file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
      if (!tryLock(channel)) {
        String holder = read(channel);
        channel.close();
        throw new StartException(
            "The state directory "
                + directory.toAbsolutePath()
                + " is in use by another Sluice ("
                + holder
                + "). Stop that one, or give this one a data directory of its own.");
      }
      channel.truncate(0);
      channel.write(
          ByteBuffer.wrap(
              ("process " + ProcessHandle.current().pid()).getBytes(StandardCharsets.UTF_8)),
          0);
      return new StateDirectoryLock(channel);
    } catch (IOException e) {
      throw new StartException(
          "The state directory " + directory.toAbsolutePath() + " can't be used: " + e, e);
    }
  }

  private static boolean tryLock(FileChannel channel) throws IOException {
    try {
      // Beyond the text, so that others can read who holds it.
      return channel.tryLock(Long.MAX_VALUE - 1, 1, false) != null;
    } catch (OverlappingFileLockException heldByThisProcess) {
      return false;
    }
  }

  private static String read(FileChannel channel) throws IOException {
    ByteBuffer text = ByteBuffer.allocate(128);
    channel.read(text, 0);
    text.flip();
    return StandardCharsets.UTF_8.decode(text).toString();
  }

  /** Gives the lock back; safe to call again. */
  @Override
  public void close() throws IOException {
    channel.close();
  }
}
