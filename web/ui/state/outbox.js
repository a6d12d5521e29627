// The messages that wait for the server, in the order in which they were written. All
// functions are pure.

/** @import { State, Waiting } from './types.d.ts' */

/** How many messages may wait. */
export const maxWaiting = 5;

/**
 * Returns the number of the latest turn that the page knows of a thread. A turn after it
 * that has a waiting message's words is that message's.
 * @param {State} s @param {string} thread
 */
export function latestTurn(s, thread) {
  const last = s.conversations[thread]?.turns.at(-1)?.number || 0;
  return Math.max(last, s.threads?.find((t) => t.id === thread)?.turn_count || 0);
}

/**
 * Changes one waiting message, or drops it where change returns nothing.
 * @param {Waiting[]} all @param {number} key @param {(m: Waiting) => Waiting | null} change
 */
export function editWaiting(all, key, change) {
  return all.map((m) => m.key === key ? change(m) : m).filter((m) => m !== null);
}
