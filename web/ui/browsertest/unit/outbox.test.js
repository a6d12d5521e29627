// Which waiting message goes next, and which the server has taken already.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { latestTurn } from '../../state/outbox.js';
import { nextWaiting, sameWords, takenAs, withoutSent } from '../../state/resend.js';
import { initial, reduce } from '../../state/reduce.js';

const message = (key, thread, more = {}) =>
  ({ key, thread, text: `text ${key}`, after: 3, problem: '', sending: false, ...more });
const turns = (...inputs) => inputs.map((input, i) => ({ number: i + 1, input }));

test('a turn with the words of a message is the message if it came after it was written', () => {
  const m = message(1, 'a', { text: 'yes', after: 2 });
  assert.equal(takenAs(m, turns('yes', 'yes')), undefined);
  assert.equal(takenAs(m, turns('yes', 'yes', 'no', 'yes'))?.number, 4);
  assert.equal(takenAs(m, turns('yes', 'yes', null)), undefined);
});

test('the server masks secrets and leaves out what cannot be seen', () => {
  for (const [text, input] of [
    ['  hello\r\nthere ', 'hello\nthere'],
    ['he\u200bllo', 'hello'],
    ['the key is s3cr3t, use it', 'the key is [REDACTED:named], use it'],
    ['a s3cr3t b s3cr3t c', 'a [REDACTED:x] b [REDACTED:y] c'],
    ['?!', ' ?!'],
  ]) assert.ok(sameWords(text, input), text);
  for (const [text, input] of [
    ['hello', 'hello there'], ['?!', '!?'], ['', 'x'],
    ['the key is s3cr3t, use it', 'the key is [REDACTED:named], lose it'],
    ['the key is s3cr3t, use it', 'no key is [REDACTED:named], use it'],
    ['a s3cr3t c', 'a [REDACTED:x] b [REDACTED:y] c'],
  ]) assert.ok(!sameWords(text, input), text);
});

test('what was refused holds back what was written behind it, and nothing else', () => {
  const s = { ...initial(), waiting: [message(1, 'a', { problem: 'no' }), message(2, 'a'), message(3, 'b')] };
  assert.equal(nextWaiting(s)?.key, 3);
  assert.equal(nextWaiting({ ...s, waiting: s.waiting.slice(1) })?.key, 2);
  assert.equal(nextWaiting({ ...s, hidden: { b: true } }), undefined, 'its conversation is being deleted');
});

test('the same words twice become two turns', () => {
  const [one, two] = [message(1, 'a', { text: 'yes' }), message(2, 'a', { text: 'yes' })];
  const left = withoutSent([one, two, message(3, 'b')], one, 4);
  assert.deepEqual(left.map((m) => [m.key, m.after]), [[2, 4], [3, 3]]);
  assert.equal(takenAs(left[0], turns('x', 'x', 'x', 'yes')), undefined);
});

test('the latest turn is known from the list before the conversation is read', () => {
  const threads = [{ id: 'a', state: 'idle', turn_count: 7, created_at: '', updated_at: '' }];
  assert.equal(latestTurn({ ...initial(), threads }, 'a'), 7);
  assert.equal(latestTurn(initial(), 'a'), 0);
});

test('what was deleted is gone from its list and stays deleted when it is read again', () => {
  const thread = { id: 'a', state: 'idle', turn_count: 7, created_at: '', updated_at: '' };
  let s = reduce(initial(), { type: 'threads', threads: [thread, { ...thread, id: 'b' }] });
  s = reduce(s, { type: 'history', id: 'a', history: { turns: [], has_more: false, event_id: '' } });
  s = reduce(reduce(s, { type: 'hide', id: 'a', hidden: true }), { type: 'deleted', id: 'a' });
  s = reduce(s, { type: 'loading', id: 'a', kind: 'thread' });
  s = reduce(s, { type: 'failed', id: 'a', kind: 'thread', problem: 'no thread', gone: true });
  assert.equal(s.conversations.a.status, 'deleted');
  assert.deepEqual([s.threads?.map((t) => t.id), s.hidden], [['b'], {}]);
});
