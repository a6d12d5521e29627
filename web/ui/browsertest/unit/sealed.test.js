// Reasoning that only the provider of a model can read: its size comes with the step, in history and in the stream.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { applyFrame, emptyTurn, turnOf } from '../../state/fold.js';
import { outline } from '../../state/outline.js';
import { silence } from '../../state/summary.js';

const at = '2026-11-22T10:00:00Z';
const sealed = (more) => ({ step: 1, kind: 'encrypted', bytes: 1240, ...more });

test('sealed reasoning makes a step of its own, of the agent that had it', () => {
  const frame = (more) => ({ type: 'sealed_reasoning', at, thread_id: 't', turn_number: 1, ...sealed(more) });
  let t = { ...emptyTurn(1), state: 'processing' };
  for (const f of [frame(), frame({ step: 2 }), frame({ agent: 'scout' }), frame({ bytes: 8 })]) t = applyFrame(t, f);
  const steps = outline(t);
  assert.deepEqual(steps.map((s) => [s.step, s.sealed.bytes]), [[1, 8], [2, 1240]], 'a frame that is repeated');
  assert.equal(silence(t), '');
});

test('history has the same', () => {
  const t = turnOf({
    turn_number: 1, message_id: 'm', user_input: 'hi', response: 'done', state: 'completed', created_at: at,
    started_at: at, completed_at: at, tool_calls: [], reasoning: null, sealed_reasoning: [sealed()],
  });
  assert.deepEqual(outline(t).map((s) => s.sealed), [sealed()]);
  assert.deepEqual(emptyTurn(1).sealed, []);
});
