// The lists of threads and jobs: what a frame changes in them, and what is deleted. All
// functions are pure.

import { firstLine, ms } from '../lib/format.js';

/** @import { ThreadInfo } from '../wire.d.ts' */
/** @import { Frame, Job, State } from './types.d.ts' */

/**
 * Shows something no longer that is about to be deleted, or shows it again.
 * @param {State['hidden']} all @param {string} id @param {boolean} hidden @returns {State['hidden']}
 */
export function withHidden(all, id, hidden) {
  const { [id]: _, ...others } = all;
  return hidden ? { ...others, [id]: true } : others;
}

/**
 * Takes a thread or a job that the server deleted from its list, with its turns.
 * @param {State} s @param {string} id @returns {State}
 */
export function withoutDeleted(s, id) {
  const c = s.conversations[id];
  return {
    ...s, hidden: withHidden(s.hidden, id, false),
    threads: s.threads?.filter((t) => t.id !== id) || null, jobs: s.jobs?.filter((j) => j.job_id !== id) || null,
    conversations: c ? { ...s.conversations, [id]: { ...c, status: 'deleted', turns: [] } } : s.conversations,
  };
}

/**
 * Takes a list that was fetched. A frame that came while it was on its way is newer than its row of the list, and may
 * have brought a title.
 * @param {State} s @param {ThreadInfo[]} fetched @returns {State}
 */
export function withThreads(s, fetched) {
  const known = new Map(s.threads?.map((t) => [t.id, t]));
  return { ...s, threads: fetched.map((row) => {
    const old = known.get(row.id), t = old?.title ? { title: old.title, ...row } : row;
    if (!old || ms(old.updated_at) <= ms(t.updated_at)) return t;
    const turn_count = Math.max(old.turn_count, t.turn_count);
    return { ...withPending(t, old.pending_requests), state: old.state, updated_at: old.updated_at, turn_count };
  }) };
}

/** @param {State} s @param {Exclude<Frame, { job_id: string } | { type: 'step_text' }>} f */
export function withThreadState(s, f) {
  if (!s.threads) return s;
  const id = f.thread_id, turns = f.turn_number || 0, at = s.threads.findIndex((t) => t.id === id);
  const old = s.threads[at], state = stateAfter(f, old);
  if (at < 0) {
    const begun = { id, state, turn_count: turns, created_at: f.at, updated_at: f.at, ...titleOf(f) };
    return { ...s, threads: [withPending(begun, pendingAfter(f)), ...s.threads] };
  }
  const turn_count = Math.max(old.turn_count, turns), pending = pendingAfter(f, old.pending_requests);
  // The list shows seconds, not events.
  const same = at === 0 && old.state === state && old.turn_count === turn_count && pending === old.pending_requests;
  if (same && ms(f.at) - ms(old.updated_at) < 1000) return s;
  const row = { ...titleOf(f), ...withPending(old, pending), state, updated_at: f.at, turn_count };
  return { ...s, threads: [row, ...s.threads.toSpliced(at, 1)] };
}

/**
 * Returns the title that a thread has by its first message, as the server would tell it later.
 * @param {Frame} f @returns {{ title?: string }}
 */
function titleOf(f) { return f.type === 'thinking' && f.user_input ? { title: firstLine(f.user_input, 80) } : {}; }

/** @param {ThreadInfo} t @param {string[] | undefined} pending @returns {ThreadInfo} */
function withPending({ pending_requests: _, ...rest }, pending) {
  return pending?.length ? { ...rest, pending_requests: pending } : rest;
}

/**
 * Returns the requests that wait for a person after a frame. Each is answered once, at the latest when its turn ends.
 * @param {Frame} f @param {string[]} [all]
 */
function pendingAfter(f, all) {
  if (f.type === 'approval_needed') return all?.includes(f.request_id) ? all : [...all || [], f.request_id];
  if (f.type === 'approval_answered' && all?.includes(f.request_id)) return all.filter((id) => id !== f.request_id);
  return all;
}

/**
 * Returns the conversations that wait for a person, but those that are about to be deleted.
 * @param {State} s
 */
export function waitingThreads(s) {
  return s.threads?.filter((t) => t.pending_requests?.length && !s.hidden[t.id]) || [];
}

/**
 * Reports whether a frame ends its turn, or is the answer of one that has ended.
 * @param {Frame} f
 */
export function ends(f) {
  const over = f.type === 'status' && (f.state === 'interrupted' || f.state === 'completed');
  return f.type === 'response' || f.type === 'error' || over;
}

/**
 * Returns the state of a thread after a frame. In an observed thread turns run side by side, and have events after
 * their end.
 * @param {Exclude<Frame, { job_id: string } | { type: 'step_text' }>} f @param {ThreadInfo | undefined} old
 */
function stateAfter(f, old) {
  if (ends(f) || !f.turn_number) return 'idle';
  return old?.origin && !(f.type === 'thinking' && f.message_id) ? old.state : 'processing';
}

/** @param {State} s @param {Extract<Frame, { job_id: string }>} f */
export function withJobState(s, f) {
  if (!s.jobs) return s;
  const id = f.job_id, at = s.jobs.findIndex((j) => j.job_id === id), state = jobStateAfter(f);
  if (at < 0) {
    const title = f.type === 'job_started' ? f.title : '';
    const times = { created_at: f.at, updated_at: f.at, ended_at: null };
    const rest = { prompt: '', message: null, run: 1, events: 1, worker_seen_at: null };
    return { ...s, jobs: [{ job_id: id, title, state, ...rest, ...times }, ...s.jobs] };
  }
  const ended = ['completed', 'failed', 'cancelled'].includes(state);
  return { ...s, jobs: s.jobs.with(at, { ...s.jobs[at], state, updated_at: f.at, ended_at: ended ? f.at : null }) };
}

/** @param {Extract<Frame, { job_id: string }>} f */
function jobStateAfter(f) {
  switch (f.type) {
    case 'job_result': return f.status;
    case 'job_status': return /** @type {Job['state']} */ (f.state);
    case 'job_started': return 'pending';
    default: return 'running';
  }
}
