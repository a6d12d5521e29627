// The lists of conversations and jobs, which frames change while they are fetched.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { waitingThreads } from '../../state/lists.js';
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

test('a list knows which conversations wait for a person, whatever was read of them', () => {
  let s = reduce(initial(), { type: 'threads', threads: [row({ pending_requests: ['r1'] }), row({ id: 'b' })] });
  const waiting = () => Object.fromEntries(waitingThreads(s).map((t) => [t.id, t.pending_requests]));
  const frame = (more) => {
    s = reduce(s, { type: 'event', frame: { thread_id: 'a', turn_number: 1, at: at(2), ...more }, eventId: '', now: 0 });
  };
  assert.deepEqual(waiting(), { a: ['r1'] });
  frame({ type: 'approval_needed', request_id: 'r1', call_id: '1' });
  frame({ type: 'approval_needed', request_id: 'r2', call_id: '2' });
  frame({ type: 'approval_needed', request_id: 'r3', call_id: '3', thread_id: 'new' });
  assert.deepEqual(waiting(), { new: ['r3'], a: ['r1', 'r2'] }, 'a repeated request is one');
  frame({ type: 'approval_answered', request_id: 'r1', call_id: '1', answer: 'approve' });
  s = reduce(s, { type: 'threads', threads: [row({ pending_requests: ['r1'], updated_at: at(1) })] });
  assert.deepEqual(waiting(), { a: ['r2'] }, 'a list that was read before the answer');
  s = reduce(s, { type: 'hide', id: 'a', hidden: true });
  assert.deepEqual(waiting(), {});
  s = reduce(s, { type: 'hide', id: 'a', hidden: false });
  frame({ type: 'approval_answered', request_id: 'r2', call_id: '2', answer: 'withdrawn' });
  assert.deepEqual(waiting(), {});
});

test('a conversation has its title as soon as its first message is known', () => {
  const frame = (id, more) => ({ type: 'event', eventId: '', now: 0,
    frame: { type: 'thinking', thread_id: id, turn_number: 1, at: at(2), message: 'x', ...more } });
  let s = reduce(initial(), { type: 'threads', threads: [row({}), row({ id: 'b', title: 'kept' })] });
  s = reduce(s, frame('a', { user_input: '**Why** is it slow?\nSay more.' }));
  s = reduce(s, frame('b', { user_input: 'Another question' }));
  s = reduce(s, frame('c', { user_input: 'A new one' }));
  s = reduce(s, frame('d', {}));
  const titles = Object.fromEntries(s.threads?.map((t) => [t.id, t.title]) || []);
  assert.deepEqual(titles, { a: 'Why is it slow?', b: 'kept', c: 'A new one', d: undefined });
  s = reduce(s, { type: 'threads', threads: [row({}), row({ id: 'b', title: 'The server’s' })] });
  assert.deepEqual(s.threads?.map((t) => t.title), ['Why is it slow?', 'The server’s'],
    'a list from before the message takes no title away');
});
