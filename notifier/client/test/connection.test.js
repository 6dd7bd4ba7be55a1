import assert from 'node:assert/strict';
import { beforeEach, afterEach, mock, test } from 'node:test';

import { SluiceClient } from '../sluice-client.js';
import { FakeServer, admitted, listen, ok, pass, pendingTimers, settle, waiting } from './fakes.js';

const ENTER = 'POST /api/admission/enter';
const STATUS = 'GET /api/admission/status';
const MINUTE = 60_000;

let server;
let client;
let seen;
const { timers } = mock;

function connectClient(options = {}) {
  client = new SluiceClient({ ...server.person, ...options });
  seen = listen(client);
}

/** Random numbers in this order, then the last one for ever. */
const inOrder = (...numbers) => () => (numbers.length > 1 ? numbers.shift() : numbers[0]);

/** Time that passes without any timer, as when a machine sleeps; then all of them are due at once. */
function sleep(ms) {
  timers.setTime(Date.now() + ms);
}

async function stayLive(ms) {
  await settle();
  for (let done = 0; done < ms; done += 10_000) {
    server.last.heartbeat();
    await pass(timers, Math.min(10_000, ms - done), 1_000);
  }
}

/** How long it takes to be back, in milliseconds. */
async function untilBack() {
  const tried = server.sockets.length;
  const since = Date.now();
  while (server.sockets.length === tried) {
    await pass(timers, 50, 50);
  }
  await settle();
  return Date.now() - since;
}

const subscribed = () => [...server.last.subscriptions.values()].map(({ destination }) => destination);
const ALL = ['/topic/admission/u', '/topic/timeout/u', '/topic/rank/u', '/topic/stats/r', '/topic/server'];

beforeEach(() => {
  timers.enable({ apis: ['setTimeout', 'setInterval', 'Date'], now: 1_000_000 });
  server = new FakeServer();
  server.on(STATUS, ok(waiting(50, 10, { ticket: 7 })));
  connectClient();
});

afterEach(() => {
  client.close();
  timers.reset();
});

test('after three failures it polls at the recommended interval and keeps trying to come back', async () => {
  server.accepts = false;
  client.follow();
  await pass(timers, 30_000);

  const polls = server.called(STATUS).map(({ at }) => at);
  assert.ok(polls.length >= 3, `polled ${polls.length} times`);
  assert.equal(server.sockets.filter(({ openedAt }) => openedAt <= polls[0]).length, 3);
  assert.ok(polls.slice(1).every((at, i) => at - polls[i] >= 5_000 && at - polls[i] <= 5_750));
  assert.equal(client.connection, 'polling');
  assert.equal(client.place.rank, 50);

  const tried = server.sockets.length;
  server.accepts = true;
  await pass(timers, 30_000);
  assert.equal(client.connection, 'live');
  const polled = server.called(STATUS).length;
  server.push('/topic/rank/u', waiting(30, 60));
  await pass(timers, 20_000);
  assert.ok(server.sockets.length > tried);
  assert.equal(server.called(STATUS).length, polled);
  assert.equal(client.place.rank, 30);
});

test('when not even polling works it says so, and the place is kept', async () => {
  server.on(STATUS, { status: 503, headers: { 'Retry-After': '7' } });
  server.accepts = false;
  client.follow();
  await pass(timers, 20_000);

  assert.equal(client.connection, 'lost');
  const polls = server.called(STATUS).map(({ at }) => at);
  assert.ok(polls[1] - polls[0] >= 7_000);
  assert.equal(seen('refused').length, 0);
});

test('the delay starts at its base again after a stable connection, and not after a short one', async () => {
  connectClient({ backoffBase: 4_000, backoffCap: 64_000 });
  client.follow();
  await settle();
  const delays = [];
  for (const stable of [20_000, 20_000, 1_000, 1_000, 20_000]) {
    for (let s = 0; s < stable; s += 1_000) {
      server.last.heartbeat();
      await pass(timers, 1_000);
    }
    const before = server.sockets.length;
    const droppedAt = Date.now();
    server.last.drop(1006);
    while (server.sockets.length === before) {
      await pass(timers, 100, 100);
    }
    delays.push(Math.round((Date.now() - droppedAt) / 1_000));
    await settle();
  }
  assert.deepEqual(delays, [2, 2, 4, 8, 2]);
});

