// Observed threads: what the stream tells of the turns of other agents has to be what history
// tells afterwards, also of what comes after a turn's end.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { emptyCall, emptyTurn, turnOf } from '../../state/fold.js';
import { did, placed } from '../../state/notes.js';
import { groups } from '../../state/spaces.js';
import { asHeard, goesOn } from '../../state/heard.js';
import { headline, outline } from '../../state/outline.js';
import { initial, reduce } from '../../state/reduce.js';

const at = (s) => `2026-11-22T10:00:0${s}Z`;
const head = { thread_id: 't', session_id: 's', turn_number: 1 };

const frames = [
  { type: 'thinking', message: 'Thinking…', message_id: 'm', at: at(0) },
  {
    type: 'thinking', message: 'Thinking…', user_input: 'Is it safe?', at: at(1),
    asked: { by: 'planner', thread_id: 'p', turn_number: 2, call_id: 'call_3',
      reason: 'to know', reason_source: 'model' },
  },
  { type: 'thinking', message: 'I run them.', step: 1, narrative_source: 'model', at: at(2) },
  {
    type: 'tool_started', name: 'run', call_id: 'call_1', rationale: 'only a run can tell', rationale_source: 'thought',
    parallel_group: null, at: at(2),
  },
  {
    type: 'tool_started', name: 'run', to: 'tester', call_id: 'call_1', rationale: 'only a run can tell',
    rationale_source: 'thought', parallel_group: null, at: at(3),
  },
  { type: 'note', from: 'ann', kind: 'chat', text: 'hurry', at: at(4) },
  { type: 'tool_completed', name: 'run', call_id: 'call_1', success: false, outcome: 'unknown',
    duration_ms: 0, at: at(5) },
  { type: 'conclusion', text: 'It should be.', at: at(5) },
  { type: 'status', message: 'Completed', state: 'completed', at: at(5) },
  { type: 'note', from: 'bob', kind: 'thought', text: 'should?', late: true, at: at(6) },
  { type: 'thinking', message: 'I look again.', step: 2, narrative_source: 'model', at: at(7) },
  { type: 'tool_completed', name: 'run', call_id: 'call_1', success: true, outcome: 'success',
    duration_ms: 9, at: at(8) },
  { type: 'response', content: 'It is.', at: at(9) },
].map((f, i) => ({ ...head, ...f, id: `0a1b2c3d-${i + 1}` }));

const origin = { protocol: 'mew', space: 'lab', participant: 'scout' };
const thread = (id, participant, state = 'idle') => ({
  id, state, turn_count: 1, created_at: at(0), updated_at: at(0), origin: { ...origin, participant },
});

/** Returns a state with an observed thread that is open and empty. */
function open() {
  const history = { turns: [], has_more: false, event_id: '' };
  const all = [{ type: 'threads', threads: [thread('t', 'scout')] }, { type: 'history', id: 't', history }];
  return all.reduce(reduce, initial());
}

const play = (state, all) =>
  all.reduce((s, { id, ...frame }) => reduce(s, { type: 'event', frame, eventId: id, now: 0 }), state);
const turn = (state) => state.conversations.t.turns[0];
const told = (t) => ({
  input: t.input, state: t.state, response: t.response, ended: t.endedAt, started: t.startedAt, asked: t.asked,
  conclusion: t.conclusion, notes: t.notes, late: t.lateSteps,
  calls: t.calls.map((c) => [c.id, c.tool, c.to, c.source, c.outcome, c.took, c.startedAt]),
  said: t.said.map((s) => s.text),
});

test('the stream tells of an observed turn what history does, late events included', () => {
  const decision = {
    tool_name: 'run', to: 'tester', rationale: 'only a run can tell', rationale_source: 'thought', outcome: 'success',
    call_id: 'call_1', step: 1, parameters: {},
  };
  const stored = turnOf({
    turn_number: 1, message_id: 'm', user_input: 'Is it safe?', response: 'It is.', state: 'completed',
    created_at: at(0), started_at: at(0), completed_at: at(5), asked: frames[1].asked, conclusion: 'It should be.',
    notes: [{ from: 'ann', kind: 'chat', text: 'hurry', at: at(4) },
      { from: 'bob', kind: 'thought', text: 'should?', late: true, at: at(6) }],
    late_steps: [2], tool_calls: [{ call_id: 'call_1', name: 'run', to: 'tester', started_at: at(2), duration_ms: 9 }],
    reasoning: {
      narrative: 'I look again.', narrative_source: 'model', tool_decisions: [decision],
      narratives: [{ step: 1, narrative: 'I run them.' }, { step: 2, narrative: 'I look again.' }],
    },
  });
  assert.deepEqual(told(turn(play(open(), frames))), told(stored));
});

test('who asked becomes known later without beginning the turn again', () => {
  const two = turn(play(open(), frames.slice(0, 2)));
  assert.equal(two.asked.by, 'planner');
  assert.equal(two.startedAt, Date.parse(at(0)));
});

test('a note that a fetched turn had already is not repeated', () => {
  const note = frames[5], once = play(open(), frames.slice(0, 6));
  const again = play(once, [{ ...note, id: '0a1b2c3d-90' }]);
  assert.equal(turn(again).notes.length, 1);
  assert.equal(turn(play(again, [{ ...note, text: 'now', id: '0a1b2c3d-91' }])).notes.length, 2);
});

