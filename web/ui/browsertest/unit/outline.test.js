import assert from 'node:assert/strict';
import { test } from 'node:test';
import { announce } from '../../view/announce.js';
import { ticks, waterfall } from '../../state/waterfall.js';
import { emptyCall, emptyTurn, turnOf } from '../../state/fold.js';
import { callJSON } from '../../view/copy.js';
import { ago, clock, counter, cut, firstLine, pretty, size, span } from '../../lib/format.js';
import { headline, lane, outcomeOf, outline, sourceOf, together } from '../../state/outline.js';
import { silence } from '../../state/summary.js';
import { isAfter, parseCursor } from '../../state/cursor.js';
import { formatRoute, loginIn, parseRoute } from '../../state/route.js';

const call = (id, more = {}) => ({
  ...emptyCall(id),
  tool: id,
  outcome: 'success',
  took: 100,
  startedAt: 1000,
  step: 1,
  why: `why ${id}`,
  source: 'model',
  ...more,
});
const turn = (more = {}) => ({ ...emptyTurn(1), state: 'completed', startedAt: 1000, endedAt: 5100, ...more });

test('what stands beside the headline is not said in it again', () => {
  const running = turn({ state: 'processing', calls: [call('a'), call('b', { outcome: 'pending' })], endedAt: 0 });
  assert.equal(headline(running, 9400, true).detail, '', 'the foot says how far it is');
  assert.equal(headline(turn({ calls: [call('a')] }), 0).detail, '1 call');
  assert.equal(headline(turn({ calls: [call('a')], cost: '$0.02' }), 0, true).detail, '$0.02');
  assert.equal(headline(turn({ calls: [call('a', { outcome: 'error' })] }), 0, true).detail, '1 failed');
  assert.equal(headline(turn(), 0, true).detail, '', 'a sentence says that there was none');
});

test('screen readers hear no sum of tokens before it is known', () => {
  for (const [stale, want] of [[true, 'no calls'], [false, 'no calls, 1,200 tokens']]) {
    const said = [], t = turn({ tokens: 1200, stale });
    const state = { active: { kind: 'thread', id: 'x' }, conversations: { x: { turns: [t] } } };
    const frame = { type: 'response', thread_id: 'x', turn_number: 1 };
    announce((words) => said.push(words))(state, { type: 'event', frame });
    assert.deepEqual(said, [`Turn 1 answered after 4.1 s: ${want}.`]);
  }
});

test('the headline of a turn counts while it runs, then sums up the result', () => {
  const calls = [
    call('a', { group: 0 }),
    call('b', { group: 0, outcome: 'pending', took: null }),
    call('c', { outcome: 'pending', took: null }),
  ];
  assert.deepEqual(headline(turn({ state: 'processing', calls, endedAt: 0 }), 9400), {
    label: 'Working… 8 s',
    detail: '1 of 3 done',
  });
  assert.deepEqual(
    headline(turn({ calls: calls.map((c) => ({ ...c, outcome: 'success', group: c.id === 'c' ? null : 0 })) }), 0),
    { label: 'Worked for 4.1 s', detail: '3 calls, 2 in parallel' },
  );
  const two = [call('a', { group: 0 }), call('b', { group: 0 }), call('c', { group: 1 }), call('d', { group: 1 })];
  assert.equal(headline(turn({ calls: two }), 0).detail, '4 calls, 2 parallel batches');
  const steps = two.slice(0, 2).map((c, i) => ({ ...c, step: i + 1 }));
  assert.equal(headline(turn({ calls: steps }), 0).detail, '2 calls, 2 parallel batches', 'each step counts anew');
  const later = turn({ calls: [call('a', { took: 5300 }), call('b', { took: 2000 })] });
  assert.deepEqual(headline(later, 0), { label: 'Worked', detail: '2 calls · 7.3 s in calls' }, 'reported later');
  const spoke = turn({ said: [{ agent: '', step: 1, text: 'I see.', source: 'summary', at: 0 }] });
  assert.equal(headline(spoke, 0).label, 'Reasoned for 4.1 s', 'no tool took a part of it');
  assert.deepEqual(headline(turn({ calls: [] }), 0), { label: 'Answered in 4.1 s', detail: 'no calls' });
  assert.equal(headline(turn({ calls: [], tokens: 1234 }), 0).detail, 'no calls · 1,234 tokens');
  assert.equal(
    headline(turn({ calls: [call('a', { outcome: 'error' }), call('b', { outcome: 'rejected' })] }), 0).detail,
    '2 calls · 1 failed · 1 rejected',
  );
  const denied = turn({ calls: [call('a', { outcome: 'rejected', approval: 'deny' }), call('b', { outcome: 'rejected' })] });
  assert.equal(headline(denied, 0).detail, '2 calls · 1 rejected · 1 denied', 'a person denies, a policy rejects');
  assert.equal(headline(turn({ calls: two.slice(0, 2) }), 0).detail, '2 calls in parallel');
  assert.equal(headline(turn({ state: 'failed' }), 0).label, 'Failed after 4.1 s');
  assert.equal(headline(turn({ state: 'interrupted', startedAt: 0 }), 0).label, 'Stopped',
    'nobody knows when it began');
  const waited = [{ startedAt: 9000, waited: 3000 }, { startedAt: 10_000, waited: 2500 },
    { startedAt: 500, waited: 0 }];
  const after = turn({ calls: waited.map((w, i) => call(`w${i}`, w)), startedAt: 1000, endedAt: 12_000 });
  assert.equal(headline(after, 0).detail, '3 calls · 4.0 s of it waiting for you', 'waits that overlap count once');
  const asks = turn({
    state: 'processing',
    calls: [call('a', { outcome: 'pending', request: { id: 'r', description: '', always: false } })],
  });
  assert.equal(headline(asks, 0).label, 'Waiting for you');
});

