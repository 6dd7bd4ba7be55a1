import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
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

test('no page takes the words of another', async () => {
  const source = await readFile(new URL('../static/js/text.js', import.meta.url), 'utf8');
  const languages = source.split(/^ {2}\w+: \{$/m).slice(1);
  assert.equal(languages.length, Object.keys(texts).length);
  for (const language of languages) {
    const keys = [...language.matchAll(/^ {4}(\w+):/gm)].map(([, key]) => key);
    assert.ok(keys.length > 100);
    assert.deepEqual(
      keys.filter((key, at) => keys.indexOf(key) !== at),
      [],
    );
  }
});

test('one person is not people', () => {
  assert.equal(texts.en.people({ n: 1, text: '1' }), '1 person');
  assert.equal(texts.en.people({ n: 0, text: '0' }), '0 people');
});
