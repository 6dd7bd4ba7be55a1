package dev.sluice.query;

import dev.sluice.query.QueryException.Kind;
import dev.sluice.query.QueryJson.Content;
import dev.sluice.query.QueryJson.Fields;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Function;

/** Asks the internal port of another process. Thread-safe. */
public final class QueryClient {
  /** How much longer than the other end may take its answer may take. */
  private static final Duration ON_THE_WAY = Duration.ofMillis(500);

  private static final Duration CONNECT_AT_MOST = Duration.ofMillis(500);

  private final HttpClient http =
      HttpClient.newBuilder()
          .version(HttpClient.Version.HTTP_1_1)
          .connectTimeout(CONNECT_AT_MOST)
          .build();
  private final String token;
  private final Duration readAtMost;

  /**
   * @param token shared by all processes of the installation
   * @param readAtMost how long the other end may take for a read
   */
  public QueryClient(String token, Duration readAtMost) {
    this.token = token;
    this.readAtMost = readAtMost;
  }

  CompletableFuture<Answer> await(Address at, int partition, long offset, Duration atMost) {
    return ask(
        at,
        "await",
        atMost,
        to -> {
          to.writeNumberField("partition", partition);
          to.writeNumberField("offset", offset);
          to.writeNumberField("atMostMillis", atMost.toMillis());
        },
        QueryJson::answer);
  }

  CompletableFuture<Optional<PersonView>> person(
      Address at, String roomId, String requestId, long leastOffset) {
    return ask(
        at,
        "person",
        readAtMost,
        to -> {
          to.writeStringField("roomId", roomId);
          to.writeStringField("requestId", requestId);
          to.writeNumberField("leastOffset", leastOffset);
        },
        QueryJson::maybePerson);
  }

  CompletableFuture<List<PersonView>> people(Address at, String roomId, List<String> requestIds) {
    return ask(
        at,
        "persons",
        readAtMost,
        to -> {
          to.writeStringField("roomId", roomId);
          to.writeArrayFieldStart("requestIds");
          for (String requestId : requestIds) {
            to.writeString(requestId);
          }
          to.writeEndArray();
        },
        QueryJson::people);
  }

  CompletableFuture<List<PersonView>> people(Address at, int partition, String requestId) {
    return ask(
        at,
        "people",
        readAtMost,
        to -> {
          to.writeNumberField("partition", partition);
          to.writeStringField("requestId", requestId);
        },
        QueryJson::people);
  }

  CompletableFuture<RoomView> room(Address at, String roomId) {
    return ask(
        at, "room", readAtMost, to -> to.writeStringField("roomId", roomId), QueryJson::room);
  }

  CompletableFuture<WaitingSnapshot> waiting(Address at, String roomId) {
    return ask(
        at, "waiting", readAtMost, to -> to.writeStringField("roomId", roomId), QueryJson::waiting);
  }

  /** What the process at {@code at} owns. */
  CompletableFuture<SystemView> system(Address at) {
    return ask(
        at,
        "system",
        readAtMost,
        to -> to.writeStringField("owner", at.toString()),
        QueryJson::system);
  }

  CompletableFuture<FeedPage> feed(Address at, String roomId, long after, long upTo, int limit) {
    return ask(
        at,
        "feed",
        readAtMost,
        to -> {
          to.writeStringField("roomId", roomId);
          to.writeNumberField("after", after);
          to.writeNumberField("upTo", upTo);
          to.writeNumberField("limit", limit);
        },
        RoomQueryJson::feed);
  }

  CompletableFuture<Long> members(Address at, String roomId) {
    return ask(
        at,
        "members",
        readAtMost,
        to -> to.writeStringField("roomId", roomId),
        RoomQueryJson::members);
  }

  CompletableFuture<RoomHeat> heat(Address at, String roomId) {
    return ask(
        at, "heat", readAtMost, to -> to.writeStringField("roomId", roomId), RoomQueryJson::heat);
  }

  CompletableFuture<List<RoomHeat>> hot(Address at, int partition) {
    return ask(
        at,
        "hot",
        readAtMost,
        to -> to.writeNumberField("partition", partition),
        RoomQueryJson::rooms);
  }

  /** The counts that the process at {@code at} owns. */
  CompletableFuture<HeatSystem> heatSystem(Address at) {
    return ask(
        at,
        "heatSystem",
        readAtMost,
        to -> to.writeStringField("owner", at.toString()),
        RoomQueryJson::system);
  }

  /** Who owns what, as known by the process at {@code at}. */
  CompletableFuture<Map<Integer, Address>> owners(Address at, OwnedKind of) {
    return ask(
        at, "owners", readAtMost, to -> to.writeStringField("of", of.name()), QueryJson::owners);
  }

  private <T> CompletableFuture<T> ask(
      Address at, String question, Duration atMost, Content body, Function<Fields, T> decoder) {
    HttpRequest request =
        HttpRequest.newBuilder(
                URI.create("http://" + at.host() + ":" + at.port() + QueryServer.PATH + question))
            .header("Authorization", "Bearer " + token)
            .timeout(atMost.plus(ON_THE_WAY))
            .POST(HttpRequest.BodyPublishers.ofByteArray(QueryJson.write(body)))
            .build();
    return http.sendAsync(request, HttpResponse.BodyHandlers.ofByteArray())
        .handle(
            (response, failure) -> {
              if (failure != null) {
                throw unreachable(at, Routing.cause(failure).toString());
              }
              return decoded(at, response, decoder);
            });
  }

  private static <T> T decoded(
      Address at, HttpResponse<byte[]> response, Function<Fields, T> decoder) {
    try {
      return switch (response.statusCode()) {
        case 200 -> decoder.apply(QueryJson.read(response.body()));
        case QueryServer.REFUSED ->
            throw new CompletionException(QueryJson.refusal(QueryJson.read(response.body())));
        case 401 -> throw unreachable(at, "the token of this process isn't that of the other");
        default -> throw unreachable(at, "status " + response.statusCode());
      };
    } catch (IOException e) {
      throw unreachable(at, e.toString());
    }
  }

  private static CompletionException unreachable(Address at, String why) {
    return new CompletionException(
        new QueryException(Kind.UNREACHABLE, "no answer from " + at + ": " + why));
  }
}
