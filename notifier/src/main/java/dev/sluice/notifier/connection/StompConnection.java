package dev.sluice.notifier.connection;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.contract.Ids;
import dev.sluice.identity.AdminRule;
import dev.sluice.identity.Session;
import dev.sluice.notifier.outbox.Outbox;
import dev.sluice.notifier.outbox.Outbox.Offer;
import dev.sluice.notifier.outbox.Parcel;
import dev.sluice.notifier.push.PresentState.Ownership;
import dev.sluice.notifier.routing.Destination;
import dev.sluice.notifier.routing.FeedSubscription;
import dev.sluice.notifier.routing.HotSubscription;
import dev.sluice.notifier.routing.Outlet;
import dev.sluice.notifier.routing.PersonKey;
import dev.sluice.notifier.routing.PersonSubscription;
import dev.sluice.notifier.routing.RoomSubscription;
import dev.sluice.notifier.routing.ServerSubscription;
import dev.sluice.notifier.routing.Subscription;
import dev.sluice.notifier.stomp.ClientFrame;
import dev.sluice.notifier.stomp.Encoded;
import dev.sluice.notifier.stomp.HeartBeat;
import dev.sluice.notifier.stomp.MalformedFrameException;
import dev.sluice.notifier.stomp.ServerFrames;
import dev.sluice.notifier.stomp.StompDecoder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * One client: its STOMP session, its subscriptions and its outbox. Frames come in on one thread at
 * a time; everything else may be called by any thread, and nothing waits for the client.
 *
 * <p>It ends once, for the first reason there is. From then on it takes and queues nothing; what
 * has been queued as control or must be delivered still leaves if the client takes it in time.
 */
public final class StompConnection implements Outlet {
  /** Where clients connect. */
  public static final String PATH = "/ws";

  private static final int NORMAL = 1000;
  private static final int TRY_AGAIN_LATER = 1013;
  private static final int POLICY_VIOLATION = 1008;
  private static final int MAX_SUBSCRIPTION_ID = 128;

  private final String id;
  private final Wire wire;
  private final ConnectionServices services;
  private final ConnectionLimits limits;
  private final StompDecoder decoder;
  private final Rate frames;
  private final Outbox outbox;

  private final Map<String, Subscription> subscriptions = new HashMap<>(4);
  private final AtomicInteger pumping = new AtomicInteger();
  private final AtomicBoolean flushesSoon = new AtomicBoolean();
  private final AtomicBoolean closeSent = new AtomicBoolean();
  private final AtomicBoolean gone = new AtomicBoolean();

  private volatile Phase phase = Phase.OPENED;
  private volatile HeartBeat heartBeat = new HeartBeat(Duration.ZERO, Duration.ZERO);
  private volatile boolean overflowed;
  private final long openedAt;
  private volatile long heardAt;

  /** When it was last seen being sent to: then it is judged by what it takes, not by silence. */
  private volatile long takingAt;

  private volatile long pingedAt;
  private volatile long sentAt;
  private volatile long leavingAt;

  /** Null once the connection is judged. */
  private Handshake handshake;

  private String sessionHash;
  private AdminRule.Verdict operator;
  private int closeCode;
  private String closeReason;
  private long messageId;

  private enum Phase {
    /** The socket is open; no CONNECT has come. */
    OPENED,
    CONNECTED,
    /** Takes and queues nothing more; what has to leave first does. */
    LEAVING
  }

  public StompConnection(
      String id,
      Wire wire,
      Handshake handshake,
      ConnectionServices services,
      ConnectionLimits limits) {
    this.id = id;
    this.wire = wire;
    this.handshake = handshake;
    this.services = services;
    this.limits = limits;
    this.decoder = new StompDecoder(limits.frameBytes());
    this.frames = new Rate(limits.frameRate(), services.nanos());
    this.outbox = new Outbox(limits.outboxBytes(), limits.mustDeliver());
    long now = services.nanos().getAsLong();
    this.openedAt = now;
    this.heardAt = now;
    this.takingAt = now;
    this.pingedAt = now;
    this.sentAt = now;
  }

  /** Text or bytes from the client, as they came. */
  public void received(byte[] data) {
    heard();
    if (phase == Phase.LEAVING) {
      return;
    }
    try {
      for (ClientFrame frame : decoder.decode(data)) {
        if (phase == Phase.LEAVING) {
          return;
        }
        if (!frames.take()) {
          fail(Problem.tooMany("Frames came faster than a connection may send them."), null);
          return;
        }
        handle(frame);
      }
    } catch (MalformedFrameException e) {
      fail(Problem.malformed(e.getMessage()), null);
    }
  }

  /** Text from the client. */
  public void received(String text) {
    received(text.getBytes(UTF_8));
  }

