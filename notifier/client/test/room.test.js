import assert from 'node:assert/strict';
import { beforeEach, afterEach, mock, test } from 'node:test';

import { SluiceClient } from '../sluice-client.js';
import { FakeServer, ok, pass, pendingTimers, settle } from './fakes.js';

const EVENTS = 'GET /api/rooms/lobby/events';
const ROOM = '/topic/room/lobby';

let server;
let client;
let log;
let seen;
const { timers } = mock;

/** Answers with what is in the log after the cursor, as far as the server has got. */
function answer() {
  const { search } = server.calls.at(-1);
  const query = new URLSearchParams(search);
  const after = Number(query.get('after'));
  const events = log.filter(({ cursor }) => cursor > after).slice(0, 3);
  const last = events.at(-1)?.cursor ?? after;
  const more = log.some(({ cursor }) => cursor > last);
  return { status: 200, body: { events, cursor: String(last), more } };
}

const say = (...cursors) => log.push(...cursors.map((cursor) => ({ cursor })));
const push = (cursor, hot = false) =>
  server.push(ROOM, { type: 'room', roomId: 'lobby', cursor: String(cursor), hot });
const queries = () =>
  server.called(EVENTS).map(({ search }) => {
    const { after, upTo } = Object.fromEntries(new URLSearchParams(search));
    return upTo === undefined ? after : `${after}..${upTo}`;
  });

function open(options) {
  const feed = client.room('lobby', options);
  seen = [];
  feed.addEventListener('events', ({ detail }) =>
    seen.push(...detail.events.map(({ cursor }) => cursor)),
  );
  return feed;
}

beforeEach(() => {
  timers.enable({ apis: ['setTimeout', 'setInterval', 'Date'], now: 1_000_000 });
  server = new FakeServer();
  log = [];
  server.on(EVENTS, answer);
  client = new SluiceClient({
    base: 'http://sluice.test',
    fetch: server.fetch,
    openSocket: server.openSocket,
    random: () => 0.5,
  });
});

afterEach(() => {
  client.close();
  timers.reset();
});

test('a push makes it fetch what is new since its cursor', async () => {
  const feed = open();
  await settle();
  say(4, 7);
  push(7);
  await settle();
  say(9);
  push(9);
  await settle();

  assert.deepEqual(seen, [4, 7, 9]);
  assert.deepEqual(queries(), ['-1..7', '7..9']);
  assert.equal(feed.cursor, '9');
});

test('what is pushed during a fetch is fetched in one go after it', async () => {
  open();
  await settle();
  say(1);
  push(1);
  push(2);
  push(3);
  say(2, 3);
  await settle();
  say(4);
  push(4);
  push(4);
  await settle();

  assert.deepEqual(seen, [1, 2, 3, 4]);
  assert.deepEqual(queries(), ['-1..1', '1..3', '3..4']);
});

test('a long page is followed by the next', async () => {
  open();
  await settle();
  say(1, 2, 3, 4, 5, 6, 7);
  push(7);
  await settle();

  assert.deepEqual(seen, [1, 2, 3, 4, 5, 6, 7]);
  assert.deepEqual(queries(), ['-1..7', '3..7', '6..7']);
});

test('a cursor that is not known is asked for, one that is reached already is not', async () => {
  open({ after: '5' });
  await settle();
  say(6);
  push(-1);
  await settle();
  assert.deepEqual(queries(), ['5']);

  push(6);
  push(6, true);
  await settle();
  assert.deepEqual(queries(), ['5']);
  assert.deepEqual(seen, [6]);
});

test('an answer from behind is asked for again, but slowly after a while', async () => {
  open();
  await settle();
  push(3);
  await pass(timers, 200);
  say(3);
  await pass(timers, 2_000);
  assert.deepEqual(seen, [3]);
  assert.deepEqual(queries(), ['-1..3', '-1..3']);

  push(8);
  await pass(timers, 120_000);
  const tries = queries().length;
  assert.ok(tries > 8 && tries <= 30, `${tries} fetches`);
  say(8);
  await pass(timers, 6_000);
  assert.deepEqual(seen, [3, 8]);
  const reached = queries().length;
  await pass(timers, 60_000);
  assert.equal(queries().length, reached);

  push(20);
  await pass(timers, 60_000);
  say(21);
  push(21);
  await settle();
  assert.deepEqual(seen, [3, 8, 21]);
});

test('closing a room that is behind leaves nothing behind', async () => {
  const pending = pendingTimers();
  const feed = open();
  await settle();
  push(8);
  await pass(timers, 60_000);
  feed.close();
  await settle();
  assert.equal(pending.size, 0);
});

test('in a hot room fetches are spread out', async () => {
  const feed = open();
  const turns = [];
  feed.addEventListener('hot', ({ detail }) => turns.push(detail));
  await settle();
  say(1);
  push(1, true);
  await settle();
  assert.deepEqual(queries(), []);
  await pass(timers, 300);
  push(1, false);

  assert.deepEqual(seen, [1]);
  assert.deepEqual(turns, [true, false]);
});

