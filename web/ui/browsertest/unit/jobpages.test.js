// A long job comes in pages, and a long turn of it in parts. Whatever the order in which they
// arrive, each call is shown once and in its place.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { initial, reduce } from '../../state/reduce.js';

const decision = (n) => ({ call_id: `call_${n}`, tool_name: 'shell', rationale: 'r', step: n, outcome: 'success' });

/** Returns a turn of a job with the calls from one number to another. */
function turn(number, from, to) {
  const calls = [];
  for (let n = from; n <= to; n++) calls.push(n);
  return {
    turn_number: number, run: 1, user_input: 'do it', state: 'processing', created_at: '2026-01-01T00:00:00Z',
    tool_calls: calls.map((n) => ({ call_id: `call_${n}`, name: 'shell' })),
    reasoning: {
      tool_decisions: calls.map(decision),
      narratives: calls.map((n) => ({ step: n, narrative: `step ${n}` })),
    },
  };
}

const detail = (events, turns, before) => ({ job_id: 'j', events, turns, has_more: !!before, before, event_id: 'e-1' });
const page = (s, events, turns, before) => reduce(s, { type: 'job', job: detail(events, turns, before) });
const older = (s, asked, turns, before) =>
  reduce(s, { type: 'olderJob', id: 'j', before: asked, job: detail(0, turns, before) });
const shown = (s) => s.conversations.j.turns.map((t) => [t.number, t.calls.map((c) => c.id.slice(5)).join(' ')]);

test('earlier parts of a turn are put before the later ones', () => {
  let s = page(initial(), 9, [turn(2, 5, 8)], '2.4');
  assert.equal(s.conversations.j.hasMore, true);
  s = older(s, '2.4', [turn(2, 3, 4)], '2.2');
  s = older(s, '2.2', [turn(1, 1, 1), turn(2, 2, 2)], '');
  assert.deepEqual(shown(s), [[1, '1'], [2, '2 3 4 5 6 7 8']]);
  assert.equal(s.conversations.j.hasMore, false);
  assert.deepEqual(s.conversations.j.turns[1].said.map((x) => x.step), [2, 3, 4, 5, 6, 7, 8]);
});

test('a job that goes on keeps what was read of it', () => {
  let s = page(initial(), 9, [turn(2, 5, 8)], '2.4');
  s = older(s, '2.4', [turn(1, 1, 1), turn(2, 2, 4)], '');
  s = page(s, 11, [turn(2, 7, 10)], '2.6');
  assert.deepEqual(shown(s), [[1, '1'], [2, '2 3 4 5 6 7 8 9 10']]);
  assert.equal(s.conversations.j.hasMore, false, 'all of it is there');
});

test('a page that does not connect to what is known replaces it', () => {
  let s = page(initial(), 9, [turn(2, 5, 8)], '2.4');
  s = page(s, 99, [turn(2, 50, 60)], '2.49');
  assert.deepEqual(shown(s), [[2, '50 51 52 53 54 55 56 57 58 59 60']]);
  assert.deepEqual([s.conversations.j.hasMore, s.conversations.j.oldest], [true, '2.49']);
  const late = older(s, '2.4', [turn(2, 1, 4)], '');
  assert.deepEqual(shown(late), shown(s), 'an answer to an earlier question is not put in');
});
