// Folding the stream has to give the same turns as history does afterwards, for every
// case in testdata/turns.

import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { test } from 'node:test';
import { applyFrame, emptyTurn, turnOf } from '../../state/fold.js';
import { initial, maxConversations, reduce, trimTo } from '../../state/reduce.js';

const turns = new URL('../../../../testdata/turns/', import.meta.url);

/** Splits a recorded stream into events as a browser delivers them. */
function events(sse) {
  return sse
    .split('\n\n')
    .map((block) =>
      Object.fromEntries(block.split('\n').map((l) => [l.slice(0, l.indexOf(':')), l.slice(l.indexOf(':') + 2)])),
    )
    .filter((e) => e.data)
    .map((e) => ({ id: e.id, frame: JSON.parse(e.data) }));
}

/** Returns a state in which a thread is open and empty. */
function open(thread, state = initial()) {
  const selected = reduce(state, { type: 'select', active: { kind: 'thread', id: thread } });
  return reduce(selected, { type: 'history', id: thread, history: { turns: [], has_more: false, event_id: '' } });
}

const play = (state, all) =>
  all.reduce((s, e) => reduce(s, { type: 'event', frame: e.frame, eventId: e.id, now: 0 }), state);

/** Returns what both the stream and history know of a turn. */
function told(t) {
  return {
    number: t.number,
    state: t.state,
    response: t.response,
    error: t.error,
    narrative: t.narrative,
    ended: t.endedAt,
    said: t.said.map((s) => [s.agent, s.step, s.text]),
    handoffs: t.handoffs.map((h) => [h.call, h.from, h.to, h.text]),
    calls: t.calls.map((c) => [
      c.id,
      c.tool,
      c.why,
      c.source,
      c.blocked,
      c.outcome,
      c.group,
      c.step,
      c.agent,
      c.approval,
      c.preview,
      c.error,
      c.took,
    ]),
  };
}

test('the summary behind an answer is the same from the stream and from history', () => {
  const head = { thread_id: 't', session_id: 's', turn_number: 1, at: '2026-02-21T10:00:00Z' };
  const all = [
    { type: 'thinking', message: 'Thinking…', message_id: 'm' },
    { type: 'thinking', message: 'It weighs.', step: 1, narrative_source: 'summary', answer: true },
    { type: 'response', content: 'Done.' },
  ].map((f, i) => ({ id: `0a1b2c3d-${i + 1}`, frame: { ...head, ...f } }));
  const [live] = play(open('t'), all).conversations.t.turns;
  const stored = turnOf({
    turn_number: 1, message_id: 'm', user_input: '', response: 'Done.', state: 'completed', completed_at: head.at,
    tool_calls: [], reasoning: null,
    answer_reasoning: { step: 1, narrative: 'It weighs.', narrative_source: 'summary' },
  });
  assert.deepEqual(told(live), told(stored));
  assert.deepEqual(told(stored).said, [['', 1, 'It weighs.']]);
  assert.equal(stored.narrative, '', 'it is not what was said before calls');
});

test('a thought and why the model stopped are the same from the stream and from history', () => {
  const head = { thread_id: 't', session_id: 's', turn_number: 1, at: '2026-02-21T10:00:00Z' };
  const stops = [{ step: 1, stop: 'length', stop_words: 'cut off' }];
  const all = [
    { type: 'thinking', message: 'Thinking…', message_id: 'm' },
    { type: 'thinking', message: 'It may be there.', step: 1, narrative_source: 'summary', beside: true },
    { type: 'thinking', message: 'I look.', step: 1, narrative_source: 'model' },
    { type: 'reasoning_update', narrative: 'I look.', tool_decisions: [], step_stops: stops },
    { type: 'response', content: 'It is', stop: 'length', stop_words: 'cut off' },
  ].map((f, i) => ({ id: `0a1b2c3d-${i + 1}`, frame: { ...head, ...f } }));
  const [live] = play(open('t'), all).conversations.t.turns;
  const stored = turnOf({
    turn_number: 1, message_id: 'm', user_input: '', response: 'It is', state: 'completed', completed_at: head.at,
    tool_calls: [], stop: 'length', stop_words: 'cut off', step_stops: stops,
    reasoning: { narrative: 'I look.', narrative_source: 'model', thought: 'It may be there.', tool_decisions: [] },
  });
  for (const t of [live, stored]) {
    assert.deepEqual([t.said[0].text, t.said[0].source, t.said[0].thought], ['I look.', 'model', 'It may be there.']);
    assert.deepEqual([t.narrative, t.stop, t.stops], ['I look.', 'cut off', stops]);
  }
});

