package dev.sluice.kinesis.call;

import dev.sluice.kinesis.log.Streams;
import dev.sluice.kinesis.shard.Account;
import dev.sluice.kinesis.shard.ErrorType;
import dev.sluice.kinesis.shard.KinesisException;
import dev.sluice.kinesis.shard.StreamChange;
import dev.sluice.kinesis.wire.Action;
import dev.sluice.kinesis.wire.Answer;
import dev.sluice.kinesis.wire.AnswerWriter;
import dev.sluice.kinesis.wire.Input;
import dev.sluice.kinesis.wire.StreamNames;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.stream.Stream;

/** Tags of streams; consumers have none. Thread-safe. */
final class TagCalls {
  private static final int PAGE = StreamChange.MAX_TAGS;
  private static final String SIGNS = "_./=+-@: ";

  private final Streams streams;
  private final Account account;
  private final StreamNames names;
  private final Executor work;

  TagCalls(Streams streams, Account account, Executor work) {
    this.streams = streams;
    this.account = account;
    this.names = new StreamNames(account);
    this.work = work;
  }

  void addTo(Map<Action, Operation> operations) {
    operations.put(
        Action.ADD_TAGS_TO_STREAM, (input, caller) -> add(names.stream(input), input.map("Tags")));
    operations.put(
        Action.REMOVE_TAGS_FROM_STREAM,
        (input, caller) -> remove(names.stream(input), input.texts("TagKeys")));
    operations.put(Action.LIST_TAGS_FOR_STREAM, (input, caller) -> list(input));
    operations.put(Action.TAG_RESOURCE, (input, caller) -> add(resource(input), input.map("Tags")));
    operations.put(
        Action.UNTAG_RESOURCE, (input, caller) -> remove(resource(input), input.texts("TagKeys")));
    operations.put(
        Action.LIST_TAGS_FOR_RESOURCE, (input, caller) -> listOfResource(resource(input)));
  }

  static KinesisException notOfConsumers() {
    return new KinesisException(ErrorType.INVALID_ARGUMENT, "Consumers can't have tags here.");
  }

  private String resource(Input input) {
    String arn = input.text("ResourceARN");
    if (StreamNames.isConsumer(arn)) {
      throw notOfConsumers();
    }
    return names.stream(arn);
  }

  private CompletableFuture<Answer> add(String name, Map<String, String> tags) {
    check(account, name, tags);
    return streams
        .change(name, stream -> StreamChange.addTags(account, stream, tags))
        .thenApply(stream -> Answer.NOTHING);
  }

  /**
   * @throws KinesisException if tags have characters that tags can't have
   */
  static void check(Account account, String stream, Map<String, String> tags) {
    List<String> texts = Stream.concat(tags.keySet().stream(), tags.values().stream()).toList();
    if (!texts.stream().allMatch(text -> text.chars().allMatch(c -> c == '%' || isAllowed(c)))) {
      throw new KinesisException(
          ErrorType.INVALID_ARGUMENT,
          "Some tags contain invalid characters. Valid characters: Unicode letters, digits, white space, _ . / = + - % @ :.");
    }
    if (texts.stream().anyMatch(text -> text.indexOf('%') >= 0)) {
      throw new KinesisException(
          ErrorType.INVALID_ARGUMENT,
          "Failed to add tags to stream %s under account %s because some tags contained illegal characters. The allowed characters are Unicode letters, white-spaces, '_',',','/','=','+','-','@',':'."
              .formatted(stream, account.id()));
    }
  }

  private static boolean isAllowed(int c) {
    return (c < 0x80 && Character.isLetterOrDigit(c))
        || SIGNS.indexOf(c) >= 0
        || (c >= 0xc0 && c <= 0x1fff)
        || (c >= 0x2c00 && c <= 0xd7ff);
  }

  private CompletableFuture<Answer> remove(String name, List<String> keys) {
    return streams
        .change(name, stream -> StreamChange.removeTags(account, stream, keys))
        .thenApply(stream -> Answer.NOTHING);
  }

  private CompletableFuture<Answer> list(Input input) {
    int limit = input.number("Limit", PAGE);
    String after = input.text("ExclusiveStartTagKey");
    return streams
        .newest(names.stream(input))
        .thenApplyAsync(
            stream -> {
              List<Map.Entry<String, String>> rest =
                  stream.tags().entrySet().stream()
                      .filter(tag -> after == null || tag.getKey().compareTo(after) > 0)
                      .toList();
              List<Map.Entry<String, String>> page = rest.subList(0, Math.min(limit, rest.size()));
              return out -> {
                tags(out, page);
                out.flag("HasMoreTags", page.size() < rest.size());
              };
            },
            work);
  }

  private CompletableFuture<Answer> listOfResource(String name) {
    return streams
        .newest(name)
        .thenApplyAsync(stream -> out -> tags(out, List.copyOf(stream.tags().entrySet())), work);
  }

  private static void tags(AnswerWriter out, List<Map.Entry<String, String>> tags)
      throws IOException {
    out.array("Tags");
    for (Map.Entry<String, String> tag : tags) {
      out.object().text("Key", tag.getKey()).text("Value", tag.getValue()).end();
    }
    out.end();
  }
}
