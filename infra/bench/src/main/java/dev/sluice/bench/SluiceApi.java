package dev.sluice.bench;

import dev.sluice.bench.http.Request;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;

/** The requests of Sluice's REST contract, as bytes for one server. */
public final class SluiceApi {
  private final InetSocketAddress server;
  private final String adminToken;

  /**
   * @param adminToken for the admin calls, or null where loopback is enough
   */
  public SluiceApi(InetSocketAddress server, String adminToken) {
    this.server = server;
    this.adminToken = adminToken;
  }

  /**
   * The address of a base URL such as {@code http://127.0.0.1:8080}.
   *
   * @throws IllegalArgumentException if it isn't one
   */
  public static InetSocketAddress addressOf(String url) {
    URI uri = URI.create(url);
    if (!"http".equals(uri.getScheme()) || uri.getHost() == null) {
      throw new IllegalArgumentException("not an http://host:port URL: " + url);
    }
    return new InetSocketAddress(uri.getHost(), uri.getPort() < 0 ? 80 : uri.getPort());
  }

  public InetSocketAddress server() {
    return server;
  }

  public byte[] issueSession() {
    return Request.to(server, "POST", "/api/sessions/issue").bytes();
  }

  /**
   * @param session null lets the server issue one
   */
  public byte[] enter(String session, String room, String person) {
    return change("enter", session, room, person);
  }

  public byte[] heartbeat(String session, String room, String person) {
    return change("heartbeat", session, room, person);
  }

  public byte[] complete(String session, String room, String person) {
    return change("complete", session, room, person);
  }

  public byte[] leave(String session, String room, String person) {
    return change("leave", session, room, person);
  }

  public byte[] status(String session, String room, String person) {
    return Request.to(
            server, "GET", "/api/admission/status?roomId=" + room + "&requestId=" + person)
        .header("Sluice-Session", session)
        .bytes();
  }

  /** The public keys of passes: an address that only a Sluice answers. */
  public byte[] keys() {
    return Request.to(server, "GET", "/api/admission/keys").bytes();
  }

  /** Somebody says something in a room. */
  public byte[] message(String room, String user, String country, String app) {
    String json =
        "{\"kind\":\"MESSAGE\",\"userId\":\"%s\",\"country\":\"%s\",\"app\":\"%s\",\"payload\":\"hello\"}"
            .formatted(user, country, app);
    return Request.to(server, "POST", "/api/rooms/" + room + "/events").json(json).bytes();
  }

  /**
   * Somebody reads what was said after a cursor.
   *
   * @param upTo the answer holds all up to this cursor at least
   */
  public byte[] fetch(String room, long after, long upTo, String country, String app) {
    String query = "?after=" + after + "&upTo=" + upTo + "&country=" + country + "&app=" + app;
    return Request.to(server, "GET", "/api/rooms/" + room + "/events" + query).bytes();
  }

  public byte[] join(String room, String user) {
    String json = "{\"userId\":\"" + user + "\"}";
    return Request.to(server, "POST", "/api/rooms/" + room + "/join").json(json).bytes();
  }

  public byte[] room(String room) {
    return Request.to(server, "GET", "/api/rooms/" + room).bytes();
  }

  public byte[] ready() {
    return Request.to(server, "GET", "/health/ready").bytes();
  }

  public byte[] roomStatus(String room) {
    return asAdmin(Request.to(server, "GET", "/api/admin/admission/status/" + room)).bytes();
  }

  /**
   * @param room null for all
   * @param json the value, such as {@code 200} or {@code "30s"} with its quotes
   */
  public byte[] putSetting(String key, String room, String json) {
    return asAdmin(Request.to(server, "PUT", setting(key, room)).json(json)).bytes();
  }

  public byte[] deleteSetting(String key, String room) {
    return asAdmin(Request.to(server, "DELETE", setting(key, room))).bytes();
  }

  private byte[] change(String call, String session, String room, String person) {
    Request request = Request.to(server, "POST", "/api/admission/" + call);
    if (session != null) {
      request.header("Sluice-Session", session);
    }
    return request.json("{\"roomId\":\"" + room + "\",\"requestId\":\"" + person + "\"}").bytes();
  }

  private static String setting(String key, String room) {
    String path = "/api/admin/settings/" + key;
    return room == null ? path : path + "?room=" + URLEncoder.encode(room, StandardCharsets.UTF_8);
  }

  private Request asAdmin(Request request) {
    return adminToken == null ? request : request.header("Authorization", "Bearer " + adminToken);
  }
}
