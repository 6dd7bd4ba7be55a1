import assert from 'node:assert/strict';
import { beforeEach, afterEach, mock, test } from 'node:test';

import { SluiceClient, SluiceError } from '../sluice-client.js';
import { FakeServer, admitted, listen, ok, pass, settle, waiting } from './fakes.js';

const ENTER = 'POST /api/admission/enter';
const STATUS = 'GET /api/admission/status';
const HEARTBEAT = 'POST /api/admission/heartbeat';

let server;
let client;
let seen;
const { timers } = mock;

function connectClient(options = {}) {
  client = new SluiceClient({ ...server.person, ...options });
  seen = listen(client);
}

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
  server.on(STATUS, { status: 401 });
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
  assert.match(server.called(STATUS).at(-1).search, /partition=3&offset=88/);
});

test('an entry that may not have arrived is entered again until it is known', async () => {
  const receipt = { partition: 3, offset: null, at: null };
  const pending = { status: 'PENDING', roomId: 'r', requestId: 'u', receipt };
  server.on(ENTER, ok(pending, 202), ok(waiting(4, 88, { ticket: 9 }), 202));
  const entered = client.enter();
  await pass(timers, 5_000);

  assert.equal((await entered).ticket, 9);
  assert.equal(server.called(ENTER).length, 2);
  assert.ok(server.called(STATUS).every(({ search }) => !search.includes('offset')));
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

test('a place is renewed no more once that is stopped, though a beat under way then fails', async () => {
  const { fetch } = server;
  let fail;
  connectClient({
    fetch: (...call) =>
      fetch(...call).then(() => new Promise((_, reject) => {
        fail = () => reject(new TypeError('network'));
      })),
  });
  const unrenewed = [];
  client.addEventListener('unrenewed', ({ detail }) => unrenewed.push(detail));
  server.on(HEARTBEAT, ok(admitted(40)));
  const stop = client.keepAlive(10_000);
  await settle();
  stop();
  fail();
  await pass(timers, 60_000);
  assert.equal(server.called(HEARTBEAT).length, 1);
  assert.deepEqual(unrenewed, []);
});

test('closing ends an entry that is under way', async () => {
  server.on(ENTER, { status: 503 });
  const entered = client.enter();
  await pass(timers, 5_000);
  assert.equal(client.connection, 'lost');
  client.close();
  await assert.rejects(entered, { name: 'AbortError' });
  assert.equal(client.connection, 'idle');
});

test('a session that can’t be replaced at once is asked for again', async () => {
  server.on('POST /api/sessions/issue', { status: 503 }, ok({ sessionId: 's2' }, 201));
  server.on(ENTER, { status: 401 }, ok(waiting(9, 5), 202));
  const entered = client.enter();
  await pass(timers, 5_000);
  assert.equal((await entered).rank, 9);
});

test('a place that has ended is not followed', async () => {
  server.on(STATUS, ok({ ...admitted(90), status: 'COMPLETED' }));
  await client.status();
  client.follow();
  await settle();
  assert.equal(server.sockets.length, 0);
});

test('a call that is never answered is given up, and tried again', async () => {
  const { fetch } = server;
  let calls = 0;
  connectClient({
    fetch: (url, init) =>
      ++calls > 1
        ? fetch(url, init)
        : new Promise((_, reject) => {
            init.signal.addEventListener('abort', () => reject(init.signal.reason));
          }),
  });
  server.on(ENTER, ok(waiting(9, 5, { ticket: 7 }), 202));
  const entered = client.enter();
  await pass(timers, 14_900);
  assert.equal(client.connection, 'idle');
  await pass(timers, 3_000);
  assert.equal((await entered).rank, 9);
});

test('an entry ends with the signal that it was given', async () => {
  const gone = new AbortController();
  server.on(ENTER, { status: 503 });
  const entered = client.enter({ signal: gone.signal });
  await pass(timers, 5_000);
  gone.abort();
  await assert.rejects(entered, { name: 'AbortError' });
});

test('who has no session gets one before entering, so that a lost answer costs no place', async () => {
  server.on(STATUS, { status: 401 });
  server.on('POST /api/sessions/issue', ok({ sessionId: 's1' }, 201));
  server.on(
    ENTER,
    () => {
      throw new TypeError('the answer got lost');
    },
    ok(waiting(9, 5, { ticket: 7 }), 202),
  );
  const entered = client.enter();
  await pass(timers, 5_000);
  assert.equal((await entered).rank, 9);
  assert.deepEqual(
    server.calls.map(({ call, headers }) => [call, headers['Sluice-Session']]),
    [
      [STATUS, undefined],
      ['POST /api/sessions/issue', undefined],
      [ENTER, 's1'],
      [ENTER, 's1'],
    ],
  );
});

test('two tabs that come at the same time get one session', async () => {
  let last = Promise.resolve();
  const request = (name, options, run) => {
    last = last.then(run);
    return last;
  };
  const before = Object.getOwnPropertyDescriptor(globalThis, 'navigator') ?? { configurable: true };
  Object.defineProperty(globalThis, 'navigator', { configurable: true, value: { locks: { request } } });
  globalThis.location = { origin: 'http://sluice.test' };
  try {
    let issued = 0;
    server.on(STATUS, () => ({ status: issued ? 404 : 401 }));
    server.on('POST /api/sessions/issue', () => {
      issued++;
      return ok({ sessionId: 's1' }, 201);
    });
    server.on(ENTER, ok(waiting(9, 5, { ticket: 7 }), 202));
    await Promise.all([1, 2].map(() => new SluiceClient(server.person).enter()));
    assert.equal(issued, 1);
    assert.equal(server.called(ENTER).length, 2);
  } finally {
    Object.defineProperty(globalThis, 'navigator', before);
    delete globalThis.location;
  }
});

test('whether there is a session is asked once', async () => {
  server.on(STATUS, { status: 404 });
  server.on(ENTER, ok(waiting(9, 5, { ticket: 7 }), 202));
  await client.enter();
  await client.enter();
  assert.deepEqual(server.calls.map(({ call }) => call), [STATUS, ENTER, ENTER]);
});
