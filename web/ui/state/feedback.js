// What a person thinks of a decision.

/** @import { DecisionRatedFrame, ToolDecisionPayload } from '../wire.d.ts' */
/** @import { Rated, Turn } from './types.d.ts' */

/** @type {Rated} */
export const unrated = { feedback: null };

/** @param {Pick<ToolDecisionPayload, 'feedback'>} d @returns {Rated} */
export function ratedOf({ feedback: f }) {
  return f && f.rating !== 'none' ? { feedback: { rating: f.rating, note: f.note || '' } } : unrated;
}

/** @param {Turn} t @param {DecisionRatedFrame} f @returns {Turn} */
export function rated(t, f) {
  return { ...t, calls: t.calls.map((c) => c.id === f.call_id ? { ...c, ...ratedOf({ feedback: f }) } : c) };
}