for (const name of readdirSync(turns)) {
  const read = (file) => readFileSync(new URL(`${name}/${file}`, turns), 'utf8');
  const history = JSON.parse(read('history.json')),
    all = events(read('stream.sse'));

  test(`${name}: folding the stream gives history`, () => {
    const c = play(open(history.thread_id), all).conversations[history.thread_id];
    assert.deepEqual(
      c.turns.map(told),
      history.turns.map((t) => told(turnOf(t))),
    );
  });

  test(`${name}: a repeated event changes nothing`, () => {
    const once = play(open(history.thread_id), all),
      twice = play(once, all);
    assert.deepEqual(twice.conversations, once.conversations);
  });

  test(`${name}: history fetched during the stream repeats and loses nothing`, () => {
    for (let cut = 0; cut <= all.length; cut++) {
      const state = play(open(history.thread_id), all.slice(0, cut));
      const late = reduce(state, { type: 'history', id: history.thread_id, history });
      const done = play(late, all.slice(cut)).conversations[history.thread_id];
      assert.deepEqual(
        done.turns.map(told),
        history.turns.map((t) => told(turnOf(t))),
        `cut after ${cut}`,
      );
    }
  });
}

test('an event that history already includes changes nothing', () => {
  const { history, all } = load('parallel');
  const state = reduce(open(history.thread_id), { type: 'history', id: history.thread_id, history });
  for (const e of all)
    assert.equal(
      play(state, [e]).conversations[history.thread_id].turns,
      state.conversations[history.thread_id].turns,
      e.id,
    );
});

test('a call ends with its own event, not only with its step', () => {
  const { history, all } = load('tool-error');
  const until = all.filter((e) => e.frame.type !== 'reasoning_update' && e.frame.type !== 'response');
  const [t] = play(open(history.thread_id), until).conversations[history.thread_id].turns;
  assert.deepEqual(
    t.calls.map((c) => c.outcome),
    ['error', 'success'],
  );
  assert.equal(t.state, 'processing');
});

test('an unchanged turn keeps its identity, so it is not drawn again', () => {
  const { history, all } = load('parallel');
  const state = play(open(history.thread_id), all),
    id = history.thread_id;
  const merged = reduce(state, { type: 'turn', id, turn: history.turns[0] }),
    again = reduce(merged, { type: 'turn', id, turn: history.turns[0] });
  assert.equal(again.conversations[id].turns[0].calls[0], merged.conversations[id].turns[0].calls[0]);
});

test('a late answer adds parameters and does not undo the stream', () => {
  const { history, all } = load('parallel');
  const id = history.thread_id,
    half = play(open(id), all.slice(0, 5)),
    asked = half.conversations[id].turns[0];
  const done = play(half, all.slice(5));
  const old = { ...history.turns[0], state: 'processing', response: null };
  const turn = reduce(done, { type: 'turn', id, turn: old, asked }).conversations[id].turns[0];
  assert.equal(turn.state, 'completed');
  assert.deepEqual(turn.calls[0].params, history.turns[0].reasoning.tool_decisions[0].parameters);
});

test('the typed words are shown until the server’s text arrives', () => {
  const sent = reduce(open('t'), {
    type: 'sent',
    id: 't',
    number: 1,
    content: 'hello',
    messageId: 'm',
    state: 'processing',
    now: 5,
  });
  assert.equal(sent.conversations.t.turns[0].input, 'hello');
  const told = reduce(sent, {
    type: 'turn',
    id: 't',
    turn: { turn_number: 1, user_input: 'hel[REDACTED:x]', state: 'processing', tool_calls: [], reasoning: null },
  });
  assert.equal(told.conversations.t.turns[0].input, 'hel[REDACTED:x]');
});