  /** A sign of life that says nothing: a ping or a pong. */
  public void heard() {
    heardAt = services.nanos().getAsLong();
  }

  /** The socket has ended; safe to call again. */
  public void ended() {
    if (gone.compareAndSet(false, true)) {
      begin(NORMAL, "");
      outbox.discard();
      services.counters().countClosed();
      services.connections().remove(this);
    }
  }

  private void handle(ClientFrame frame) throws MalformedFrameException {
    switch (frame.command()) {
      case CONNECT, STOMP -> connect(frame);
      case SUBSCRIBE, UNSUBSCRIBE, DISCONNECT -> {
        if (phase == Phase.OPENED) {
          throw new MalformedFrameException("the first frame must be CONNECT");
        }
        switch (frame.command()) {
          case SUBSCRIBE -> subscribe(frame);
          case UNSUBSCRIBE -> unsubscribe(frame);
          default -> disconnect(frame);
        }
      }
      case SEND, ACK, NACK, BEGIN, COMMIT, ABORT ->
          fail(
              Problem.malformed(frame.command() + " has no meaning here"), frame.header("receipt"));
    }
  }

  private void connect(ClientFrame frame) throws MalformedFrameException {
    if (phase != Phase.OPENED) {
      throw new MalformedFrameException("connected already");
    }
    String versions = frame.header("accept-version");
    if (versions == null
        || Arrays.stream(versions.split(",")).map(String::strip).noneMatch("1.2"::equals)) {
      fail(Problem.malformed("only STOMP 1.2 is spoken here"), null);
      return;
    }
    HeartBeat agreed = HeartBeat.negotiate(frame.header("heart-beat"), limits.heartbeat());
    String token = tokenOf(frame);
    if (token != null) {
      Optional<Session> session = services.sessions().verify(token);
      if (session.isEmpty()) {
        fail(Problem.noSession("The session is not one of ours."), null);
        return;
      }
      sessionHash = session.get().hash();
    }
    operator = services.admins().judge(callOf(frame));
    handshake = null;
    heartBeat = agreed;
    synchronized (subscriptions) {
      if (phase == Phase.LEAVING) {
        return;
      }
      phase = Phase.CONNECTED;
    }
    queueControl(ServerFrames.connected(id, limits.heartbeat(), limits.heartbeat()));
    flush();
  }

  private String tokenOf(ClientFrame frame) {
    String header = frame.header("Sluice-Session");
    return header == null ? handshake.sessionToken() : header;
  }

  private AdminRule.Call callOf(ClientFrame frame) {
    AdminRule.Call call = handshake.call();
    String header = frame.header("Authorization");
    return header == null
        ? call
        : new AdminRule.Call(call.peer(), call.headerNames(), header, call.host(), call.origin());
  }

  private void subscribe(ClientFrame frame) throws MalformedFrameException {
    String subscriptionId = required(frame, "id");
    String destination = required(frame, "destination");
    String receipt = frame.header("receipt");
    if (subscriptionId.length() > MAX_SUBSCRIPTION_ID) {
      throw new MalformedFrameException("id is longer than " + MAX_SUBSCRIPTION_ID);
    }
    String ack = frame.header("ack");
    if (ack != null && !ack.equals("auto")) {
      throw new MalformedFrameException("ack can only be auto");
    }
    String room = frame.header("room");
    if (room != null && !Ids.isValid(room)) {
      throw new MalformedFrameException("room is no identifier");
    }
    Optional<Destination> parsed = Destination.parse(destination);
    if (parsed.isEmpty()) {
      fail(Problem.unknown("There is no such destination."), receipt);
      return;
    }
    if (parsed.get() instanceof Destination.OfHot && operator != AdminRule.Verdict.ALLOWED) {
      fail(Problem.ofOperators(operator), receipt);
      return;
    }
    Subscription subscription = subscription(subscriptionId, destination, parsed.get(), room);
    if (subscription == null) {
      fail(Problem.noSession("What concerns a person needs a session."), receipt);
      return;
    }
    register(subscriptionId, subscription, receipt);
  }

  /** Null when it takes a session and there is none. */
  private Subscription subscription(
      String subscriptionId, String text, Destination destination, String room) {
    if (destination instanceof Destination.OfPerson ofPerson) {
      return sessionHash == null
          ? null
          : new PersonSubscription(
              services.table(),
              this,
              subscriptionId,
              text,
              ofPerson.kind(),
              new PersonKey(ofPerson.requestId(), sessionHash),
              room);
    }
    if (destination instanceof Destination.OfRoom ofRoom) {
      return new RoomSubscription(this, subscriptionId, text, ofRoom.roomId());
    }
    if (destination instanceof Destination.OfFeed ofFeed) {
      return new FeedSubscription(this, subscriptionId, text, ofFeed.roomId());
    }
    return destination instanceof Destination.OfHot
        ? new HotSubscription(this, subscriptionId, text)
        : new ServerSubscription(this, subscriptionId, text);
  }

