import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lane, together } from '../../state/outline.js';
import { parted, waterfall } from '../../state/waterfall.js';
import { applyFrame, emptyCall, emptyTurn, turnOf } from '../../state/fold.js';

const call = (id, more = {}) => ({
  ...emptyCall(id), tool: id, outcome: 'success', took: 100, startedAt: 1000, step: 1, why: `why ${id}`, source: 'model',
  ...more,
});
const turn = (more = {}) => ({ ...emptyTurn(1), state: 'completed', startedAt: 1000, endedAt: 5100, ...more });
const times = ({ bars }) => bars.map((b) => [b.kind, b.from, b.to]);

test('what nobody timed has no time, and the model gets none of what it cannot be known to have taken', () => {
  const silent = { startedAt: 0, took: null };
  const fall = waterfall(turn({ calls: [call('a', silent), call('b', { ...silent, step: 2 })] }), 0);
  assert.equal(fall.timed, false);
  assert.deepEqual(times(fall).map(([, , to]) => to), [null, null, null, null], 'and no row for an answer');
  const half = waterfall(turn({ calls: [call('a', { startedAt: 1500 }), call('b', { ...silent, step: 2 })] }), 0);
  assert.deepEqual(times(half), [['model', 0, 500], ['tool', 500, 600], ['model', null, null], ['tool', null, null]]);
  const begun = waterfall(turn({ calls: [call('a', { startedAt: 1500, took: null })] }), 0);
  assert.deepEqual(times(begun), [['model', 0, 500], ['tool', 500, null]], 'nobody knows how long it took');
});

test('what a worker does between its calls is not known', () => {
  const calls = [call('a', { startedAt: 1500 }), call('b', { startedAt: 2500, step: 2 })];
  const fall = waterfall(turn({ run: 1, calls }), 0);
  assert.deepEqual(times(fall), [['model', null, null], ['tool', 500, 600], ['model', null, null], ['tool', 1500, 1600]]);
  assert.equal(fall.length, 1600, 'the axis ends with the last call');
});

test('the time in which only a person was waited for is cut out', () => {
  const asked = call('a', { startedAt: 63_000, waited: 60_000, took: 500 });
  const t = turn({ endedAt: 65_000, calls: [asked] });
  const fall = waterfall(t, 0);
  assert.deepEqual([fall.cut, fall.length], [60_000, 4000]);
  assert.deepEqual(times(fall), [['model', 0, 2000], ['tool', 2000, 2500], ['model', 2500, 4000]]);
  assert.deepEqual(fall.bars.map((b) => [b.took, b.waited]), [[2000, 0], [500, 60_000], [1500, 0]]);
  const beside = call('b', { startedAt: 3000, took: 20_000 });
  const both = waterfall({ ...t, calls: [{ ...asked, group: 0 }, { ...beside, group: 0 }] }, 0);
  assert.equal(both.cut, 40_000, 'not while another call ran');
  const open = { ...asked, startedAt: 3000, waited: 0, took: null, outcome: 'pending', request: { id: 'r' } };
  assert.equal(waterfall({ ...t, state: 'processing', endedAt: 0, calls: [open] }, 33_000).cut, 30_000, 'nor later');
  const short = { ...asked, startedAt: 3500, waited: 500 };
  assert.equal(waterfall({ ...t, endedAt: 5000, calls: [short] }, 0).cut, 0, 'a moment is no waiting');
});

test('the stream and history agree how long a call waited', () => {
  const at = (s) => `2026-01-01T00:00:0${s}.000Z`;
  let t = applyFrame(emptyTurn(1), { type: 'tool_started', call_id: 'c', name: 'x', at: at(1) });
  t = applyFrame(t, { type: 'approval_answered', call_id: 'c', answer: 'approve', at: at(4) });
  const [read] = turnOf({
    turn_number: 1, reasoning: { tool_decisions: [{ call_id: 'c', tool_name: 'x' }] },
    tool_calls: [{ call_id: 'c', started_at: at(1), waited_ms: 3000 }],
  }).calls;
  for (const c of [t.calls[0], read]) assert.deepEqual([c.startedAt, c.waited], [Date.parse(at(4)), 3000]);
});

test('three and more calls of a tool are one row until they are unfolded', () => {
  const calls = ['a', 'b', 'c'].map((id, i) => call(id, {
    tool: 'read', group: 0, startedAt: 1500 + i * 50, object: `x/${id}.go`,
  }));
  const t = turn({ calls }), [, row] = waterfall(t, 0).bars;
  assert.deepEqual([row.count, row.object, row.from, row.to, row.critical], [3, 'a.go, b.go, c.go', 500, 700, true]);
  const open = waterfall(t, 0, new Set(['a'])).bars.filter((b) => b.kind === 'tool');
  assert.deepEqual(open.map((b) => [b.call, b.object, b.critical]),
    [['a', 'x/a.go', false], ['b', 'x/b.go', false], ['c', 'x/c.go', true]]);
});

test('each step has its tokens', () => {
  const usage = [{ step: 1, input_tokens: 100, output_tokens: 20 }, { step: 2, output_tokens: 30 },
    { agent: 'r', step: 1, input_tokens: 9 }];
  const t = turnOf({ turn_number: 1, started_at: '2026-01-01T00:00:00Z', completed_at: '2026-01-01T00:00:09Z',
    usage: { input_tokens: 109, output_tokens: 50 }, step_usage: usage,
    tool_calls: [{ call_id: 'c', started_at: '2026-01-01T00:00:01Z', duration_ms: 10 }],
    reasoning: { tool_decisions: [{ call_id: 'c', tool_name: 'x', step: 1 }] } });
  assert.deepEqual(waterfall(t, 0).bars.map((b) => b.tokens), [120, 0, 30]);
  assert.equal(t.tokens, 159);
});

test('a call that was refused never ran, so it has no time and no bar', () => {
  const at = (s) => `2026-01-01T00:00:0${s}.000Z`, started = { type: 'tool_started', call_id: 'c', name: 'x', at: at(2) };
  const done = { type: 'tool_completed', call_id: 'c', outcome: 'rejected', duration_ms: 0, at: at(2) };
  const told = applyFrame(applyFrame(emptyTurn(1), started), done).calls[0];
  const [read] = turnOf({
    turn_number: 1, reasoning: { tool_decisions: [{ call_id: 'c', tool_name: 'x', outcome: 'rejected' }] },
    tool_calls: [{ call_id: 'c', started_at: at(2), duration_ms: 0 }],
  }).calls;
  assert.deepEqual([told.took, read.took], [null, null]);
  const start = Date.parse(at(1)), t = turn({ startedAt: start, endedAt: start + 3000, calls: [{ ...read, step: 1 }] });
  assert.deepEqual(times(waterfall(t, 0)), [['model', 0, 1000], ['tool', 1000, 1000], ['model', 1000, 3000]]);
  assert.equal(lane(read, together([read], 0), 0), null);
});

test('a path is split before its last part, which is kept where there is no room for all of it', () => {
  for (const [text, ...want] of [
    ['internal/invoice/totals.go', 'internal/invoice', '/totals.go'], ['./internal/ledger', './internal', '/ledger'],
    ['a/b/', 'a', '/b/'], ['totals.go', 'totals.go', ''], ['/etc', '/etc', ''], ['', '', ''],
    ['grep Round( in internal', 'grep Round( in internal', ''], ['a/b and more', 'a/b and more', ''],
    ['a/[REDACTED:key]', 'a/[REDACTED:key]', ''], [`a/${'b'.repeat(40)}`, `a/${'b'.repeat(40)}`, ''],
  ]) assert.deepEqual(parted(text), want, text);
});
