import assert from 'node:assert/strict';
import { beforeEach, afterEach, mock, test } from 'node:test';

import { SluiceClient, SluiceError } from '../sluice-client.js';
import { FakeServer, pass, settle } from './fakes.js';

const ENTER = 'POST /api/admission/enter';
const STATUS = 'GET /api/admission/status';
const HEARTBEAT = 'POST /api/admission/heartbeat';

const waiting = (rank, offset, more = {}) => ({
  status: 'WAITING',
  roomId: 'r',
  requestId: 'u',
  rank,
  totalWaiting: 100,
  recommendedPollingInterval: 5_000,
  version: `3:${offset}:0`,
  ...more,
});
const admitted = (offset, more = {}) => ({
  status: 'ADMITTED',
  roomId: 'r',
  requestId: 'u',
  ticket: 7,
  expiresAt: '2026-01-01T00:00:30Z',
  pass: 'p',
  version: `3:${offset}:0`,
  ...more,
});
const ok = (body, status = 200) => ({ status, body });

let server;
let client;
let events;
const { timers } = mock;

function connectClient(options = {}) {
  client = new SluiceClient({
    roomId: 'r',
    requestId: 'u',
    base: 'http://sluice.test',
    fetch: server.fetch,
    openSocket: server.openSocket,
    random: () => 0.5,
    ...options,
  });
  events = [];
  for (const type of ['state', 'rank', 'admitted', 'timeout', 'room', 'connection', 'refused']) {
    client.addEventListener(type, ({ detail }) => events.push([type, detail]));
  }
  return client;
}

const seen = (type) => events.filter(([name]) => name === type).map(([, detail]) => detail);

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

test('following subscribes to everything that concerns the person, with the room named', async () => {
  client.follow();
  client.follow();
  await settle();

  assert.equal(server.sockets.length, 1);
  assert.equal(server.last.url, 'ws://sluice.test/ws');
  assert.deepEqual(
    [...server.last.subscriptions.values()].map(({ destination, room }) => [destination, room]),
    [
      ['/topic/admission/u', 'r'],
      ['/topic/timeout/u', 'r'],
      ['/topic/rank/u', 'r'],
      ['/topic/stats/r', undefined],
      ['/topic/server', undefined],
    ],
  );
  assert.deepEqual(seen('connection'), ['connecting', 'live']);
});

test('news comes as events, and the room of another person is not this one', async () => {
  client.follow();
  await settle();
  server.push('/topic/rank/u', waiting(50, 10));
  server.push('/topic/rank/u', waiting(50, 10));
  server.push('/topic/rank/u', waiting(1, 20, { roomId: 'other' }));
  server.push('/topic/rank/u', waiting(40, 30));
  server.push('/topic/stats/r', { type: 'stats', state: 'PAUSED', timestamp: '2026-01-01T00:00:01Z' });
  server.push('/topic/stats/r', { type: 'stats', state: 'OPEN', timestamp: '2026-01-01T00:00:00Z' });
  server.push('/topic/admission/u', admitted(40));

  assert.deepEqual(seen('rank').map(({ rank }) => rank), [50, 40]);
  assert.deepEqual(seen('state').map(({ status }) => status), ['WAITING', 'ADMITTED']);
  assert.equal(seen('admitted')[0].pass, 'p');
  assert.equal(client.figures.state, 'PAUSED');
});

