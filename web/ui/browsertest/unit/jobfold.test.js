import assert from 'node:assert/strict';
import { test } from 'node:test';
import { applyJobFrame } from '../../state/jobfold.js';

const job = {
  job_id: 'j',
  title: 'a job',
  prompt: 'look around',
  state: 'running',
  message: null,
  run: 1,
  created_at: '2026-01-01T00:00:00Z',
  updated_at: '',
  ended_at: null,
};
const at = '2026-01-01T00:00:01Z';
const fold = (...frames) => frames.reduce((turns, f) => applyJobFrame(turns, { at, ...f }, job), []);
const use = (tool_name, call_id) => ({ type: 'job_tool_use', tool_name, call_id, input: { of: call_id } });
const result = (call_id, outcome, output) => ({ type: 'job_tool_result', call_id, outcome, output, duration_ms: 3 });
const why = (...pairs) => ({
  type: 'job_reasoning',
  narrative: 'so',
  tool_decisions: pairs.map(([tool_name, rationale, outcome, parallel_group = null]) => ({
    tool_name,
    rationale,
    rationale_source: 'model',
    outcome,
    parallel_group,
  })),
});

test('a job’s first turn is its prompt', () => {
  const [t] = fold({ type: 'job_started' });
  assert.equal(t.input, 'look around');
  assert.equal(t.state, 'queued');
});

test('reasons are assigned in order to the calls before them', () => {
  const [t] = fold(
    use('a', 'c1'),
    use('a', 'c2'),
    result('c2', 'error', null),
    result('c1', 'success', 'ok'),
    why(['a', 'first', 'success', 0], ['a', 'second', 'error', 0]),
  );
  assert.deepEqual(
    t.calls.map((c) => [c.id, c.why, c.outcome, c.group, c.preview]),
    [
      ['c1', 'first', 'success', 0, '"ok"'],
      ['c2', 'second', 'error', 0, ''],
    ],
  );
});

test('groups of two steps stay apart even if the worker reuses a number', () => {
  const [t] = fold(
    use('a', 'c1'),
    use('b', 'c2'),
    why(['a', 'x', 'success', 0], ['b', 'y', 'success', 0]),
    use('a', 'c3'),
    use('b', 'c4'),
    why(['a', 'x', 'success', 0], ['b', 'y', 'success', 0]),
  );
  assert.deepEqual(
    t.calls.map((c) => c.group),
    [0, 0, 1, 1],
  );
  assert.deepEqual(
    t.calls.map((c) => c.step),
    [1, 1, 2, 2],
  );
});

test('a decision is shown even if its call was never posted', () => {
  const [t] = fold(why(['a', 'because', 'success']));
  assert.deepEqual(
    t.calls.map((c) => [c.tool, c.why, c.outcome]),
    [['a', 'because', 'success']],
  );
});

test('a further prompt begins a turn, and the message before it is the answer', () => {
  const turns = fold(
    { type: 'job_message', role: 'assistant', content: 'done' },
    { type: 'job_message', role: 'user', content: 'and more' },
    { type: 'job_message', role: 'assistant', content: 'done too' },
  );
  assert.deepEqual(
    turns.map((t) => [t.number, t.input, t.response]),
    [
      [1, 'look around', 'done'],
      [2, 'and more', 'done too'],
    ],
  );
});

test('a message before another call is a narrative, not an answer', () => {
  const [t] = fold({ type: 'job_message', role: 'assistant', content: 'let me see' }, use('a', 'c1'));
  assert.equal(t.response, '');
  assert.deepEqual(
    t.said.map((s) => s.text),
    ['let me see'],
  );
});

test('a stopped job leaves no call running', () => {
  const [t] = fold(use('a', 'c1'), { type: 'job_status', state: 'cancelled' });
  assert.equal(t.state, 'interrupted');
  assert.equal(t.calls[0].outcome, 'cancelled');
});
