package dev.sluice.notifier.routing;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/**
 * Finds subscriptions: by person, by room, by the room in which their person waits; and counts the
 * connections that follow what is said in a room. Adding, removing and finding are hash look-ups
 * whatever the number of subscriptions; iterating copies nothing and may or may not see what is
 * added meanwhile. An entry goes with its last subscription. Thread-safe.
 */
public final class RoutingTable {
  private final Map<PersonKey, Set<PersonSubscription>> people = new ConcurrentHashMap<>();
  private final Map<String, Set<RoomSubscription>> rooms = new ConcurrentHashMap<>();
  private final Map<String, Set<PersonSubscription>> waiting = new ConcurrentHashMap<>();
  private final Map<String, Followers> followers = new ConcurrentHashMap<>();
  private final Set<HotSubscription> hot = ConcurrentHashMap.newKeySet();
  private final Set<ServerSubscription> server = ConcurrentHashMap.newKeySet();
  private final List<Consumer<String>> audienceListeners = new CopyOnWriteArrayList<>();

  /** Everything that happens from here on reaches {@code subscription}. */
  public void add(Subscription subscription) {
    if (subscription instanceof PersonSubscription ofPerson) {
      add(people, ofPerson.person(), ofPerson);
    } else if (subscription instanceof RoomSubscription ofRoom) {
      add(rooms, ofRoom.roomId(), ofRoom);
    } else if (subscription instanceof FeedSubscription ofFeed) {
      followers.compute(
          ofFeed.roomId(),
          (roomId, present) -> (present == null ? new Followers() : present).with(ofFeed));
      audienceListeners.forEach(listener -> listener.accept(ofFeed.roomId()));
    } else if (subscription instanceof HotSubscription ofHot) {
      hot.add(ofHot);
    } else if (subscription instanceof ServerSubscription ofServer) {
      server.add(ofServer);
    }
  }

  /** Forgets {@code subscription}; nothing of it is left. */
  public void remove(Subscription subscription) {
    if (subscription instanceof PersonSubscription ofPerson) {
      remove(people, ofPerson.person(), ofPerson);
      ofPerson.cancel();
    } else if (subscription instanceof RoomSubscription ofRoom) {
      remove(rooms, ofRoom.roomId(), ofRoom);
      ofRoom.cancel();
    } else if (subscription instanceof FeedSubscription ofFeed) {
      followers.computeIfPresent(ofFeed.roomId(), (roomId, present) -> present.without(ofFeed));
      ofFeed.cancel();
      audienceListeners.forEach(listener -> listener.accept(ofFeed.roomId()));
    } else if (subscription instanceof HotSubscription ofHot) {
      hot.remove(ofHot);
      ofHot.cancel();
    } else if (subscription instanceof ServerSubscription ofServer) {
      server.remove(ofServer);
    }
  }

  public Collection<PersonSubscription> ofPerson(PersonKey person) {
    return people.getOrDefault(person, Set.of());
  }

  public Collection<RoomSubscription> ofRoom(String roomId) {
    return rooms.getOrDefault(roomId, Set.of());
  }

  /** Those whose person waits in {@code roomId}, as far as they know. */
  public Collection<PersonSubscription> waitingIn(String roomId) {
    return waiting.getOrDefault(roomId, Set.of());
  }

  /** Tells each room in which a subscriber's person waits. */
  public void forEachRoomWithWaiting(Consumer<String> action) {
    waiting.keySet().forEach(action);
  }

  /** Those who follow what is said in {@code roomId}. */
  public Collection<FeedSubscription> following(String roomId) {
    Followers present = followers.get(roomId);
    return present == null ? Set.of() : present.subscriptions();
  }

  /** Whether anybody follows what is said in {@code roomId}. */
  public boolean isFollowed(String roomId) {
    return followers.containsKey(roomId);
  }

  /** Connections that follow what is said in {@code roomId}. */
  public int audience(String roomId) {
    Followers present = followers.get(roomId);
    return present == null ? 0 : present.connections();
  }

  /** Tells {@code listener} each room whose audience may have changed, after it has. */
  public void onAudience(Consumer<String> listener) {
    audienceListeners.add(listener);
  }

  public Collection<HotSubscription> ofHot() {
    return hot;
  }

  public Collection<ServerSubscription> ofServer() {
    return server;
  }

  public boolean hasRoom(String roomId) {
    return rooms.containsKey(roomId);
  }

  /** People (by request and session) with a subscriber. */
  public int peopleCount() {
    return people.size();
  }

  /** Rooms whose figures have a subscriber. */
  public int roomCount() {
    return rooms.size();
  }

  /** Rooms whose events are followed. */
  public int followedRoomCount() {
    return followers.size();
  }

  /** Rooms in which a subscriber's person waits. */
  public int waitingRoomCount() {
    return waiting.size();
  }

  /** Nobody is subscribed to anything. */
  public boolean isEmpty() {
    return people.isEmpty()
        && rooms.isEmpty()
        && waiting.isEmpty()
        && followers.isEmpty()
        && hot.isEmpty()
        && server.isEmpty();
  }

  void addWaiting(String roomId, PersonSubscription subscription) {
    add(waiting, roomId, subscription);
  }

  void removeWaiting(String roomId, PersonSubscription subscription) {
    remove(waiting, roomId, subscription);
  }

  private static <K, S> void add(Map<K, Set<S>> map, K key, S subscription) {
    map.compute(
        key,
        (same, set) -> {
          Set<S> all = set == null ? ConcurrentHashMap.newKeySet(2) : set;
          all.add(subscription);
          return all;
        });
  }

  private static <K, S> void remove(Map<K, Set<S>> map, K key, S subscription) {
    map.computeIfPresent(
        key,
        (same, set) -> {
          set.remove(subscription);
          return set.isEmpty() ? null : set;
        });
  }
}