test('old conversations and old turns are dropped', () => {
  let s = initial();
  for (let n = 0; n < 3 * maxConversations; n++) s = open(`t${n}`, s);
  assert.equal(Object.keys(s.conversations).length, maxConversations);
  const many = Array.from({ length: 3 * trimTo }, (_, i) => ({
    turn_number: i + 1,
    user_input: 'x',
    state: 'completed',
    tool_calls: [],
    reasoning: null,
    created_at: new Date(1e12 + i).toISOString(),
  }));
  s = reduce(open('t', s), {
    type: 'history',
    id: 't',
    history: { turns: many, has_more: false, event_id: 'aaaaaaaa-9' },
  });
  const c = reduce(s, { type: 'trim', id: 't' }).conversations.t;
  assert.equal(c.turns.length, trimTo);
  assert.equal(c.hasMore, true, 'and can be read again');
});

function load(name) {
  const read = (file) => readFileSync(new URL(`${name}/${file}`, turns), 'utf8');
  return { history: JSON.parse(read('history.json')), all: events(read('stream.sse')) };
}

const spaces = new URL('../../../../testdata/mew/', import.meta.url);

for (const name of readdirSync(spaces)) {
  const read = (file) => readFileSync(new URL(`${name}/${file}`, spaces), 'utf8');
  test(`the turns of a space's participants are the same from the stream and from history: ${name}`, () => {
    const all = events(read('stream.sse'));
    const threads = JSON.parse(`[${read('history.json').replace(/^\}\s*\{$/gm, '},{')}]`);
    assert.ok(threads.length > 0);
    for (const { thread_id: id, turns: stored } of threads) {
      const { turns: live } = play(open(id), all).conversations[id];
      const observed = (t) => ({
        ...told(t), asked: t.asked, conclusion: t.conclusion, lateSteps: t.lateSteps,
        notes: t.notes.map((n) => [n.from, n.to, n.kind, n.text, n.late]),
      });
      assert.deepEqual(live.map(observed), stored.map((t) => observed(turnOf(t))), id);
    }
  });
}

test('what happens while a conversation is read is not lost', () => {
  const all = events(readFileSync(new URL('parallel/stream.sse', turns), 'utf8'));
  const thread = all.find((e) => e.frame.thread_id)?.frame.thread_id;
  const whole = play(open(thread), all).conversations[thread];
  for (let read = 0; read <= all.length; read += 3) {
    const before = play(open(thread), all.slice(0, read)).conversations[thread], last = all[read - 1]?.id || '';
    let s = reduce(initial(), { type: 'loading', id: thread, kind: 'thread' });
    s = play(s, all); // the answer comes last, and was made when `read` events had happened
    s = reduce(s, { type: 'history', id: thread, history: { turns: [], has_more: false, event_id: last } });
    const got = s.conversations[thread];
    assert.equal(got.early, undefined);
    assert.deepEqual(got.cursor, whole.cursor, `${read} events`);
    if (!before.turns.length) assert.deepEqual(got.turns.map(told), whole.turns.map(told), `${read} events`);
  }
});

test('a turn that begins elsewhere has its message at once', () => {
  const frame = {
    type: 'thinking', message: 'Thinking…', message_id: 'm', user_input: 'Two\nlines', at: '2026-11-23T10:00:00Z',
    thread_id: 't', session_id: 's', turn_number: 1,
  };
  const s = play(open('t'), [{ id: '0a1b2c3d-1', frame }]);
  assert.equal(s.conversations.t.turns[0].input, 'Two\nlines');
});

test('a result that streams in has its size, as in history', () => {
  const shape = { bytes: 5, items: 2 };
  const frame = { type: 'tool_result', turn_number: 1, call_id: 'a', preview: '[1,2]', result_shape: shape };
  const [call] = applyFrame(emptyTurn(1), frame).calls;
  assert.deepEqual([call.preview, call.size], ['[1,2]', 5]);
});
