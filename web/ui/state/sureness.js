// The words for how sure an agent was of a call, and for what a call decides that is a decision. Loaded with the first
// such call, or question. All functions are pure.

/** @import { Call, Confidence } from './types.d.ts' */

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