test('RECONNECT_SOON is followed at the moment that the server chose', async () => {
  client.follow();
  await settle();
  const old = server.last;
  server.push('/topic/server', { type: 'RECONNECT_SOON', reason: 'SERVER_SHUTDOWN', delayMs: 4_000 });
  await pass(timers, 2_000);
  old.drop(1012);
  await pass(timers, 1_500);
  assert.equal(server.sockets.length, 1);
  await pass(timers, 750);
  assert.equal(server.sockets.length, 2);
  await pass(timers, 5_000);
  assert.equal(server.openSockets.length, 1);
});

test('35 s of silence on an open socket end it', async () => {
  client.follow();
  await settle();
  await pass(timers, 34_000);
  assert.equal(server.sockets.length, 1);
  await pass(timers, 12_000);
  assert.equal(server.sockets.length, 2);
  assert.equal(server.openSockets.length, 1);
});

test('silence is noticed though the clock is set back, and no connection is given up for that', async () => {
  client.follow();
  await stayLive(15_000);
  let hours = 1;
  const { now } = Date;
  const clock = mock.method(Date, 'now', () => now() - hours * 60 * MINUTE);
  try {
    await stayLive(MINUTE);
    assert.equal(server.sockets.length, 1);
    hours++;
    await pass(timers, 45_000);
    assert.equal(server.sockets.length, 2);
  } finally {
    clock.mock.restore();
  }
});

test('what an abandoned connection still says is ignored', async () => {
  client.follow();
  await settle();
  const old = server.last;
  old.close = () => {};
  await pass(timers, 45_000);
  assert.notEqual(server.last, old);
  old.deliver('/topic/rank/u', waiting(3, 99));
  assert.notEqual(client.place?.rank, 3);
});

test('after five minutes without a server there is exactly one subscription per destination', async () => {
  client.follow();
  await settle();
  server.accepts = false;
  server.last.drop(1006);
  await pass(timers, 300_000, 1_000);
  server.accepts = true;
  await pass(timers, 40_000, 1_000);

  assert.equal(server.openSockets.length, 1);
  assert.equal(server.push('/topic/rank/u', waiting(20, 70)), 1);
  assert.equal(client.place.rank, 20);
});

test('a server that connects and never answers is given up', async () => {
  server.mute = true;
  client.follow();
  await pass(timers, 15_000);
  assert.ok(server.sockets.length > 1);
});

test('the first retry is random, and so is each one at the cap', async () => {
  const random = inOrder(0.1, 0.2, 0.3, 0.4, 0.9, 0.05, 0.6);
  connectClient({ random, backoffBase: 1_000, backoffCap: 4_000 });
  server.accepts = false;
  server.on(STATUS, ok(waiting(50, 10, { recommendedPollingInterval: 1e9 })));
  client.follow();
  await settle();

  const delays = [];
  for (let i = 0; i < 6; i++) {
    delays.push(await untilBack());
  }
  // One number goes to the poll that begins after the third failure.
  assert.deepEqual(delays, [100, 400, 1_200, 3_600, 200, 2_400]);
});

test('a server that closes each connection as soon as it stands is not hammered', async () => {
  server.closesAtOnce = true;
  client.follow();
  await pass(timers, 20 * MINUTE, 500);

  // At the cap one attempt every 15 s on average, and in between the usual polls.
  assert.ok(server.sockets.length < 90, `${server.sockets.length} connections`);
  assert.ok(server.called(STATUS).length < 260, `${server.called(STATUS).length} polls`);

  server.closesAtOnce = false;
  await pass(timers, 16_000);
  assert.equal(client.connection, 'live');
  assert.deepEqual(subscribed(), ALL);
});

test('RECONNECT_SOON brings it back once when the old connection stays open too', async () => {
  client.follow();
  await stayLive(20_000);
  const old = server.last;
  server.push('/topic/server', { type: 'RECONNECT_SOON', delayMs: 4_000 });
  await pass(timers, 4_250);
  assert.equal(server.sockets.length, 2);
  assert.deepEqual(seen('connection'), ['connecting', 'live', 'reconnecting', 'live']);
  old.drop(1012);
  await stayLive(MINUTE);
  assert.equal(server.sockets.length, 2);
  assert.deepEqual(subscribed(), ALL);
});

test('servers that send it on as soon as it has connected are not hammered', async () => {
  client.follow();
  for (let i = 0; i < 600; i++) {
    await pass(timers, 50, 50);
    server.push('/topic/server', { type: 'RECONNECT_SOON', delayMs: 0 });
  }
  assert.ok(server.sockets.length < 8, `${server.sockets.length} connections in 30 s`);
});

