import assert from 'node:assert/strict';
import { test } from 'node:test';

import { addressOf, asJson, calmOrder, Courses, decisive, roundTop } from '../static/js/heat.js';

const room = (more = {}) => ({
  roomId: 'r',
  hot: false,
  because: null,
  rate: 100,
  demand: 120,
  threshold: 1000,
  window: 5,
  audience: 3,
  since: null,
  byCountry: {},
  byApp: {},
  ...more,
});

test('what made a room hot decides, whatever else is nearer to its threshold', () => {
  const slices = { byCountry: { KR: { rate: 90, threshold: 50 }, US: { rate: 9 } } };
  const byApp = { ios: { rate: 99, threshold: 10 } };
  const hot = room({ hot: true, because: 'country=KR', ...slices, byApp });
  assert.deepEqual(decisive(hot), { name: 'country=KR', rate: 90, threshold: 50, ratio: 1.8 });
});

test('of a room that is not hot the part nearest to its threshold decides', () => {
  assert.equal(decisive(room()).name, 'room');
  assert.equal(decisive(room({ byApp: { ios: { rate: 40, threshold: 100 } } })).name, 'app=ios');
  assert.equal(decisive(room({ byApp: { ios: { rate: 90 } } })).name, 'room');
});

test('a list keeps its order until something is a good deal heavier', () => {
  const weights = (/** @type {object} */ of) => new Map(Object.entries(of));
  assert.deepEqual(calmOrder([], weights({ a: 1, b: 3, c: 2 })), ['b', 'c', 'a']);
  assert.deepEqual(calmOrder(['b', 'c', 'a'], weights({ a: 2.9, b: 3, c: 3.1 })), ['b', 'c', 'a']);
  assert.deepEqual(calmOrder(['b', 'c', 'a'], weights({ a: 5, b: 3, c: 3.1 })), ['a', 'b', 'c']);
  assert.deepEqual(calmOrder(['b', 'gone'], weights({ b: 3, fresh: 4 })), ['fresh', 'b']);
});

test('a course holds two minutes, with a gap where nobody looked', () => {
  const courses = new Courses();
  for (let second = 0; second < 200; second++) {
    courses.add(second, [room({ rate: second })]);
  }
  courses.add(199, [room({ rate: 0 })]);
  const [ages, rates] = courses.of('r');
  assert.equal(ages.at(-1), 0);
  assert.equal(rates.at(-1), 199);
  assert.ok(ages[0] <= -120 && ages.length < 125);

  courses.add(230, [room({ rate: 7 })]);
  assert.deepEqual(courses.of('r')[1].slice(-3), [199, null, 7]);
});

test('a room no longer told of has a course that ends, and is forgotten', () => {
  const courses = new Courses();
  courses.add(1, [room()]);
  courses.add(2, []);
  assert.deepEqual(courses.of('r')[1], [100, null]);
  assert.equal(courses.last('r').rate, 100);
  courses.add(200, []);
  assert.deepEqual(courses.of('r')[0], []);
  assert.equal(courses.last('r'), null);
});

test('a scale ends at a round number', () => {
  assert.equal(roundTop(0), 10);
  assert.equal(roundTop(5200), 6000);
  assert.equal(roundTop(8100), 10000);
  assert.equal(roundTop(10000), 10000);
});

test('values may be written as JSON or as people write them', () => {
  assert.equal(asJson(' 200 '), '200');
  assert.equal(asJson('"30s"'), '"30s"');
  assert.equal(asJson('30s'), '"30s"');
  assert.equal(asJson('it is "so'), '"it is \\"so"');
});

test('a setting is addressed by its key and its scope', () => {
  assert.deepEqual(addressOf('hot.hold'), { key: 'hot.hold', kind: 'global', name: '' });
  const scoped = { key: 'hot.hold', kind: 'room', name: 'a:b' };
  assert.deepEqual(addressOf('hot.hold@room=a:b'), scoped);
  assert.equal(addressOf('what@ever').key, 'what@ever');
});
