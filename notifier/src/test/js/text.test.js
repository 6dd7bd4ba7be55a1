import assert from 'node:assert/strict';
import { test } from 'node:test';

import { texts } from '../static/js/text.js';

test('every language says the same things', () => {
  const [first, ...others] = Object.values(texts);
  for (const other of others) {
    assert.deepEqual(Object.keys(other).sort(), Object.keys(first).sort());
    for (const [key, value] of Object.entries(first)) {
      assert.equal(typeof other[key], typeof value, key);
    }
  }
});

test('one person is not people', () => {
  assert.equal(texts.en.people({ n: 1, text: '1' }), '1 person');
  assert.equal(texts.en.people({ n: 0, text: '0' }), '0 people');
});