  private void register(String subscriptionId, Subscription subscription, String receipt) {
    Subscription present;
    boolean full;
    synchronized (subscriptions) {
      if (phase == Phase.LEAVING) {
        return;
      }
      present = subscriptions.get(subscriptionId);
      full = present == null && subscriptions.size() >= limits.subscriptions();
      if (present == null && !full) {
        subscriptions.put(subscriptionId, subscription);
        services.table().add(subscription);
      }
    }
    if (full) {
      fail(Problem.tooMany("The connection has as many subscriptions as it may."), receipt);
    } else if (present == null) {
      tellPresent(subscription, receipt);
    } else if (isSame(present, subscription)) {
      confirm(receipt);
    } else {
      fail(Problem.malformed("this id is subscribed to something else"), receipt);
    }
  }

  private static boolean isSame(Subscription one, Subscription other) {
    return one.destination().equals(other.destination())
        && (!(one instanceof PersonSubscription a)
            || !(other instanceof PersonSubscription b)
            || Objects.equals(a.room(), b.room()));
  }

  private void tellPresent(Subscription subscription, String receipt) {
    if (subscription instanceof PersonSubscription ofPerson) {
      AtomicBoolean confirmed = new AtomicBoolean();
      services
          .presentState()
          .tell(
              ofPerson,
              ownership -> {
                boolean first = confirmed.compareAndSet(false, true);
                if (ownership == Ownership.FOREIGN) {
                  fail(Problem.notYours(), first ? receipt : null);
                } else if (first) {
                  confirm(receipt);
                }
              });
    } else {
      confirm(receipt);
      if (subscription instanceof RoomSubscription ofRoom) {
        services.stats().tell(ofRoom);
      } else if (subscription instanceof FeedSubscription ofFeed) {
        services.rooms().tell(ofFeed);
      } else if (subscription instanceof HotSubscription ofHot) {
        services.hotRooms().tell(ofHot);
      }
    }
  }

  private void unsubscribe(ClientFrame frame) throws MalformedFrameException {
    String subscriptionId = required(frame, "id");
    Subscription subscription;
    synchronized (subscriptions) {
      subscription = subscriptions.remove(subscriptionId);
    }
    if (subscription != null) {
      services.table().remove(subscription);
    }
    confirm(frame.header("receipt"));
  }

  private void disconnect(ClientFrame frame) {
    String receipt = frame.header("receipt");
    if (receipt != null) {
      queueControl(ServerFrames.receipt(receipt));
    }
    leave(NORMAL, "");
  }

  private static String required(ClientFrame frame, String header) throws MalformedFrameException {
    String value = frame.header(header);
    if (value == null || value.isEmpty()) {
      throw new MalformedFrameException(frame.command() + " needs the header " + header);
    }
    return value;
  }

  private void confirm(String receipt) {
    if (receipt != null) {
      queueControl(ServerFrames.receipt(receipt));
      flush();
    }
  }

  /** Says what is wrong, then closes, as STOMP asks; the first failure alone. */
  private void fail(Problem problem, String receipt) {
    if (begin(problem.closeCode(), problem.title())) {
      services.counters().countError();
      queueControl(ServerFrames.error(problem.title(), receipt, problem.json(PATH)));
      outbox.seal();
    }
    pump();
  }

  /** Closes once what has to leave has left. */
  public void leave(int code, String reason) {
    if (begin(code, reason)) {
      outbox.seal();
    }
    pump();
  }

  /** Closes without waiting for what is queued: the client doesn't take it. */
  private void giveUp(String reason) {
    if (begin(TRY_AGAIN_LATER, reason)) {
      outbox.discard();
      closeWire();
    }
  }

  /** Ends the socket at once, whatever state the other side is in. */
  public void drop() {
    begin(NORMAL, "");
    outbox.discard();
    wire.drop();
    ended();
  }

  /** The first reason to end counts: true for it alone. All subscriptions go. */
  private boolean begin(int code, String reason) {
    List<Subscription> all;
    synchronized (subscriptions) {
      if (phase == Phase.LEAVING) {
        return false;
      }
      closeCode = code;
      closeReason = reason;
      leavingAt = services.nanos().getAsLong();
      phase = Phase.LEAVING;
      all = List.copyOf(subscriptions.values());
      subscriptions.clear();
    }
    all.forEach(services.table()::remove);
    return true;
  }