for (const delayMs of [1e12, -1e12, 'soon', null]) {
  test(`RECONNECT_SOON in ${delayMs} ms is obeyed within a minute, by one connection`, async () => {
    client.follow();
    await stayLive(20_000);
    server.push('/topic/server', { type: 'RECONNECT_SOON', delayMs });
    if (delayMs > 0) {
      await stayLive(59_000);
      assert.equal(server.sockets.length, 1);
    }
    await stayLive(2_000);
    assert.equal(server.sockets.length, 2);
    assert.equal(server.openSockets.length, 1);
  });
}

test('a socket that fails without being said to be closed is a drop', async () => {
  client.follow();
  await settle();
  server.last.fail();
  assert.equal(client.connection, 'reconnecting');
  assert.equal(await untilBack(), 1_500);
  assert.equal(client.connection, 'live');
});

test('when nobody answers at the moment of RECONNECT_SOON the usual backoff begins', async () => {
  connectClient({ backoffBase: 4_000, backoffCap: 64_000 });
  server.accepts = false;
  client.follow();
  for (let i = 0; i < 3; i++) {
    await untilBack();
  }
  server.accepts = true;
  await untilBack();
  await stayLive(20_000);
  server.push('/topic/server', { type: 'RECONNECT_SOON', delayMs: 3_000 });
  server.accepts = false;
  assert.equal(await untilBack(), 3_000);
  // The connection before it lasted: from the base again.
  assert.deepEqual([await untilBack(), await untilBack()], [2_000, 4_000]);
});

test('a tab that is hidden, with timers once a minute, stays connected', async () => {
  client.follow();
  await settle();
  for (let minute = 0; minute < 10; minute++) {
    for (let i = 0; i < 3; i++) {
      sleep(20_000);
      server.last.heartbeat();
    }
    timers.tick(0);
    await settle();
  }
  assert.equal(server.sockets.length, 1);
  assert.equal(client.connection, 'live');
});

test('a tab that is hidden comes back too, with timers once a minute', async () => {
  client.follow();
  await settle();
  server.accepts = false;
  server.last.drop(1006);
  await pass(timers, 6 * MINUTE, MINUTE);
  assert.equal(client.connection, 'polling');
  server.accepts = true;
  await pass(timers, MINUTE, MINUTE);
  assert.equal(client.connection, 'live');
  assert.equal(server.openSockets.length, 1);
});

for (const [before, prepare] of Object.entries({
  live: async () => {},
  reconnecting: async () => {
    server.accepts = false;
    server.last.drop(1006);
    await settle();
  },
  polling: async () => {
    server.accepts = false;
    server.last.drop(1006);
    await pass(timers, MINUTE);
  },
  'told to come back': async () => {
    server.push('/topic/server', { type: 'RECONNECT_SOON', delayMs: 4_000 });
  },
})) {
  test(`it wakes from hours of sleep with one connection: ${before}`, async () => {
    client.follow();
    await settle();
    await prepare();
    const tried = server.sockets.length;
    const polled = server.called(STATUS).length;
    sleep(180 * MINUTE);
    server.accepts = true;
    timers.tick(0);
    await pass(timers, 5_000);

    assert.equal(client.connection, 'live');
    assert.equal(server.openSockets.length, 1);
    assert.ok(server.sockets.length <= tried + 2);
    assert.ok(server.called(STATUS).length <= polled + 1);
    assert.deepEqual(subscribed(), ALL);
    await stayLive(2 * MINUTE);
    assert.equal(server.openSockets.length, 1);
  });
}

test('a tab shown again or a network back cuts a long delay short', async () => {
  await inAPage(async (page) => {
    connectClient({ backoffBase: 600_000, backoffCap: 600_000 });
    client.follow();
    await settle();
    for (const wake of [
      () => page.document.dispatchEvent(new Event('visibilitychange')),
      () => page.window.dispatchEvent(new Event('online')),
    ]) {
      server.last.drop(1006);
      await pass(timers, 1_000);
      wake();
      wake();
      assert.equal(await untilBack(), 500);
      assert.equal(server.openSockets.length, 1);
    }
  });
});

