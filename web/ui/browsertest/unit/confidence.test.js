import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answered, noRun, runOf, sureOf } from '../../state/confidence.js';
import { decided, sureness, whyAsked } from '../../state/sureness.js';
import { applyFrame, emptyCall, emptyTurn, enrichTurn, turnOf } from '../../state/fold.js';
import { headline, outcomeOf } from '../../state/outline.js';
import { callText } from '../../view/copy.js';

const call = (more = {}) => ({ ...emptyCall('call_1'), tool: 'decide', outcome: 'success', took: 10, ...more });
const unsure = (stated, threshold = 0.7, more = {}) => call({ confidence: { stated, threshold }, ...more });

test('how sure the agent was is said in percent, and what is low never reads like the threshold', () => {
  for (const [stated, threshold, text, low] of [
    [0.62, 0.5, '62\u00a0% sure', false], [0.7, 0.7, '70\u00a0% sure', false],
    [0.699, 0.7, 'less than 70\u00a0% sure', true],
    [0.4, 0.7, '40\u00a0% sure', true], [0, 0.7, '0\u00a0% sure', true], [1, 0.7, '100\u00a0% sure', false],
    [0.004, 0.7, '1\u00a0% sure', true], [0.996, 0.7, '99\u00a0% sure', false], [0.29, 0.7, '29\u00a0% sure', true],
  ]) {
    const got = sureness(unsure(stated, threshold));
    assert.deepEqual([got.text, got.low], [text, low], `${stated} of ${threshold}`);
  }
  assert.equal(sureness(call()), null);
  const suppressed = sureness(call({ confidence: { stated: 0.4, threshold: 0.7, suppressed: true } }));
  assert.equal(suppressed.text, '40\u00a0% sure, and nobody was asked');
});

test('a question says why a person is asked, if it is for that reason', () => {
  assert.equal(whyAsked(unsure(0.4, 0.7, { unsure: true })),
    'The agent is 40\u00a0% sure of this; below 70\u00a0% a person decides.');
  assert.equal(whyAsked(unsure(0.9)), '');
  assert.equal(whyAsked(call({ unsure: true })), '');
});

test('a decision reads as one, and says who took it', () => {
  const d = (more) => call({ decides: true, decision: 'ship', ...more });
  assert.deepEqual(decided(d()), { verb: 'decided: ', what: 'ship' });
  assert.deepEqual(decided(d({ said: 'hold' })), { verb: 'decided: ', what: 'hold' });
  assert.deepEqual(decided(d({ outcome: 'pending', said: 'hold' })), { verb: 'would decide: ', what: 'ship' });
  assert.deepEqual(decided(d({ outcome: 'rejected' })), { verb: 'would have decided: ', what: 'ship' });
  assert.equal(answered(d()), 'decided by the agent');
  assert.equal(answered(d({ approval: 'approve' })), 'confirmed by a person');
  assert.equal(answered(d({ approval: 'approve', said: 'hold' })), 'decided by a person');
  assert.equal(answered(d({ approval: 'deny', outcome: 'rejected' })), 'denied by a person');
  assert.equal(answered(call({ approval: 'approve', said: 'x' })), 'approved');
  assert.equal(answered(call({ approval: 'expired', outcome: 'rejected' })), '', 'what came of the call says it');
  assert.equal(answered(call({ approval: 'withdrawn' })), 'stopped before an answer');
  const other = (approval) => answered(call({ sighted: { called: ['hooks'] }, approval }));
  assert.equal(other('withdrawn'), 'the agent stopped waiting for an answer');
  assert.equal(other('expired'), 'nobody answered in time; the agent asked elsewhere');
  assert.equal(other('deny'), 'denied by a person');
  assert.deepEqual(outcomeOf(d()).text, 'decided');
  assert.match(callText(d({ confidence: { stated: 0.4, threshold: 0.7 } })),
    /decided: ship · 10 ms · .* · 40\u00a0% sure/);
});

test('a turn counts its decisions apart from its tools, and its questions', () => {
  const t = (calls, more) => ({ ...emptyTurn(1), state: 'completed', startedAt: 1, endedAt: 1001, calls, ...more });
  assert.equal(headline(t([call({ decides: true })]), 0).detail, '1 decision');
  assert.equal(headline(t([call({ decides: true }), call()]), 0).detail, '1 call · 1 decision');
  const asked = call({ outcome: 'pending', unsure: true, request: { id: 'r' } });
  const open = t([asked], { state: 'processing' });
  assert.equal(headline(open, 0).detail, '1 call needs your answer');
  assert.equal(outcomeOf(asked).text, 'needs you');
});

test('history and the stream tell the same of a decision', () => {
  const wire = { confidence: { stated: 0.4, threshold: 0.7 }, decides: true, decision: 'ship', low_confidence: true };
  const at = '2026-02-21T10:00:00Z', head = { thread_id: 't', turn_number: 1, at, call_id: 'call_1' };
  let t = applyFrame(emptyTurn(1), {
    ...head, type: 'tool_started', name: 'decide', rationale: 'x', rationale_source: 'model',
    parallel_group: null, ...wire,
  });
  t = applyFrame(t, { ...head, type: 'approval_needed', request_id: 'r', parameters: { decision: 'ship' }, ...wire });
  assert.deepEqual(sureOf(wire), { ...sureOf({}), ...pick(t.calls[0]) });
  t = applyFrame(t, { ...head, type: 'approval_answered', answer: 'approve', approval_value: 'hold' });
  assert.equal(t.calls[0].said, 'hold');
  const decision = { ...wire, approval_value: 'hold', call_id: 'call_1', tool_name: 'decide', outcome: 'pending' };
  const told = turnOf({ turn_number: 1, reasoning: { tool_decisions: [decision] } });
  assert.deepEqual(pick(told.calls[0]), pick(t.calls[0]));
});

function pick({ confidence, decides, decision, unsure, said }) {
  return { confidence, decides, decision, unsure, said };
}

test('a turn knows the turn that it repeats', () => {
  const workflow = { id: 'chat', replay_of: { thread_id: 't', turn_number: 4 } };
  const want = { workflow: 'chat', replayOf: { thread: 't', turn: 4 } };
  assert.deepEqual(runOf(workflow), want);
  assert.deepEqual(runOf(undefined), noRun);
  const at = '2026-02-21T10:00:00Z';
  const t = applyFrame(emptyTurn(1), { type: 'thinking', message: '…', message_id: 'm', at, workflow });
  assert.deepEqual([t.workflow, t.replayOf], ['chat', want.replayOf]);
  const fetched = turnOf({ turn_number: 1, workflow });
  assert.deepEqual(fetched.replayOf, want.replayOf);
  assert.deepEqual(enrichTurn(emptyTurn(1), fetched).replayOf, want.replayOf);
});
