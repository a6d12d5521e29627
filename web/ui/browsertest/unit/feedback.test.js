// What a person thinks of a decision: the stream's word is the same as history's, and never makes news of a
// conversation.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { turnOf } from '../../state/fold.js';
import { initial, reduce } from '../../state/reduce.js';

const at = '2026-11-22T10:00:00Z';
const decision = {
  call_id: 'call_1', tool_name: 'grep', rationale: 'why', rationale_source: 'model', outcome: 'success', step: 1,
};
const turn = (number, feedback) => ({
  turn_number: number, message_id: 'm', user_input: 'hi', response: 'done', state: 'completed', created_at: at,
  started_at: at, completed_at: at, tool_calls: [],
  reasoning: { tool_decisions: [{ ...decision, ...(feedback && { feedback }) }] },
});
const thread = { id: 't', state: 'idle', turn_count: 2, created_at: at, updated_at: at };
const other = { ...thread, id: 'o' };

function open() {
  const history = { turns: [turn(2)], has_more: true, event_id: '87d2dc67-9' };
  return [
    { type: 'threads', threads: [other, thread] }, { type: 'select', active: { kind: 'thread', id: 't' } },
    { type: 'history', id: 't', history },
  ].reduce(reduce, initial());
}

const rated = (turn_number, rating, note, seq = 10) => ({
  type: 'event', now: 0, eventId: `87d2dc67-${seq}`,
  frame: { type: 'decision_rated', thread_id: 't', session_id: 's', turn_number, call_id: 'call_1', rating, note, at },
});
const callOf = (s) => s.conversations.t.turns.find((t) => t.number === 2).calls[0];

test('a rating of an ended turn is what history tells afterwards', () => {
  const s = reduce(open(), rated(2, 'bad', 'too far'));
  assert.deepEqual(callOf(s).feedback, { rating: 'bad', note: 'too far' });
  assert.deepEqual(callOf(s).feedback, turnOf(turn(2, { rating: 'bad', note: 'too far', at })).calls[0].feedback);
  assert.equal(callOf(reduce(s, rated(2, 'none', undefined, 11))).feedback, null);
});

test('a rating neither begins a turn that is not here nor moves its conversation up', () => {
  const before = open(), s = reduce(before, rated(1, 'good'));
  assert.deepEqual(s.conversations.t.turns.map((t) => t.number), [2]);
  assert.equal(s.threads, before.threads);
  assert.equal(callOf(reduce(before, rated(2, 'good'))).feedback.note, '');
});

test('a rating that comes while history is read is kept', () => {
  const loading = [{ type: 'select', active: { kind: 'thread', id: 't' } }, { type: 'loading', id: 't', kind: 'thread' }]
    .reduce(reduce, initial());
  const s = reduce(reduce(loading, rated(2, 'good', 'yes')), {
    type: 'history', id: 't', history: { turns: [turn(2)], has_more: false, event_id: '87d2dc67-9' },
  });
  assert.deepEqual(callOf(s).feedback, { rating: 'good', note: 'yes' });
});