  private void closeWire() {
    if (closeSent.compareAndSet(false, true)) {
      wire.close(closeCode, closeReason);
    }
  }

  @Override
  public void mustDeliver(Subscription subscription, Encoded body) {
    note(outbox.mustDeliver(new Parcel.Message(subscription.head(), body)));
  }

  @Override
  public void lastValue(Subscription subscription, Object key, Encoded body) {
    note(outbox.lastValue(key, new Parcel.Message(subscription.head(), body)));
    if (flushesSoon.compareAndSet(false, true)) {
      services.flushSoon().accept(this);
    }
  }

  /** What was to be flushed soon. */
  void flushNow() {
    flushesSoon.set(false);
    flush();
  }

  @Override
  public void control(Subscription subscription, Encoded body) {
    note(outbox.control(new Parcel.Message(subscription.head(), body)));
  }

  @Override
  public void forget(Object key) {
    outbox.forget(key);
  }

  @Override
  public boolean hasRoom() {
    return outbox.bytes() <= limits.outboxBytes() / 2;
  }

  private void queueControl(Encoded frame) {
    note(outbox.control(new Parcel.Frame(frame)));
  }

  /** Only notes an overflow: whoever queues may hold a lock that ending would need. */
  private void note(Offer offer) {
    if (offer == Offer.OVERFLOW) {
      overflowed = true;
    } else if (offer == Offer.REPLACED) {
      services.counters().countReplaced();
    }
  }

  @Override
  public void flush() {
    pump();
    if (overflowed && phase != Phase.LEAVING) {
      services.counters().countOverflow();
      giveUp("too slow");
    }
  }

  /**
   * Sends as long as there is something and the socket takes it. One thread at a time does; another
   * that comes meanwhile, the callback in its own call included, only makes it look once more.
   */
  private void pump() {
    if (pumping.getAndIncrement() != 0) {
      return;
    }
    int missed = 1;
    while (missed != 0) {
      List<Parcel> load = outbox.next();
      while (!load.isEmpty()) {
        send(load);
        load = outbox.next();
      }
      if (outbox.isDrained()) {
        closeWire();
      }
      missed = pumping.addAndGet(-missed);
    }
  }

  private void send(List<Parcel> load) {
    sentAt = services.nanos().getAsLong();
    List<Encoded> frames = new ArrayList<>(load.size());
    for (Parcel parcel : load) {
      frames.add(
          parcel instanceof Parcel.Message message
              ? ServerFrames.message(message.head(), messageId++, message.body())
              : ((Parcel.Frame) parcel).frame());
    }
    wire.send(
        frames,
        new Wire.Sent() {
          @Override
          public void succeeded() {
            services.counters().countSent(frames.size());
            outbox.sent();
            pump();
          }

          @Override
          public void failed(Throwable cause) {
            drop();
          }
        });
  }

  /**
   * Does what is due: a heartbeat, a ping, or the end of a client that is silent, stuck or slow to
   * leave.
   *
   * @param period time until the next call, so that nothing comes late
   */
  void tick(Duration period) {
    long now = services.nanos().getAsLong();
    if (phase == Phase.LEAVING) {
      if (isOver(now - leavingAt, limits.closeWithin())) {
        drop();
      }
    } else if (phase == Phase.OPENED) {
      if (isOver(now - openedAt, limits.connectWithin())) {
        services.counters().countSilent();
        leave(POLICY_VIOLATION, "no CONNECT");
      }
    } else if (outbox.hasInFlight()) {
      takingAt = now;
      if (isOver(now - sentAt, limits.sendWithin())) {
        services.counters().countOverflow();
        drop();
      }
    } else if (isOver(now - Math.max(heardAt, takingAt), limits.silence())) {
      services.counters().countSilent();
      drop();
    } else {
      beat(now + period.toNanos());
    }
  }

  private void beat(long nextTick) {
    if (!heartBeat.send().isZero() && isOver(nextTick - sentAt, heartBeat.send())) {
      queueControl(ServerFrames.HEARTBEAT);
    }
    if (isOver(nextTick - Math.max(heardAt, pingedAt), limits.heartbeat())) {
      pingedAt = services.nanos().getAsLong();
      wire.ping();
    }
    flush();
  }

  private static boolean isOver(long nanos, Duration limit) {
    return nanos >= limit.toNanos();
  }

  /** Subscriptions it has now. */
  int subscriptionCount() {
    synchronized (subscriptions) {
      return subscriptions.size();
    }
  }

  /** Bytes waiting and in flight. */
  long outboxBytes() {
    return outbox.bytes();
  }

  @Override
  public String toString() {
    return "StompConnection[" + id + ", " + phase + "]";
  }
}
