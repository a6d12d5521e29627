// Turns of other programs' agents of which nobody reported an end: after some time without a report they are not shown
// as going on. All functions are pure.

import { ms } from '../lib/format.js';

/** @import { ThreadInfo } from '../wire.d.ts' */
/** @import { Call, Turn } from './types.d.ts' */

/** How long a watched agent may say nothing and still count as one that works, in ms. */
const patience = 600_000;

/**
 * Reports whether so much time lies between what an agent last told and now that nobody knows whether it goes on.
 * @param {number} told 0 for an agent that is not watched @param {number} now the server's time
 */
export function isQuiet(told, now) { return told > 0 && now - told > patience; }

/** @type {WeakMap<Turn, Turn>} */
const known = new WeakMap();

/**
 * Returns a turn as it is shown: one without an end that nobody has reported on for long does not go on, and of its
 * open calls no result was seen.
 * @param {Turn} t @param {number} now the server's time @returns {Turn}
 */
export function asHeard(t, now) {
  if (t.state !== 'processing' || !isQuiet(t.toldAt, now) || t.calls.some((c) => c.request)) return t;
  const old = known.get(t);
  if (old) return old;
  /** @type {(c: Call) => Call} */
  const closed = (c) => c.outcome === 'pending' ? { ...c, outcome: 'unknown' } : c;
  /** @type {Turn} */
  const next = { ...t, state: 'quiet', calls: t.calls.map(closed) };
  known.set(t, next);
  return next;
}

/**
 * Reports whether a thread has a turn that goes on, as far as anybody knows.
 * @param {ThreadInfo} t @param {number} now the server's time
 */
export function goesOn({ state, attached, pending_requests: open }, now) {
  return state === 'processing' && (!!open?.length || !isQuiet(ms(attached?.told_at), now));
}