test('a page that is kept for the way back holds no connection, and comes back with the news', async () => {
  await inAPage(async ({ window }) => {
    client.follow();
    await settle();
    window.dispatchEvent(new Event('pagehide'));
    await pass(timers, 10 * MINUTE, 1_000);
    assert.equal(server.openSockets.length, 0);
    assert.equal(server.sockets.length, 1);

    server.on(STATUS, ok({ ...admitted(90), status: 'COMPLETED' }));
    window.dispatchEvent(Object.assign(new Event('pageshow'), { persisted: true }));
    await settle();
    assert.equal(server.sockets.length, 2);
    assert.deepEqual(seen('connection').slice(0, 3), ['connecting', 'live', 'reconnecting']);
    assert.deepEqual(seen('state').map(({ status }) => status), ['COMPLETED']);
  });
});

/** Has the client find itself in a page. */
async function inAPage(run) {
  const window = new EventTarget();
  const document = Object.assign(new EventTarget(), { visibilityState: 'visible' });
  Object.assign(globalThis, { window, document });
  try {
    await run({ window, document });
  } finally {
    client.close();
    delete globalThis.window;
    delete globalThis.document;
  }
}

test('following while a room has connected it already uses that connection', async () => {
  server.on('GET /api/rooms/lobby/events', ok({ events: [], cursor: '-1' }));
  client.room('lobby');
  await settle();
  client.follow();
  client.follow();
  await settle();
  assert.equal(server.sockets.length, 1);
  assert.deepEqual(subscribed().sort(), [...ALL, '/topic/room/lobby'].sort());
});

test('ranks that cross on two ways never rise', async () => {
  let answer;
  const later = new Promise((resolve) => {
    answer = resolve;
  });
  connectClient({
    fetch: async (...call) => {
      const response = await server.fetch(...call);
      await later;
      return response;
    },
  });
  client.follow();
  await settle();
  server.push('/topic/rank/u', waiting(50, 10));
  const asked = client.status();
  for (const rank of [40, 44, 30, 31, 28]) {
    server.push('/topic/rank/u', waiting(rank, 10));
  }
  answer();
  await asked;
  assert.deepEqual(seen('rank').map(({ rank }) => rank), [50, 40, 30, 28]);
  assert.equal(client.place.ticket, 7);
  assert.equal(seen('state').length, 1);
});

test('each event is told once, whichever ways the news comes', async () => {
  server.on(ENTER, ok(waiting(9, 5, { ticket: 7 }), 202));
  server.on(STATUS, ok(admitted(40)));
  await client.enter();
  client.follow();
  await settle();
  server.push('/topic/rank/u', waiting(9, 5));
  server.push('/topic/admission/u', admitted(40));
  server.push('/topic/admission/u', admitted(40));
  await client.status();
  server.last.drop(1006);
  await untilBack();
  server.push('/topic/admission/u', admitted(40));
  server.push('/topic/rank/u', waiting(1, 5));
  assert.equal(seen('admitted').length, 1);
  assert.equal(seen('renewed').length, 0);
  server.push('/topic/admission/u', admitted(40, { expiresAt: '2026-01-01T00:00:40Z' }));
  assert.equal(seen('renewed').length, 1);
  const expired = { status: 'EXPIRED', reason: 'TIMEOUT', roomId: 'r', version: '3:50:0' };
  server.push('/topic/timeout/u', expired);
  server.push('/topic/timeout/u', expired);
  assert.equal(seen('timeout').length, 1);
  assert.deepEqual(seen('state').map(({ status }) => status), ['WAITING', 'ADMITTED', 'EXPIRED']);
  assert.deepEqual(seen('connection'), ['connecting', 'live', 'reconnecting', 'live', 'idle']);
});

test('a poll that is still under way when the connection flaps does not go on beside the next', async () => {
  const slow = [];
  connectClient({
    fetch: (...call) => new Promise((resolve) => slow.push(() => resolve(server.fetch(...call)))),
  });
  server.accepts = false;
  client.follow();
  while (slow.length === 0) {
    await pass(timers, 1_000);
  }
  for (let i = 0; i < 2; i++) {
    server.accepts = true;
    await untilBack();
    assert.equal(client.connection, 'live');
    server.accepts = false;
    server.last.drop(1006);
    await settle();
  }
  server.on(STATUS, ok(waiting(50, 10, { ticket: 7, recommendedPollingInterval: 20_000 })));
  slow.splice(0).forEach((answer) => answer());
  await settle();
  await pass(timers, 22_000);
  assert.equal(slow.length, 1);
});