test('each state without decisions has its own explanation', () => {
  const words = ['queued', 'processing', 'completed', 'failed', 'interrupted'].map((state) => silence(turn({ state })));
  words.push(silence(turn({ narrativeBlocked: true })));
  words.push(silence(turn(), true));
  assert.equal(new Set(words).size, 7);
  assert.ok(words.every(Boolean));
  assert.doesNotMatch(silence(turn(), true), /tool/, 'what a person says in a space answers nothing');
});

test('the fallback sentence is never attributed to the model', () => {
  assert.equal(sourceOf(call('a')).ours, false);
  assert.equal(sourceOf(call('a', { source: 'summary' })).ours, false);
  for (const more of [{ source: 'fallback' }, { source: 'fallback', blocked: true }, { source: '' }])
    assert.equal(sourceOf(call('a', more)).ours, true);
  assert.match(sourceOf(call('a', { source: 'fallback' })).text, /no reason given/);
});

test('an unknown outcome is shown by its name', () =>
  assert.equal(outcomeOf(call('a', { outcome: 'vanished' })).text, 'vanished'));

test('calls of a group form one batch, and a sub-agent is below its call', () => {
  const t = turn({
    calls: [call('a', { group: 0 }), call('b', { group: 0 }), call('c', { step: 2 }), call('d', { agent: 'r_1' })],
    said: [
      { agent: '', step: 1, text: 'first', source: 'model', at: 0 },
      { agent: 'r_1', step: 1, text: 'sub', source: 'model', at: 0 },
    ],
    handoffs: [
      { call: 'c', from: '', to: 'r_1', text: 'go', at: 0 },
      { call: 'c', from: 'r_1', to: '', text: 'gone', at: 0 },
    ],
  });
  const [one, two] = outline(t);
  assert.deepEqual(
    one.batches.map((b) => b.nodes.map((n) => n.call.id)),
    [['a', 'b']],
  );
  assert.equal(one.said.text, 'first');
  const sub = two.batches[0].nodes[0].sub;
  assert.equal(sub.answer.text, 'gone');
  assert.deepEqual(
    sub.steps[0].batches[0].nodes.map((n) => n.call.id),
    ['d'],
  );
});

