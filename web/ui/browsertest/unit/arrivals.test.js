// What begins while the page is open.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { arrivals, knownIds } from '../../state/arrivals.js';
import { initial } from '../../state/reduce.js';

/** @param {string} id @param {string} title */
const thread = (id, title) => ({ id, title, state: /** @type {const} */ ('idle'), turn_count: 1,
  created_at: `2026-11-2${id.length}T10:00:00Z`, updated_at: '2026-11-20T10:00:00Z' });

test('nothing begins before the lists are known', () => {
  assert.equal(knownIds(initial()), null);
  assert.deepEqual(knownIds({ ...initial(), threads: [thread('a', 'one')], jobs: [] }), new Set(['a']));
});

test('a conversation has begun once it has a title, and the latest comes first', () => {
  const threads = [thread('a', 'one'), thread('bb', 'two'), thread('ccc', ''), thread('dddd', 'four')];
  const s = { ...initial(), jobs: [], threads };
  assert.deepEqual(arrivals(s, new Set(['a'])).map((x) => x.title), ['four', 'two']);
});

test('what participants of a space say is no arrival', () => {
  const observed = { ...thread('a', 'one'), origin: { space: 'lab', participant: 'eve' } };
  assert.deepEqual(arrivals({ ...initial(), jobs: [], threads: [observed] }, new Set()), []);
});

test('what an agent of another program does is one', () => {
  const origin = { protocol: 'attached', space: 'notes', participant: 'Claude Code' };
  const attached = { ...thread('a', 'one'), origin, attached: { channels: [] } };
  assert.equal(arrivals({ ...initial(), jobs: [], threads: [attached] }, new Set())[0]?.first, true);
});

test('the only conversation is the first of its kind', () => {
  const s = { ...initial(), jobs: [], threads: [thread('a', 'one')] };
  assert.equal(arrivals(s, new Set())[0].first, true);
  assert.equal(arrivals({ ...s, threads: [...s.threads, thread('bb', 'two')] }, new Set(['a']))[0].first, false);
});
