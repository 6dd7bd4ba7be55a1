package dev.sluice.identity;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.function.Supplier;

/**
 * A file made so that only its owner may read it (mode 0600 where the file system knows modes). One
 * that stands already is read as it is: a mounted secret has its own guards.
 */
public final class PrivateFile {
  private final Path path;

  public PrivateFile(Path path) {
    this.path = path;
  }

  /**
   * The file's text, stripped; written first from {@code content} if there is no file. Of several
   * that create it at once one wins, and all read the winner's.
   */
  public String readOrCreate(Supplier<String> content) throws IOException {
    if (!Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
      create(content.get());
    }
    return Files.readString(path, UTF_8).strip();
  }

  private void create(String content) throws IOException {
    Path parent = path.toAbsolutePath().getParent();
    Files.createDirectories(parent);
    Path draft =
        Files.createTempFile(parent, "." + path.getFileName(), ".new", permissionsAtCreation());
    try {
      Files.writeString(draft, content, UTF_8);
      // A link fails where a move would silently replace the winner's file.
      Files.createLink(path, draft);
    } catch (FileAlreadyExistsException e) {
      // Someone else was first; theirs counts.
    } finally {
      Files.deleteIfExists(draft);
    }
  }

  private FileAttribute<?>[] permissionsAtCreation() {
    return isPosix()
        ? new FileAttribute<?>[] {
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"))
        }
        : new FileAttribute<?>[0];
  }

  private boolean isPosix() {
    return path.getFileSystem().supportedFileAttributeViews().contains("posix");
  }
}