test('the calls of agents that no call started are shown by agent, behind those of the lead', () => {
  const calls = [
    call('a', { agent: 'scout' }),
    call('b', { agent: 'writer' }),
    call('c'),
    call('d', { agent: 'scout', step: 2 }),
    call('e', { agent: 'helper' }),
  ];
  const handoffs = [{ call: 'd', from: 'scout', to: 'helper', text: 'go', at: 0 }];
  const ids = (s) => s.batches.flatMap((b) => b.nodes.map((n) => n.call.id));
  const shown = (steps) => steps.map((s) => [s.agent, s.step, ...ids(s)]);
  const steps = outline(turn({ calls, handoffs }));
  assert.deepEqual(shown(steps), [['', 1, 'c'], ['scout', 1, 'a'], ['scout', 2, 'd'], ['writer', 1, 'b']]);
  assert.deepEqual(shown(steps[2].batches[0].nodes[0].sub.steps), [['', 1, 'e']]);
  const rows = waterfall(turn({ calls: calls.slice(0, 2) }), 0).bars.map((b) => b.label);
  assert.deepEqual(rows, ['scout: model chooses', 'a', 'writer: model chooses', 'b']);
});

test('an agent that starts itself does not recurse forever', () => {
  const t = turn({
    calls: [call('a', { agent: 'x' })],
    handoffs: [{ call: 'a', from: 'x', to: 'x', text: '', at: 0 }],
  });
  assert.deepEqual(outline(t).map((s) => [s.agent, s.batches[0].nodes]), [['x', [{ call: t.calls[0], sub: null }]]]);
  outline({
    ...t,
    calls: [call('b'), call('a', { agent: 'x' })],
    handoffs: [...t.handoffs, { call: 'b', from: '', to: 'x', text: '', at: 0 }],
  });
});

test('the lanes of a batch share an axis', () => {
  const calls = [call('a', { took: 400 }), call('b', { startedAt: 1100, took: 100 })],
    axis = together(calls, 0);
  assert.deepEqual(axis, { from: 1000, wall: 400, sum: 500, near: false });
  assert.deepEqual(lane(calls[1], axis, 0), { left: 0.25, width: 0.25 });
  assert.deepEqual(lane(call('c', { took: null, outcome: 'pending' }), { from: 1000, wall: 400 }, 1200), {
    left: 0,
    width: 0.5,
  });
});

test('no duration is invented for calls whose start and duration are unknown', () => {
  const now = Date.UTC(2026, 0, 1), unknown = call('c', { startedAt: 0, took: null, outcome: 'cancelled' });
  assert.deepEqual(together([unknown, { ...unknown, id: 'd' }], now), { from: 0, wall: 0, sum: 0, near: false });
  const calls = [call('a', { startedAt: 1000, took: 400 }), unknown];
  assert.deepEqual(together(calls, now), { from: 1000, wall: 400, sum: 400, near: false });
  assert.equal(lane(unknown, together(calls, now), now), null, 'no bar');
  const untimed = call('e', { startedAt: 2000, took: null, outcome: 'error' }); // it ended, and nobody said when
  assert.deepEqual(together([calls[0], untimed], now), { from: 1000, wall: 400, sum: 400, near: false });
  assert.equal(lane(untimed, together(calls, now), now), null);
  assert.equal(lane(untimed, together([untimed], now), now), null, 'nor one that fills the axis');
});

test('a time between two reports is about how long a call took', () => {
  const at = (s) => `2026-01-01T00:00:0${s}.000Z`;
  const read = (id, more) => turnOf({ turn_number: 1,
    reasoning: { tool_decisions: [{ call_id: id, tool_name: 'x', outcome: 'success', parallel_group: 0 }] },
    tool_calls: [{ call_id: id, started_at: at(1), duration_ms: null, ...more }] }).calls[0];
  const a = read('a', { apart_ms: 700 }), b = read('b', { apart_ms: 1100 }), c = read('c', { duration_ms: 90 });
  assert.deepEqual([a, c].map((x) => [x.took, x.near]), [[700, true], [90, false]]);
  assert.deepEqual([read('d', {}).took, read('d', {}).near], [null, false]);
  const axis = together([a, b, c], 0);
  assert.deepEqual([axis.wall, axis.near], [1100, true]);
  assert.equal(lane(a, axis, 0).width, 700 / 1100);
  const later = turn({ startedAt: Date.parse(at(1)), endedAt: Date.parse(at(1)) + 10, calls: [a, b] });
  assert.match(headline(later, 0).detail, /~1.8 s in calls/);
  const fall = waterfall(turn({ run: 1, startedAt: Date.parse(at(1)), endedAt: Date.parse(at(2)), calls: [a, b] }), 0);
  assert.deepEqual([fall.timed, fall.bars.map((x) => [x.to, x.near])],
    [true, [[null, false], [700, true], [1100, true]]]);
  assert.equal(callJSON(a).duration_ms, null, 'a copy for machines has measured times alone');
});

