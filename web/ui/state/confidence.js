// How sure the agent was of a call, what a call decides that is a decision, and which run of a
// workflow a turn is: what the server says of it, and who answered. All functions are pure.

/** @import { ToolDecisionInfo, ToolDecisionPayload, WorkflowInfo } from '../wire.d.ts' */
/** @import { Call, Sure, Run } from './types.d.ts' */

/** A call of which nothing of this is known. @type {Sure & Pick<Call, 'editedBy'>} */
export const notSure = { confidence: null, decides: false, decision: '', unsure: false, said: '', editedBy: '' };

/** A turn that is no run. @type {Run} */
export const noRun = { workflow: '', replayOf: null };

/**
 * Converts what the server says of a call.
 * @param {Partial<ToolDecisionPayload>} d @returns {Sure}
 */
export function sureOf(d) {
  return {
    confidence: d.confidence || null, decides: !!d.decides, decision: d.decision || '', unsure: !!d.low_confidence,
    said: d.approval_value || '',
  };
}

/**
 * Converts what the server says of parameters that a person changed. Only some of what it says of a call has them.
 * @param {Partial<ToolDecisionInfo>} d @returns {Pick<Call, 'edited' | 'editedBy'>}
 */
export function editOf(d) { return { edited: d.edited_parameters, editedBy: d.edited_by || '' }; }

/** @param {WorkflowInfo | undefined} w @returns {Run} */
export function runOf(w) {
  const of = w?.replay_of;
  return { workflow: w?.id || '', replayOf: of ? { thread: of.thread_id, turn: of.turn_number } : null };
}

/** @type {Record<string, string | undefined>} */
const answers = {
  approve: 'approved', always: 'approved for always', deny: 'denied by a person', withdrawn: 'stopped before an answer',
};

/**
 * What became of a question that the agent of another program did not wait for any longer. The call may run all the
 * same.
 * @type {Record<string, string | undefined>}
 */
const others = {
  withdrawn: 'the agent stopped waiting for an answer', expired: 'nobody answered in time; the agent asked elsewhere',
};

/**
 * Says how a person answered, or why nobody did, and who decided. Nothing where nobody answered in time: what came of
 * the call says that.
 * @param {Call} call
 */
export function answered({ decides, said, approval, outcome, edited, editedBy, sighted }) {
  if (decides && outcome === 'success') {
    if (said) return 'decided by a person';
    return approval === 'approve' || approval === 'always' ? 'confirmed by a person' : 'decided by the agent';
  }
  if (sighted && others[approval]) return others[approval];
  return (answers[approval] || '') + (edited === undefined ? '' : `, with changes by ${editedBy || 'a person'}`);
}
