package dev.sluice.notifier.connection;

import dev.sluice.notifier.stomp.Encoded;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/** A socket whose other side reads when told to. */
final class FakeWire implements Wire {
  private final List<String> read = new ArrayList<>();
  private final Deque<Sent> blocked = new ArrayDeque<>();
  private boolean reading = true;
  private int closes;
  private int closeCode;
  private int drops;
  private int pings;
  private Runnable onDrop = () -> {};
  private Runnable onClose = () -> {};

  @Override
  public void send(List<Encoded> messages, Sent sent) {
    messages.forEach(message -> read.add(message.toString()));
    if (reading) {
      sent.succeeded();
    } else {
      blocked.add(sent);
    }
  }

  @Override
  public void ping() {
    pings++;
  }

  @Override
  public void close(int code, String reason) {
    closes++;
    closeCode = code;
    onClose.run();
  }

  @Override
  public void drop() {
    drops++;
    onDrop.run();
  }

  void stopReading() {
    reading = false;
  }

  void readOn() {
    reading = true;
    while (!blocked.isEmpty()) {
      blocked.poll().succeeded();
    }
  }

  void breakOff() {
    while (!blocked.isEmpty()) {
      blocked.poll().failed(new java.io.IOException("broken pipe"));
    }
  }

  void onDrop(Runnable action) {
    onDrop = action;
  }

  void onClose(Runnable action) {
    onClose = action;
  }

  /** Frames sent so far, without heartbeats. */
  List<String> frames() {
    return read.stream().filter(text -> !text.equals("\n")).toList();
  }

  long heartbeats() {
    return read.stream().filter(text -> text.equals("\n")).count();
  }

  String lastFrame() {
    return frames().get(frames().size() - 1);
  }

  int blockedSends() {
    return blocked.size();
  }

  int closes() {
    return closes;
  }

  int closeCode() {
    return closeCode;
  }

  int drops() {
    return drops;
  }

  int pings() {
    return pings;
  }
}
