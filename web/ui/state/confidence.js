// How sure the agent was of a call, what a call decides that is a decision, and which run of a
// workflow a turn is: what the server says of it, and the words for it. All functions are pure.

/** @import { ToolDecisionInfo, ToolDecisionPayload, WorkflowInfo } from '../wire.d.ts' */
/** @import { Call, Confidence, Sure, Run } from './types.d.ts' */

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

/** @param {Confidence} c */
function isLow(c) { return c.stated < c.threshold; }

/**
 * Returns a share in percent. Only what is certain is 0 % or 100 %.
 * @param {number} share
 */
function percent(share) {
  const n = Math.round(share * 100);
  return `${n === 0 && share > 0 ? 1 : n === 100 && share < 1 ? 99 : n}\u00a0%`;
}

/**
 * Says how sure the agent was. What is below the threshold never reads like it.
 * @param {Confidence} c
 */
function share(c) {
  const stated = percent(c.stated);
  return isLow(c) && stated === percent(c.threshold) ? `less than ${stated}` : stated;
}

/**
 * Says how sure the agent was of a call; null if it did not say.
 * @param {Call} call
 */
export function sureness({ confidence: c }) {
  if (!c) return null;
  const low = isLow(c), rule = `The agent said how sure it was; below ${percent(c.threshold)} a person decides`;
  return {
    low, text: `${share(c)} sure${low && c.suppressed ? ', and nobody was asked' : ''}`,
    title: low && c.suppressed ? `${rule}, but the operator lets such calls run.` : `${rule}.`,
  };
}

/**
 * Says why a person is asked; '' if it is for another reason.
 * @param {Call} call
 */
export function whyAsked({ confidence: c, unsure }) {
  if (!c || !unsure) return '';
  return `The agent is ${share(c)} sure of this; below ${percent(c.threshold)} a person decides.`;
}

/**
 * Says what was decided by a call that is a decision, or would have been.
 * @param {Call} call
 */
export function decided({ outcome, said, decision }) {
  if (outcome === 'success') return { verb: 'decided: ', what: said || decision };
  return { verb: outcome === 'pending' ? 'would decide: ' : 'would have decided: ', what: decision };
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
