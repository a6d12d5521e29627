// What a person thinks of a decision. All functions are pure.

/** @import { DecisionRatedFrame, ToolDecisionPayload } from '../wire.d.ts' */
/** @import { Rated, Turn } from './types.d.ts' */

/** @type {Rated} */
export const unrated = { feedback: null };

/** @param {Pick<ToolDecisionPayload, 'feedback'>} d @returns {Rated} */
export function ratedOf({ feedback: f }) {
  return f && f.rating !== 'none' ? { feedback: { rating: f.rating, note: f.note || '' } } : unrated;
}

/**
 * Applies a rating, which changes nothing else of its turn. A call that the page does not know is fetched rated.
 * @param {Turn} t @param {DecisionRatedFrame} f @returns {Turn}
 */
export function rated(t, f) {
  return { ...t, calls: t.calls.map((c) => c.id === f.call_id ? { ...c, ...ratedOf({ feedback: f }) } : c) };
}
