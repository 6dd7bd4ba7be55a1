package dev.sluice.standalone;

import dev.sluice.identity.PassKey;
import dev.sluice.identity.PrivateFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Set;

/**
 * Everything that is kept on disk, in use by at most one process for each role. The operating
 * system gives it back when the process dies, however it dies.
 */
final class DataDirectory implements AutoCloseable {
  private static final int SECRET_BYTES = 32;
  private static final int INSTANCE_BYTES = 6;

  private final Path path;
  private final List<FileChannel> locks;

  private DataDirectory(Path path, List<FileChannel> locks) {
    this.path = path;
    this.locks = locks;
  }

  /**
   * Makes it where it is missing.
   *
   * @throws StartRefusal when it can't be used, or is in use
   */
  static DataDirectory open(Path path, Set<Role> roles) {
    List<FileChannel> locks = new ArrayList<>();
    DataDirectory directory = new DataDirectory(path, locks);
    try {
      Files.createDirectories(path);
      for (Role role : roles) {
        locks.add(lock(path, role));
      }
      return directory;
    } catch (IOException e) {
      directory.close();
      throw new StartRefusal(
          "The data directory %s can't be used: %s".formatted(path.toAbsolutePath(), e), e);
    } catch (StartRefusal e) {
      directory.close();
      throw e;
    }
  }

  private static FileChannel lock(Path path, Role role) throws IOException {
    FileChannel channel =
        FileChannel.open(
            path.resolve(role.text() + ".lock"),
            StandardOpenOption.CREATE,
            StandardOpenOption.READ,
            StandardOpenOption.WRITE);
    if (!tryLock(channel)) {
      String holder = read(channel);
      channel.close();
      throw new StartRefusal(
          ("The data directory %s is in use by another Sluice (process %s). Stop that one, or give"
                  + " this one a directory of its own with SLUICE_DATA_DIR, and ports of its own with"
                  + " SERVER_PORT and SLUICE_BROKER_PORT")
              .formatted(path.toAbsolutePath().normalize(), holder));
    }
    byte[] pid = Long.toString(ProcessHandle.current().pid()).getBytes(StandardCharsets.UTF_8);
    channel.truncate(0);
    channel.write(ByteBuffer.wrap(pid), 0);
    return channel;
  }

  private static boolean tryLock(FileChannel channel) throws IOException {
    try {
      // Beyond the text, so that others can read who holds it.
      FileLock lock = channel.tryLock(Long.MAX_VALUE - 1, 1, /* shared= */ false);
      return lock != null;
    } catch (OverlappingFileLockException e) {
      return false;
    }
  }

  private static String read(FileChannel channel) throws IOException {
    ByteBuffer text = ByteBuffer.allocate(32);
    channel.read(text, 0);
    return StandardCharsets.UTF_8.decode(text.flip()).toString();
  }

  Path broker() {
    return path.resolve("broker");
  }

  Path state() {
    return path.resolve("state");
  }

  /** The secret kept here, made on first use. */
  String secret() {
    return keptText("secret", SECRET_BYTES);
  }

  /** The name of this instance, made on first use and the same after a restart. */
  String instanceId() {
    return keptText("instance-id", INSTANCE_BYTES);
  }

  /** The key of passes kept here, made on first use. */
  PassKey passKey() {
    return passKey(path.resolve("pass-key.pem"));
  }

  /** The key of passes in a file. */
  static PassKey passKey(Path file) {
    try {
      return PassKey.loadOrCreate(file);
    } catch (IOException | IllegalArgumentException e) {
      throw new StartRefusal(
          "The key of passes in %s can't be used: %s".formatted(file, e.getMessage()), e);
    }
  }

  private String keptText(String file, int randomBytes) {
    try {
      return new PrivateFile(path.resolve(file)).readOrCreate(() -> random(randomBytes));
    } catch (IOException e) {
      throw new StartRefusal("%s can't be used: %s".formatted(path.resolve(file), e), e);
    }
  }

  private static String random(int count) {
    byte[] bytes = new byte[count];
    new SecureRandom().nextBytes(bytes);
    return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
  }

  /** Lets another process use it. */
  @Override
  @SuppressWarnings("EmptyCatch")
  public void close() {
    for (FileChannel lock : locks) {
      try {
        lock.close();
      } catch (IOException ignored) {
        // A closed descriptor holds no lock, and what was written is of no further use.
      }
    }
  }
}