test('an ended place is followed no longer', async () => {
  client.follow();
  await settle();
  server.push('/topic/timeout/u', { status: 'EXPIRED', reason: 'TIMEOUT', roomId: 'r', version: '3:50:0' });
  await pass(timers, 60_000);

  assert.equal(seen('timeout')[0].reason, 'TIMEOUT');
  assert.equal(server.sockets.length, 1);
  assert.equal(server.openSockets.length, 0);
  assert.equal(client.connection, 'idle');
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

test('it asks when nothing personal has come for half a minute', async () => {
  client.follow();
  await settle();
  server.push('/topic/rank/u', waiting(50, 10));
  server.on(STATUS, ok({ ...waiting(0, 90, { ticket: 7 }), status: 'LEFT' }));
  for (let i = 0; i < 8; i++) {
    server.last.heartbeat();
    await pass(timers, 5_000);
  }
  assert.equal(client.place.status, 'LEFT');
});

test('a place that is nobody here’s is refused once, and following ends', async () => {
  server.on(STATUS, { status: 403, body: { title: 'Not yours' } });
  client.follow();
  await settle();
  server.last.say('ERROR\nmessage:not yours\n\n\0');
  server.last.drop(1002);
  await pass(timers, 30_000);

  assert.deepEqual(seen('refused').map(({ status }) => status), [403]);
  assert.equal(client.connection, 'idle');
  assert.equal(server.sockets.length, 1);
});

test('entering tries again while the server is away, not before it asked for', async () => {
  server.on(ENTER, { status: 503, headers: { 'Retry-After': '3' } }, ok(waiting(9, 5, { ticket: 7 }), 202));
  const entered = client.enter();
  await pass(timers, 2_900);
  assert.equal(server.called(ENTER).length, 1);
  await pass(timers, 3_000);
  assert.equal((await entered).rank, 9);
});

test('a session of another time is replaced, once', async () => {
  server.on('POST /api/sessions/issue', ok({ sessionId: 's2' }, 201));
  server.on(ENTER, { status: 401 }, ok(waiting(9, 5), 202));
  await client.enter();
  assert.equal(server.calls.at(-1).headers['Sluice-Session'], 's2');

  server.on(ENTER, { status: 401 });
  await assert.rejects(client.enter(), (error) => error instanceof SluiceError && error.status === 401);
});

test('a refusal is thrown with the words of the server', async () => {
  server.on(ENTER, { status: 409, body: { title: 'Conflict', detail: 'The room is closed.' } });
  await assert.rejects(client.enter(), /The room is closed\./);
});

test('an entry that is still uncertain is asked for by its receipt until it is known', async () => {
  const receipt = { partition: 3, offset: 88, at: 'now' };
  server.on(ENTER, ok({ status: 'PENDING', roomId: 'r', requestId: 'u', receipt }, 202));
  server.on(STATUS, ok(waiting(4, 88, { ticket: 9 })));
  const entered = client.enter();
  await pass(timers, 5_000);

  assert.equal((await entered).ticket, 9);
  assert.deepEqual(seen('state').map(({ status }) => status), ['PENDING', 'WAITING']);
  assert.match(server.called(STATUS)[0].search, /partition=3&offset=88/);
});

test('entering again after the end begins another place', async () => {
  server.on(ENTER, ok(waiting(9, 5, { ticket: 7 }), 202), ok(waiting(400, 900, { ticket: 80 }), 202));
  await client.enter();
  client.follow();
  await settle();
  server.push('/topic/timeout/u', { status: 'EXPIRED', reason: 'CLOSED', roomId: 'r', version: '3:50:0' });
  const place = await client.enter();
  assert.equal(place.rank, 400);
});

test('a place is renewed every ten seconds, sooner after a failure, until it ends', async () => {
  const expired = { ...admitted(90), status: 'EXPIRED', reason: 'TIMEOUT' };
  server.on(
    HEARTBEAT,
    ok(admitted(40)),
    { status: 503 },
    ok(admitted(40, { expiresAt: '2026-01-01T00:00:42Z', pass: 'p2' })),
    { status: 409 },
  );
  server.on(STATUS, ok(expired));
  client.keepAlive(10_000);
  await pass(timers, 14_000);
  const beats = server.called(HEARTBEAT).map(({ at }) => at - 1_000_000);
  assert.equal(beats[0], 0);
  assert.equal(beats[1], 10_000);
  assert.ok(beats[2] <= 13_000);
  assert.equal(client.place.pass, 'p2');
  await pass(timers, 60_000);
  assert.equal(server.called(HEARTBEAT).length, 4);
  assert.equal(client.place.status, 'EXPIRED');
});
