import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Backoff, compareVersions, merge } from '../sluice-client.js';

const waiting = (rank, version, more = {}) => ({
  status: 'WAITING',
  roomId: 'r',
  requestId: 'u',
  rank,
  totalWaiting: 100,
  version,
  ...more,
});
const admitted = (version, more = {}) => ({
  status: 'ADMITTED',
  roomId: 'r',
  requestId: 'u',
  ticket: 7,
  expiresAt: '2026-01-01T00:00:30Z',
  pass: 'p',
  version,
  ...more,
});
const expired = (version) => ({ status: 'EXPIRED', reason: 'TIMEOUT', roomId: 'r', requestId: 'u', version });

test('versions are ordered by offset, then index, as numbers', () => {
  assert.ok(compareVersions('3:9:0', '3:10:0') < 0);
  assert.ok(compareVersions('3:10:2', '3:10:1') > 0);
  assert.equal(compareVersions('3:10:1', '3:10:1'), 0);
  assert.ok(compareVersions(undefined, '0:0:0') < 0);
});

test('a rank never rises while the same place waits, whichever body comes last', () => {
  const known = waiting(40, '3:500:0', { ticket: 7 });
  assert.equal(merge(known, waiting(55, '3:500:0')).place.rank, 40);
  assert.equal(merge(known, waiting(55, '3:400:0')).verdict, 'stale');
  assert.equal(merge(known, waiting(55, '3:100:0', { ticket: 7 })).place.rank, 40);
  assert.equal(merge(known, waiting(38, '3:100:0', { ticket: 7 })).place.rank, 38);
});

test('a newer body with a higher rank may be of another place: the server has to be asked', () => {
  assert.equal(merge(waiting(40, '3:500:0', { ticket: 7 }), waiting(900, '3:800:0')).verdict, 'ask');
  assert.equal(merge({ ...expired('3:500:0'), ticket: 7 }, waiting(9, '3:800:0')).verdict, 'ask');
});

test('a rank that crosses the admission is dropped', () => {
  const { verdict, place } = merge(admitted('3:700:1'), waiting(1, '3:690:0'));
  assert.equal(verdict, 'stale');
  assert.equal(place.status, 'ADMITTED');
  assert.equal(merge(admitted('3:700:1'), waiting(1, '3:690:0', { ticket: 7 })).verdict, 'stale');
});

test('a later ticket is another place, an earlier one is of the past', () => {
  const known = waiting(40, '3:500:0', { ticket: 7 });
  assert.equal(merge(known, waiting(900, '3:600:0', { ticket: 8 })).place.rank, 900);
  assert.equal(merge(known, admitted('3:510:0', { ticket: 6 })).verdict, 'stale');
});

test('an admission keeps the ticket and the receipt that were known', () => {
  const receipt = { partition: 3, offset: 12, at: 'then' };
  const { place } = merge(waiting(1, '3:12:0', { ticket: 7, receipt }), admitted('3:700:1'));
  assert.equal(place.ticket, 7);
  assert.deepEqual(place.receipt, receipt);
  assert.equal(place.rank, undefined);
});

test('of two renewals the one that lasts longer counts', () => {
  const later = admitted('3:700:1', { expiresAt: '2026-01-01T00:00:40Z', pass: 'later' });
  assert.equal(merge(admitted('3:700:1'), later).place.pass, 'later');
  assert.equal(merge(later, admitted('3:700:1')).place.pass, 'later');
});

test('a place that is known is not forgotten for an entry that is still uncertain', () => {
  assert.equal(merge(waiting(4, '3:5:0', { ticket: 7 }), { status: 'PENDING' }).verdict, 'stale');
  const pending = merge(
    { ...expired('3:5:0'), ticket: 7 },
    { status: 'PENDING', receipt: { partition: 3, offset: 90, at: 'now' } },
  ).place;
  assert.equal(pending.status, 'PENDING');
  assert.equal(merge(pending, expired('3:6:0')).verdict, 'stale');
  assert.equal(merge(pending, waiting(3, '3:90:0', { ticket: 8 })).place.status, 'WAITING');
});

test('the bodies of one stay lead to one end in any order', () => {
  const bodies = [
    waiting(90, '3:10:0', { ticket: 7 }),
    waiting(60, '3:20:0'),
    waiting(30, '3:30:0'),
    waiting(2, '3:40:0'),
    admitted('3:50:0'),
    expired('3:60:0'),
  ];
  let seed = 42;
  const random = () => (seed = (seed * 16_807) % 2_147_483_647) / 2_147_483_647;
  for (let round = 0; round < 500; round++) {
    const order = bodies.map((body) => [random(), body]).sort(([a], [b]) => a - b);
    let place = null;
    let rank = Infinity;
    for (const [, body] of order) {
      place = merge(place, body).place;
      if (place.status === 'WAITING') {
        assert.ok(place.rank <= rank, `rank rose from ${rank} to ${place.rank}`);
        rank = place.rank;
      }
    }
    assert.equal(place.status, 'EXPIRED');
  }
});

test('the first delay is random too, and at the cap delays are still spread out', () => {
  const values = [0, 0.5, 0.999, 0.25, 0.75, 0.1];
  let i = 0;
  const backoff = new Backoff(1_000, 8_000, () => values[i++]);
  assert.deepEqual(
    values.map(() => backoff.next()),
    [0, 1_000, 3_996, 2_000, 6_000, 800],
  );
  backoff.reset();
  i = 1;
  assert.equal(backoff.next(), 500);
});