test('the critical path is what the turn waited for', () => {
  const t = turn({
    calls: [
      call('a', { startedAt: 1500, took: 300 }),
      call('b', { startedAt: 1500, took: 900 }),
      call('c', { step: 2, startedAt: 3000, took: 100 }),
    ],
  });
  const { bars, length } = waterfall(t, 0);
  assert.equal(length, 4100);
  assert.deepEqual(
    bars.filter((b) => b.critical && b.kind === 'tool').map((b) => b.label),
    ['b', 'c'],
  );
  assert.deepEqual(
    bars.map((b) => [b.kind, b.from, b.to]),
    [
      ['model', 0, 500],
      ['tool', 500, 800],
      ['tool', 500, 1400],
      ['model', 1400, 2000],
      ['tool', 2000, 2100],
      ['model', 2100, 4100],
    ],
  );
});

test('an axis has few marks at round numbers', () => {
  for (const length of [1, 7, 130, 4100, 61_000, 3_600_000]) {
    const all = ticks(length);
    assert.ok(all.length >= 2 && all.length <= 7, `${length}: ${all}`);
    assert.ok(all.at(-1) <= length * 1.001);
  }
});

test('times and sizes are formatted for people', () => {
  assert.deepEqual([0, 12, 999, 4130, 9960, 42_000, 125_000, 7_260_000].map(span), [
    '<1 ms',
    '12 ms',
    '999 ms',
    '4.1 s',
    '10 s',
    '42 s',
    '2 min 05 s',
    '2 h 01 min',
  ]);
  assert.deepEqual([-5, 8999, 61_500].map(counter), ['0 s', '8 s', '1 min 01 s']);
  assert.deepEqual(
    [0, 60_000, 7_200_000, 172_800_000].map((d) => ago(1e12, 1e12 + d)),
    ['now', '1 min', '2 h', '2 d'],
  );
  assert.match(clock(1e12, 1e12), /^\d\d:\d\d$/);
  assert.match(clock(1e12, 1e12 + 9e7), /^\d+ \w{3}, \d\d:\d\d$/);
  assert.deepEqual([1, 999, 1500, 2_500_000].map(size), ['1 byte', '999 bytes', '1.5 kB', '2.5 MB']);
});

test('the first line of a text has no Markdown and no broken characters', () => {
  assert.equal(firstLine('\n## **Looking** at `x`\nmore'), 'Looking at x');
  assert.equal(firstLine('2 * 3 * 4 is 24'), '2 * 3 * 4 is 24');
  assert.equal(firstLine('I call _both_ file_read and file_list'), 'I call both file_read and file_list');
  assert.equal(cut('🙂🙂🙂🙂', 3), '🙂🙂…');
  assert.equal(pretty('{"a":1}'), '{\n  "a": 1\n}');
  assert.equal(pretty('not json…'), 'not json…');
});

test('a deep link survives formatting and parsing', () => {
  const r = { thread: 'a b', job: '', turn: 3, call: 'call_2', view: 'timeline',
    diff: 1, diffThread: 'b', diffJob: 'c', isNew: false,
    find: null };
  assert.deepEqual(parseRoute(formatRoute(r)), r);
  assert.equal(formatRoute({ thread: 'x', turn: 3, call: 'call_2' }), '#t=x&turn=3&d=call_2');
  assert.equal(parseRoute(formatRoute({ isNew: true })).isNew, true);
  assert.equal(parseRoute('#t=x&turn=-1').turn, 0);
  assert.deepEqual(loginIn('#code=abc'), { code: 'abc', isToken: false });
  assert.deepEqual(loginIn('#token=abc'), { code: '', isToken: true });
  assert.equal(loginIn('#t=abc'), null);
});

test('cursors are ordered like the stream', () => {
  const order = ['aaaaaaaa-7', 'aaaaaaaa-8.1', 'aaaaaaaa-8.2', 'aaaaaaaa-8', 'aaaaaaaa-9'].map(parseCursor);
  for (let i = 1; i < order.length; i++) {
    assert.ok(isAfter(order[i], order[i - 1]));
    assert.ok(!isAfter(order[i - 1], order[i]));
  }
  assert.ok(isAfter(parseCursor('bbbbbbbb-1'), order[4]), 'another epoch comes after');
});
