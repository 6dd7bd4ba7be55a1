package dev.sluice.api.problem;

import java.util.Locale;

/** Every kind of failure that REST answers with, with its HTTP status and title. */
public enum ProblemType {
  MALFORMED(400, "Malformed request"),
  INVALID(400, "Invalid request"),
  NO_SESSION(401, "No session"),
  FORGED_SESSION(401, "Unknown session"),
  NO_TOKEN(401, "No admin token"),
  NOT_YOURS(403, "Not yours"),
  NOT_LOCAL(403, "Not from here"),
  NO_SUCH_PATH(404, "Unknown path"),
  NEVER_ENTERED(404, "Never entered"),
  NO_SUCH_SETTING(404, "Unknown setting"),
  NO_SUCH_RECORD(404, "Unknown record"),
  WRONG_METHOD(405, "Method not allowed"),
  NOT_ACCEPTABLE(406, "Not acceptable"),
  TOO_SLOW(408, "Request too slow"),
  ROOM_CLOSED(409, "Room closed"),
  ROOM_DRAINING(409, "Room draining"),
  STILL_WAITING(409, "Still waiting"),
  PLACE_ENDED(409, "Place ended"),
  CANT_BE_SENT(409, "Can't be sent again"),
  TOO_LARGE(413, "Too large"),
  WRONG_MEDIA_TYPE(415, "Wrong media type"),
  TOO_MANY_PLACES(429, "Too many places"),
  JOIN_LIMIT(429, "Too many joins"),
  INTERNAL(500, "Internal error"),
  BUSY(503, "Too busy"),
  LOG_AWAY(503, "Not able now"),
  STATE_AWAY(503, "Not able now"),
  MAY_BE_STORED(503, "Not sure"),
  NOT_READY(503, "Not ready"),
  NOT_ALIVE(503, "Not alive"),
  /** Whatever else the container refuses; its status is its own. */
  OTHER(0, "Refused");

  private final int status;
  private final String title;

  ProblemType(int status, String title) {
    this.status = status;
    this.title = title;
  }

  int status() {
    return status;
  }

  String title() {
    return title;
  }

  String uri() {
    return "urn:sluice:problem:" + name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
