// Places in the event stream, as ids name them: <epoch>-<seq>, or
// <epoch>-<seq>.<part> for a frame before the last one of an event.

/** @import { Place } from './types.d.ts' */

/** @param {string} id @returns {Place} */
export function parsePlace(id) {
  const m = /^([^-]{8})-(\d+)(?:\.(\d+))?$/.exec(id || '');
  if (!m) return { epoch: '', seq: 0, part: 0 };
  // A part lies before its event's end; the end is after all parts.
  return { epoch: m[1], seq: Number(m[2]), part: m[3] ? Number(m[3]) : Infinity };
}

/** Whether a lies after b. Places of different epochs cannot be compared: then it does. @param {Place} a @param {Place} b */
export function isAfter(a, b) {
  if (a.epoch !== b.epoch) return true;
  return a.seq > b.seq || (a.seq === b.seq && a.part > b.part);
}
