// The keys: each has an action and words.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { keyMap } from '../../lib/keys.js';
import { keyGroups } from '../../lib/keywords.js';

test('the map of keys explains each key that does something, and no other', () => {
  const works = new Set(keyMap.map(([key]) => key)), explained = new Set(keyGroups.flatMap(([, keys]) => keys.map(([k]) => k)));
  assert.deepEqual([...works].sort(), [...explained].sort());
  for (const [title, keys] of keyGroups) {
    assert.equal(new Set(keys.map(([key]) => key)).size, keys.length, `${title} explains a key twice`);
  }
});