test('what comes after the end leaves the thread idle, and the turn ended', () => {
  for (let n = 9; n <= frames.length; n++) {
    const s = play(open(), frames.slice(0, n));
    assert.equal(s.threads[0].state, 'idle', frames[n - 1].type);
    assert.equal(turn(s).state, 'completed');
    assert.equal(turn(s).endedAt, Date.parse(at(5)));
  }
  assert.equal(play(open(), frames.slice(0, 8)).threads[0].state, 'processing');
});

test('notes stand before the first step that began after them', () => {
  const t = turn(play(open(), frames)), steps = [{ agent: '', step: 1 }, { agent: '', step: 2 }];
  assert.deepEqual(placed(t, steps).map((p) => [p.note.text, p.before]), [['hurry', 1]], 'late ones stand elsewhere');
  const unknown = { ...t, said: t.said.map((s) => ({ ...s, at: 0 })) };
  assert.deepEqual(placed(unknown, steps).map((p) => p.before), [1], 'a late step is after the end');
  const early = { ...unknown, lateSteps: [], calls: [] };
  assert.deepEqual(placed(early, steps).map((p) => p.before), [2], 'nobody knows when the steps began');
});

test('spaces are groups of their participants, who may have said nothing yet', () => {
  const lab = { name: 'lab', you: 'ann', joined: true, participants: [
    { id: 'ann', connected: true }, { id: 'critic', connected: false }, { id: 'scout', connected: true }] };
  const mine = { id: 'own', state: 'idle', turn_count: 0 };
  const other = { ...thread('z', 'x'), origin: { ...origin, space: 'attic', participant: 'x' } };
  const all = groups([thread('2', 'scout'), mine, thread('1', 'planner'), other], [lab]);
  assert.deepEqual(all.map((g) => [g.name, g.threads.map((t) => t.id), g.silent.map((p) => p.id), !!g.space]),
    [['attic', ['z'], [], false], ['lab', ['1', '2'], ['critic'], true]]);
  assert.deepEqual(groups([mine], []), []);
});

test('each kind of note has words', () => {
  for (const kind of ['chat', 'thought', 'conclusion', 'cancel', 'reject', 'shutdown', 'other']) assert.ok(did[kind]);
});

test('a reasoning within another has what it began with and what came of it around its steps', () => {
  const said = (agent, step, text) => ({ agent, step, text, html: '', source: 'model', at: 2000 });
  const t = {
    ...emptyTurn(1),
    said: [said('', 1, 'plan'), said('', 2, 'too late'), said('sub-1', 1, 'one line')],
    handoffs: [
      { call: '', from: '', to: 'sub-1', text: 'What would a fix take?', at: 1500 },
      { call: '', from: 'sub-1', to: 'sub-2', text: '…', at: 1600 },
      { call: '', from: 'sub-2', to: 'sub-1', text: 'a test', at: 1700 },
      { call: '', from: 'sub-1', to: '', text: 'Half an hour', at: 2500 },
    ],
    lateSteps: [2],
  };
  assert.deepEqual(outline(t).map((s) => [s.agent, s.step, s.said.text]), [
    ['', 1, 'plan'],
    ['sub-1', 0, 'What would a fix take?'],
    ['sub-1', 1, 'one line'],
    ['sub-1', 2, 'Half an hour'],
    ['sub-2', 1, 'a test'],
    ['', 2, 'too late'],
  ]);
});

test('a watched turn without an end and without news goes on no longer', () => {
  const minute = 60_000, now = 200 * minute, open = { ...emptyCall('c'), tool: 'Bash' };
  const t = { ...emptyTurn(1), toldAt: now - 11 * minute, calls: [open] };
  const quiet = asHeard(t, now);
  assert.deepEqual([quiet.state, quiet.calls[0].outcome], ['quiet', 'unknown']);
  assert.equal(asHeard(t, now), quiet, 'the same turn is drawn once');
  assert.deepEqual(headline(quiet, now), { label: 'No end reported', detail: 'last heard 11 min ago · 1 call' });
  for (const other of [{ ...t, toldAt: now - 9 * minute }, { ...t, toldAt: 0 }, { ...t, state: 'completed' },
    { ...t, calls: [{ ...open, request: {} }] }]) assert.equal(asHeard(other, now), other);
  const at = new Date(now - 11 * minute).toISOString(), thread = { state: 'processing', attached: { told_at: at } };
  assert.deepEqual([goesOn(thread, now), goesOn(thread, now - 2 * minute), goesOn({ ...thread, attached: undefined }, now),
    goesOn({ ...thread, pending_requests: ['r'] }, now)], [false, true, true, true]);
});

test('a sub-agent of a turn that is over does not work', () => {
  const calls = [{ ...emptyCall('c'), tool: 'spawn', step: 1 }];
  const handoffs = [{ call: 'c', from: '', to: 'a', text: 'go', at: 0, name: '', model: '', effort: '' }];
  for (const state of ['processing', 'completed', 'quiet']) {
    const [step] = outline({ ...emptyTurn(1), calls, handoffs, state });
    assert.equal(step.batches[0].nodes[0].sub.over, state !== 'processing');
  }
});
