// What a running step says arrives in parts, before the event that settles it.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { applyFrame, emptyTurn, mergeTurn } from '../../state/fold.js';
import { outline } from '../../state/outline.js';
import { initial, reduce } from '../../state/reduce.js';

const at = '2026-01-01T00:00:00Z';
const part = (index, text, more = {}) => ({ type: 'step_text', turn_number: 1, step: 1, index, text, ...more });
const fold = (...frames) => frames.reduce(applyFrame, emptyTurn(1));
const draft = (t, agent = '') => t.drafts.find((d) => d.agent === agent)?.text;

test('the parts of a step are joined in order', () => {
  assert.equal(draft(fold(part(0, 'One. '), part(1, 'Two.'))), 'One. Two.');
});

test('a part after a missing one is left out, and the first begins anew', () => {
  const t = fold(part(0, 'One. '), part(2, 'Three.'));
  assert.equal(draft(t), 'One. ');
  assert.equal(draft(applyFrame(t, part(0, 'One. Two. Three.'))), 'One. Two. Three.');
});

test('the event that settles a step takes the place of what it said', () => {
  const said = part(0, 'I look.');
  const settled = {
    narrative: { type: 'thinking', turn_number: 1, step: 1, message: 'I look.', at },
    'a call, since the narrative was withheld': { type: 'tool_started', turn_number: 1, call_id: 'call_1', at },
    answer: { type: 'response', turn_number: 1, content: 'Done.', at },
    failure: { type: 'error', turn_number: 1, message: 'No model.', at },
    stop: { type: 'status', turn_number: 1, state: 'interrupted', at },
    'history of the ended turn': null,
  };
  for (const [name, frame] of Object.entries(settled)) {
    const t = fold(said), after = frame ? applyFrame(t, frame) : mergeTurn(t, { ...emptyTurn(1), endedAt: 1 });
    assert.deepEqual(after.drafts, [], name);
  }
});

test('a summary of the answering step leaves the answer that is being spoken', () => {
  const summary = { type: 'thinking', turn_number: 1, step: 1, message: 'Weighed both.', answer: true, at };
  assert.equal(draft(applyFrame(fold(part(0, 'It is noon.')), summary)), 'It is noon.');
});

test('a turn that goes on keeps its draft when history is read', () => {
  assert.equal(draft(mergeTurn(fold(part(0, 'So.')), emptyTurn(1))), 'So.');
  const said = [{ agent: '', step: 1, text: 'So.', html: '', source: 'model', at: 0 }];
  assert.equal(draft(mergeTurn(fold(part(0, 'So.')), { ...emptyTurn(1), said })), undefined);
});

test('a sub-agent speaks among its own steps until it hands its answer over', () => {
  const began = [
    { type: 'tool_started', turn_number: 1, call_id: 'call_1', name: 'ask', at },
    { type: 'handoff', turn_number: 1, call_id: 'call_1', to: 'helper', text: 'Count.', at },
    part(0, 'I count.', { agent: 'helper' }),
  ];
  const t = fold(...began), [step] = outline(t)[0].batches[0].nodes[0].sub.steps;
  assert.equal(step.said.text, 'I count.');
  const answer = { type: 'handoff', turn_number: 1, call_id: 'call_1', from: 'helper', text: '3', at };
  assert.deepEqual(applyFrame(t, answer).drafts, []);
});

test('parts have no position, and reach a conversation that is open', () => {
  const frame = { ...part(0, 'So.'), thread_id: 't' };
  const history = { turns: [], has_more: false, event_id: 'aaaaaaaa-7' };
  const open = reduce(initial(), { type: 'history', id: 't', history });
  const next = reduce(open, { type: 'event', frame, eventId: 'aaaaaaaa-7', now: 0 });
  assert.equal(draft(next.conversations.t.turns[0]), 'So.');
  assert.equal(next.conversations.t.cursor, open.conversations.t.cursor);
  assert.deepEqual(reduce(initial(), { type: 'event', frame, eventId: '', now: 0 }).conversations, {});
});