test('figures of a room are taken from a server whose clock is behind', async () => {
  client.follow();
  await settle();
  server.push('/topic/stats/r', { state: 'PAUSED', timestamp: '2026-01-01T00:05:00Z' });
  server.push('/topic/stats/r', { state: 'OPEN', timestamp: '2026-01-01T00:05:00.250Z' });
  assert.equal(client.figures.state, 'OPEN');
  server.push('/topic/stats/r', { state: 'PAUSED', timestamp: '2026-01-01T00:05:00.100Z' });
  assert.equal(client.figures.state, 'OPEN');
  server.last.drop(1006);
  await untilBack();
  server.push('/topic/stats/r', { state: 'DRAINING', timestamp: '2026-01-01T00:01:00Z' });
  assert.equal(client.figures.state, 'DRAINING');
});

test('figures of a room are taken from a server whose clock is set back', async () => {
  client.follow();
  await settle();
  server.push('/topic/stats/r', { state: 'PAUSED', timestamp: '2026-01-01T00:05:00Z' });
  server.push('/topic/stats/r', { state: 'OPEN', timestamp: '2026-01-01T00:01:00Z' });
  assert.equal(client.figures.state, 'OPEN');
});

for (const [told, lead] of Object.entries({
  connecting: async () => {},
  live: async () => {},
  reconnecting: async () => {
    server.last.drop(1012);
  },
  polling: async () => {
    server.accepts = false;
    server.last.drop(1006);
  },
  lost: async () => {
    server.accepts = false;
    server.on(STATUS, { status: 503 });
    server.last.drop(1006);
  },
})) {
  test(`closing as it says that it is ${told} leaves nothing behind`, async () => {
    const pending = pendingTimers();
    client.addEventListener('connection', ({ detail }) => detail === told && client.close());
    client.follow();
    await settle();
    if (client.connection === 'live') {
      await lead();
    }
    await pass(timers, MINUTE);

    assert.equal(seen('connection').includes(told), true);
    assert.equal(client.connection, 'idle');
    assert.equal(server.openSockets.length, 0);
    assert.equal(pending.size, 0);
  });
}

test('closing as it says that it comes back at the moment it was told leaves nothing behind', async () => {
  const pending = pendingTimers();
  client.addEventListener('connection', ({ detail }) => detail === 'reconnecting' && client.close());
  client.follow();
  await stayLive(20_000);
  server.push('/topic/server', { type: 'RECONNECT_SOON', delayMs: 4_000 });
  await pass(timers, MINUTE);
  assert.equal(client.connection, 'idle');
  assert.equal(server.openSockets.length, 0);
  assert.equal(pending.size, 0);
});

test('closing as a page that was kept comes back leaves nothing behind', async () => {
  await inAPage(async ({ window }) => {
    client.addEventListener('connection', ({ detail }) => detail === 'reconnecting' && client.close());
    client.follow();
    await settle();
    window.dispatchEvent(new Event('pagehide'));
    window.dispatchEvent(Object.assign(new Event('pageshow'), { persisted: true }));
    await settle();
    assert.equal(client.connection, 'idle');
    assert.equal(server.openSockets.length, 0);
  });
});

for (const [when, prepare] of Object.entries({
  'the socket opens': () => {},
  'CONNECTED is awaited': async () => {
    server.mute = true;
    await settle();
  },
  'it is live': settle,
  'it waits for the next attempt': async () => {
    server.accepts = false;
    await settle();
  },
  'it polls': async () => {
    server.accepts = false;
    await pass(timers, MINUTE);
  },
  'nothing answers': async () => {
    server.accepts = false;
    server.on(STATUS, { status: 503 });
    await pass(timers, MINUTE);
  },
  'it was told to come back': async () => {
    await settle();
    server.push('/topic/server', { type: 'RECONNECT_SOON', delayMs: 4_000 });
  },
  'an entry is tried again': async () => {
    server.on(ENTER, { status: 503 });
    client.enter().catch(() => {});
    await pass(timers, 10_000);
  },
})) {
  test(`closing leaves nothing behind while ${when}`, async () => {
    const pending = pendingTimers();
    client.follow();
    await prepare();
    client.close();
    await settle();

    assert.equal(pending.size, 0);
    assert.equal(server.openSockets.length, 0);
    assert.equal(client.connection, 'idle');
    const tried = server.sockets.length;
    const called = server.calls.length;
    await pass(timers, 5 * MINUTE, 1_000);
    assert.equal(server.sockets.length, tried);
    assert.equal(server.calls.length, called);
    assert.equal(seen('connection').at(-1), 'idle');
  });
}
