// What begins while the page is open. All functions are pure.

/** @import { Arrival, State } from './types.d.ts' */

/**
 * Returns the ids of all conversations and jobs; null until both lists are known.
 * @param {State} s @returns {Set<string> | null}
 */
export function knownIds(s) {
  return s.threads && s.jobs && new Set([...s.threads.map((t) => t.id), ...s.jobs.map((j) => j.job_id)]);
}

/**
 * Returns what is in the lists and was not known, the latest first. A conversation counts once it has a title, as only
 * then it is known whose it is: what participants of a space say is no arrival, what another program's agent does is.
 * @param {State} s @param {Set<string>} known @returns {Arrival[]}
 */
export function arrivals(s, known) {
  const threads = (s.threads || []).filter((t) => !known.has(t.id) && t.title && (!t.origin || t.attached));
  const jobs = (s.jobs || []).filter((j) => !known.has(j.job_id));
  return [
    ...threads.map((t) => arrival('thread', t.id, t.title || '', t.created_at, s.threads?.length === 1)),
    ...jobs.map((j) => arrival('job', j.job_id, j.title || 'A job', j.created_at, s.jobs?.length === 1)),
  ].sort((a, b) => b.at < a.at ? -1 : 1);
}

/**
 * @param {Arrival['kind']} kind @param {string} id @param {string} title @param {string} at
 * @param {boolean} first whether it is the only one of its kind @returns {Arrival}
 */
function arrival(kind, id, title, at, first) { return { kind, id, title, at, first }; }
