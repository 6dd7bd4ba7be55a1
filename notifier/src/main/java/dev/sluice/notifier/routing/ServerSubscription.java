package dev.sluice.notifier.routing;

import dev.sluice.notifier.stomp.Encoded;

/** A subscription to what this server says about itself. */
public final class ServerSubscription extends Subscription {
  public ServerSubscription(Outlet outlet, String id, String destination) {
    super(outlet, id, destination);
  }

  /** Says {@code body} ahead of everything else. */
  public void say(Encoded body) {
    outlet().control(this, body);
    outlet().flush();
  }
}
