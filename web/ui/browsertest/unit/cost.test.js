// What a turn cost stands in its headline and in the foot of a running one, if the server says it.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { applyFrame, emptyTurn, turnOf } from '../../state/fold.js';
import { headline } from '../../state/outline.js';
import { progress } from '../../state/summary.js';

const at = '2026-11-22T10:00:00Z';
const info = (usage) => ({
  turn_number: 1, message_id: 'm', user_input: 'hi', response: 'done', state: 'completed', created_at: at,
  started_at: at, completed_at: at, tool_calls: [], reasoning: null, usage,
});

test('the headline has the cost behind the tokens', () => {
  const t = turnOf(info({ input_tokens: 20, output_tokens: 2, cost: '$0.14', cost_nanodollars: 140000000 }));
  assert.match(headline(t, 0).detail, /22 tokens · \$0\.14$/);
  assert.match(headline(turnOf(info({ input_tokens: 20 })), 0).detail, /20 tokens$/);
});

test('the foot of a running turn has the cost so far, until a step has no price', () => {
  const step = (t, cost) => applyFrame(t, { type: 'reasoning_update', tool_decisions: [], at, ...(cost && { cost }) });
  const t = step({ ...emptyTurn(1), state: 'processing' }, '$0.0031');
  assert.match(progress(t, 0).sum, /\$0\.0031$/);
  assert.doesNotMatch(progress(step(t), 0).sum, /\$/);
});
