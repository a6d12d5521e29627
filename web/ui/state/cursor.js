// Positions in the event stream, as ids name them: <epoch>-<seq>, or
// <epoch>-<seq>.<part> for a frame before the last one of an event.

/** @import { Cursor } from './types.d.ts' */

/** @param {string} id @returns {Cursor} */
export function parseCursor(id) {
  const m = /^([^-]{8})-(\d+)(?:\.(\d+))?$/.exec(id || '');
  if (!m) return { epoch: '', seq: 0, part: 0 };
  // All parts of an event come before its end.
  return { epoch: m[1], seq: Number(m[2]), part: m[3] ? Number(m[3]) : Infinity };
}

/**
 * Reports whether a comes after b. Cursors of different epochs cannot be compared;
 * then the answer is yes.
 * @param {Cursor} a @param {Cursor} b
 */
export function isAfter(a, b) {
  if (a.epoch !== b.epoch) return true;
  return a.seq > b.seq || (a.seq === b.seq && a.part > b.part);
}