test('a failure that passes is tried again, with the wait that the server asks for', async () => {
  server.on(EVENTS, { status: 503, headers: { 'Retry-After': '2' } }, { status: 429 }, answer);
  open();
  await settle();
  say(1);
  push(1);
  await pass(timers, 1_500);
  assert.equal(queries().length, 1);
  await pass(timers, 5_000);

  assert.deepEqual(seen, [1]);
});

test('a refusal ends the feed', async () => {
  server.on(EVENTS, { status: 400, body: { title: 'Bad Request' } });
  const feed = open();
  const refusals = [];
  feed.addEventListener('refused', ({ detail }) => refusals.push(detail.status));
  await settle();
  push(1);
  await settle();

  assert.deepEqual(refusals, [400]);
  assert.equal(feed.closed, true);
  assert.equal(client.connection, 'idle');
});

test('after a reconnect it goes on where it stood', async () => {
  open();
  await settle();
  say(1);
  push(1);
  await settle();
  server.last.drop(1006);
  say(2);
  await pass(timers, 4_000);
  push(2);
  await settle();

  assert.equal(server.sockets.length, 2);
  assert.deepEqual(seen, [1, 2]);
});

test('without a connection it asks every few seconds', async () => {
  server.accepts = false;
  open();
  say(1);
  await pass(timers, 60_000);
  assert.equal(client.connection, 'polling');
  say(2);
  await pass(timers, 6_000);

  assert.deepEqual(seen, [1, 2]);
});

test('rooms beyond those that a connection tells of are asked for, and the place is told as ever', async () => {
  client.roomId = 'r';
  client.requestId = 'u';
  const got = [];
  const feeds = Array.from({ length: 30 }, (_, i) => {
    const room = `room${i}`;
    server.on(`GET /api/rooms/${room}/events`, ok({ events: [], cursor: '-1' }));
    const feed = client.room(room);
    feed.addEventListener('events', () => got.push(room));
    return feed;
  });
  client.follow();
  await settle();
  const destinations = () => [...server.last.subscriptions.values()].map((s) => s.destination);
  assert.equal(destinations().length, 32);
  assert.ok(destinations().includes('/topic/rank/u'));
  assert.ok(!destinations().includes('/topic/room/room27'));

  server.on('GET /api/rooms/room28/events', ok({ events: [{}], cursor: '4' }));
  await pass(timers, 5_500);
  assert.deepEqual(got, ['room28']);
  const asked = new Set(server.calls.map(({ call }) => call));
  assert.ok(asked.has('GET /api/rooms/room27/events'));
  assert.ok(!asked.has('GET /api/rooms/room26/events'));

  feeds[3].close();
  await settle();
  assert.equal(destinations().length, 32);
  assert.ok(destinations().includes('/topic/room/room27'));
  client.close();
  await settle();
  assert.equal(server.openSockets.length, 0);
});

const ISSUE = 'POST /api/sessions/issue';

test('a session that is not known keeps nobody from a room: it is replaced', async () => {
  client.session = 'old';
  server.knows = (session) => session === 'new';
  server.on(ISSUE, { status: 503 }, ok({ sessionId: 'new' }, 201));
  open();
  await pass(timers, 10_000);

  assert.equal(client.connection, 'live');
  assert.equal(server.called(ISSUE).length, 2);
});

test('a cookie that another tab has replaced meanwhile is not replaced again', async () => {
  let isKnown = false;
  server.knows = () => isKnown;
  server.on('GET /api/admission/status', () => {
    isKnown = true;
    return { status: 400 };
  });
  open();
  await pass(timers, 10_000);

  assert.equal(client.connection, 'live');
  assert.equal(server.called(ISSUE).length, 0);
});

test('a session that is refused though it is new is not replaced over and over', async () => {
  server.knows = () => false;
  server.on('GET /api/admission/status', { status: 401 });
  server.on(ISSUE, ok({ sessionId: 'new' }, 201));
  open();
  await pass(timers, 300_000, 1_000);

  assert.equal(server.called(ISSUE).length, 1);
  assert.equal(client.connection, 'polling');
  assert.ok(server.sockets.length < 40, `${server.sockets.length} connections`);
});

test('rooms and the place share a connection, and each can end by itself', async () => {
  client.roomId = 'r';
  client.requestId = 'u';
  const lobby = open();
  await settle();
  client.follow();
  const hall = client.room('hall');
  await settle();
  const destinations = () => [...server.last.subscriptions.values()].map((s) => s.destination);
  assert.equal(server.sockets.length, 1);
  assert.deepEqual(destinations().sort(), [
    '/topic/admission/u',
    '/topic/rank/u',
    ROOM,
    '/topic/room/hall',
    '/topic/server',
    '/topic/stats/r',
    '/topic/timeout/u',
  ].sort());

  lobby.close();
  server.push('/topic/timeout/u', { status: 'EXPIRED', roomId: 'r', version: '3:50:0' });
  await settle();
  assert.deepEqual(destinations().sort(), ['/topic/room/hall', '/topic/server']);
  assert.equal(client.connection, 'live');

  hall.close();
  await settle();
  assert.equal(server.openSockets.length, 0);
  assert.equal(client.connection, 'idle');
});
