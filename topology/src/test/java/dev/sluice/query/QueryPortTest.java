package dev.sluice.query;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.sluice.admission.AdmissionMachine;
import dev.sluice.admission.AdmissionState;
import dev.sluice.admission.RestingRooms;
import dev.sluice.admission.Step;
import dev.sluice.contract.AcceptedSetting;
import dev.sluice.contract.Command;
import dev.sluice.query.QueryException.Kind;
import dev.sluice.query.SystemView.PartitionStatus;
import dev.sluice.query.SystemView.PartitionView;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class QueryPortTest {
  private static final String TOKEN = "shared";
  private static final Duration SOON = Duration.ofSeconds(5);
  private static final Duration AT_ONCE = Duration.ofMillis(300);

  private final OwnedPartitions ownedThere = new OwnedPartitions();
  private final LocalQueries there = new LocalQueries(ownedThere, 2, SOON, () -> 1_000);
  private final LocalRoomQueries roomsThere = LocalRoomQueries.none(2, SOON);
  private final AdmissionState state = new AdmissionState(0, new Nobody(), RestingRooms.NONE);
  private final AdmissionMachine machine = new AdmissionMachine(state);
  private OwnedPartition owned;
  private QueryServer server;
  private Address address;
  private RoutedQueries here;
  private String room;

  @BeforeEach
  void start() throws IOException {
    owned = new OwnedPartition(0, state, 1 << 10, 1_000, Runnable::run);
    owned.logSeen(0, 0);
    ownedThere.opened(owned);
    server =
        new QueryServer(
            "127.0.0.1",
            0,
            TOKEN,
            there,
            roomsThere,
            Map.of(OwnedKind.ADMISSION, () -> Map.of(0, address)));
    server.start();
    address = new Address("127.0.0.1", server.port());
    room = roomIn(0);
    here = asked(() -> Map.of(0, address), TOKEN);
    apply(new Command.Configure(List.of(new AcceptedSetting("admission.capacity", null, "1", 1))));
  }

  @AfterEach
  void stop() {
    server.close();
  }

  @Test
  void everyAnswerIsThatOfTheOwner() {
    for (int i = 0; i < 200; i++) {
      apply(new Command.Enter(room, "p" + i, "s" + i));
    }
    long last = owned.applied();

    assertThat(here.await(0, last, SOON).join()).isEqualTo(there.await(0, last, SOON).join());
    assertThat(here.person(room, "p7", last).join())
        .isEqualTo(there.person(room, "p7", last).join())
        .hasValueSatisfying(person -> assertThat(person.rank()).isEqualTo(7));
    assertThat(here.person(room, "nobody", last).join()).isEmpty();
    assertThat(here.room(room).join()).isEqualTo(there.room(room).join());
    WaitingSnapshot snapshot = here.waiting(room).join();
    assertThat(snapshot.room().waiting()).isEqualTo(199);
    assertThat(snapshot.waiting().size()).isEqualTo(199);
    assertThat(snapshot.waiting().rank(200)).isEqualTo(199);
    assertThat(snapshot.offset()).isEqualTo(last);
  }

  @Test
  void anAwaitedOffsetIsAnsweredWhenItComes() {
    CompletableFuture<Answer> awaited = here.await(0, owned.applied() + 1, SOON);
    assertThat(awaited).isNotDone();
    apply(new Command.Enter(room, "ann", "s"));
    assertThat(awaited.join().person().requestId()).isEqualTo("ann");
  }

  @Test
  void theSystemShowsWhoOwnsWhatAndWhatNobodyDoes() {
    apply(new Command.Enter(room, "ann", "s"));
    SystemView system = here.system().join();
    assertThat(system.partitions())
        .extracting(PartitionView::partition, PartitionView::status, PartitionView::owner)
        .containsExactly(
            tuple(0, PartitionStatus.READY, address.toString()),
            tuple(1, PartitionStatus.UNOWNED, null));
    assertThat(system.rooms()).extracting(RoomView::roomId).containsExactly(room);
  }

  @Test
  void aPersonIsFoundWithoutTheRoomOnlyIfAllPartitionsAnswer() {
    assertThat(kindOf(here.people("ann"))).isEqualTo(Kind.MOVING);
  }

  @Test
  void anotherTokenGetsNothing() throws Exception {
    RoutedQueries stranger = asked(() -> Map.of(0, address), "guessed");
    assertThat(kindOf(stranger.room(room))).isEqualTo(Kind.UNREACHABLE);
    HttpRequest bare =
        HttpRequest.newBuilder(URI.create("http://" + address + "/queries/system"))
            .POST(HttpRequest.BodyPublishers.ofString("{}"))
            .build();
    HttpResponse<String> answer =
        HttpClient.newHttpClient().send(bare, HttpResponse.BodyHandlers.ofString());
    assertThat(answer.statusCode()).isEqualTo(401);
    assertThat(answer.body()).isEmpty();
  }

  @Test
  void aBadQuestionIsRefused() throws Exception {
    for (String path : List.of("room", "nothing", "await")) {
      HttpRequest bad =
          HttpRequest.newBuilder(URI.create("http://" + address + "/queries/" + path))
              .header("Authorization", "Bearer " + TOKEN)
              .POST(HttpRequest.BodyPublishers.ofString("{\"partition\":\"x\""))
              .build();
      assertThat(
              HttpClient.newHttpClient()
                  .send(bad, HttpResponse.BodyHandlers.ofString())
                  .statusCode())
          .isEqualTo(400);
    }
  }

  @Test
  void askedAgainWhileThePartitionMoves() {
    List<Integer> refreshed = new ArrayList<>();
    Owners moving =
        new Owners() {
          @Override
          public synchronized Map<Integer, Address> all() {
            return refreshed.size() < 3 ? Map.of() : Map.of(0, address);
          }

          @Override
          public synchronized void refresh() {
            refreshed.add(1);
          }
        };
    assertThat(asked(moving, TOKEN).room(room).join().roomId()).isEqualTo(room);
  }

  @Test
  void anOwnerThatIsGoneIsUnreachableInTime() {
    server.close();
    assertThat(kindOf(here.room(room))).isEqualTo(Kind.UNREACHABLE);
    assertThat(kindOf(here.await(0, 5, AT_ONCE))).isEqualTo(Kind.UNREACHABLE);
  }

  @Test
  void aHaltedPartitionSaysWhy() {
    owned.halt("of a test");
    assertThat(kindOf(here.room(room))).isEqualTo(Kind.HALTED);
  }

  private static RoutedQueries asked(Owners owners, String token) {
    return new RoutedQueries(
        new LocalQueries(new OwnedPartitions(), 2, AT_ONCE.multipliedBy(5), () -> 1_000),
        owners,
        new QueryClient(token, SOON));
  }

  private void apply(Command command) {
    Step step = machine.apply(owned.applied() + 1, 1_000, command);
    owned.applied(((Step.Applied) step).answer(), Long.MAX_VALUE);
  }

  private String roomIn(int partition) {
    for (int i = 0; ; i++) {
      if (there.partitionOf("room" + i) == partition) {
        return "room" + i;
      }
    }
  }

  private static Kind kindOf(CompletableFuture<?> refused) {
    Throwable failure = refused.handle((answer, why) -> why).join();
    return ((QueryException) Routing.cause(failure)).kind();
  }
}
