// The lists of conversations and jobs, which frames change while they are fetched.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { initial, reduce } from '../../state/reduce.js';

const at = (second) => `2026-03-04T12:00:0${second}Z`;
const row = (more) => ({ id: 'a', state: 'idle', turn_count: 0, created_at: at(0), updated_at: at(0), ...more });

test('a list that was read before a turn began does not say that nothing runs', () => {
  let s = reduce(initial(), { type: 'threads', threads: [row({})] });
  const frame = { type: 'thinking', thread_id: 'a', turn_number: 1, at: at(2), message: 'x' };
  s = reduce(s, { type: 'event', frame, eventId: '', now: 0 });
  assert.equal(s.threads?.[0].state, 'processing');
  s = reduce(s, { type: 'threads', threads: [row({ title: 'do both', updated_at: at(1) })] });
  assert.deepEqual(s.threads?.[0], row({ title: 'do both', state: 'processing', turn_count: 1, updated_at: at(2) }));
  s = reduce(s, { type: 'threads', threads: [row({ turn_count: 1, updated_at: at(3) })] });
  assert.equal(s.threads?.[0].state, 'idle');
});
