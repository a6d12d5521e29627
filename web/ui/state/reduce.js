// The page's state and how it changes: reduce(state, action) is pure. What is
// fetched and what is drawn lies outside.

import { applyFrame, emptyTurn, enrichTurn, mergeTurn, turnOf, withRequests } from './fold.js';
import { ms } from '../lib/format.js';
import { isAfter, parsePlace } from './cursor.js';

/** @import { Conversation, Frame, State, Turn } from './types.d.ts' */

/** @typedef {{ type: string } & Record<string, any>} Action */

/** Bounds: what is beyond them is fetched again when somebody goes there. */
export const maxConversations = 6, trimTo = 400;

/** @returns {State} */
export function initial() {
  return {
    threads: null, jobs: null, active: { kind: 'none', id: '' }, conversations: {},
    link: { state: 'connecting', count: 0 }, seen: {}, skew: 0,
  };
}

/** @param {State} s @param {Action} a @returns {State} */
export function reduce(s, a) {
  const apply = actions[a.type];
  return apply ? apply(s, a) : s;
}

/** @type {Record<string, (s: State, a: Action) => State>} */
const actions = {
  threads: (s, a) => ({ ...s, threads: a.threads }),
  jobs: (s, a) => ({ ...s, jobs: a.jobs.map(fresh), conversations: withJobs(s.conversations, a.jobs) }),
  select: (s, a) => ({ ...s, active: a.active }),
  seen: (s, a) => s.seen[a.id] === a.at ? s : { ...s, seen: { ...s.seen, [a.id]: a.at } },
  link: (s, a) => ({ ...s, link: a.link }),
  loading: (s, a) => withConversation(s, a.id, (c) => ({ ...c, status: c.status === 'ready' ? 'ready' : 'loading' }), a.kind),
  failed: (s, a) => withConversation(s, a.id, (c) => ({ ...c, status: a.gone ? 'gone' : 'failed', problem: a.problem, loadingOlder: false }), a.kind),
  history: (s, a) => withConversation(s, a.id, (c) => fromHistory(c, a.history)),
  olderLoading: (s, a) => withConversation(s, a.id, (c) => ({ ...c, loadingOlder: true })),
  older: (s, a) => withConversation(s, a.id, (c) => withOlder(c, a.history)),
  turn: (s, a) => withConversation(s, a.id, (c) => withTurn(c, withRequests([turnOf(a.turn, a.whole)], a.turn.pending_approvals)[0], a.asked)),
  fetchFailed: (s, a) => withConversation(s, a.id, (c) => editTurn(c, a.number, (t) => ({ ...t, stale: false }))),
  sent: (s, a) => withConversation(s, a.id, (c) => sent(c, a)),
  job: (s, a) => withConversation(s, a.job.job_id, (c) => ({ ...c, job: fresh(a.job), fold: a.fold }), 'job'),
  jobEvents: (s, a) => withConversation(s, a.id, (c) => fromJobEvents(c, a), 'job'),
  event: (s, a) => event(s, a.frame, a.eventId, a.now),
  trim: (s, a) => withConversation(s, a.id, trim),
};

/** @param {string} id @param {'thread' | 'job'} kind @returns {Conversation} */
function emptyConversation(id, kind) {
  return {
    id, kind, status: 'loading', problem: '', turns: [], hasMore: false, oldest: '', loadingOlder: false,
    place: { epoch: '', seq: 0, part: 0 },
  };
}

/** Changes a conversation, or begins it; the ones not looked at for longest go. @param {State} s @param {string} id @param {(c: Conversation) => Conversation} change @param {'thread' | 'job'} [kind] @returns {State} */
function withConversation(s, id, change, kind = 'thread') {
  const old = s.conversations[id] || emptyConversation(id, kind);
  const next = change(old);
  if (next === s.conversations[id]) return s;
  const all = { ...s.conversations, [id]: next };
  for (const k of Object.keys(all)) {
    if (Object.keys(all).length <= maxConversations) break;
    if (k !== id && k !== s.active.id) delete all[k];
  }
  return { ...s, conversations: all };
}

/** @param {Conversation} c @param {any} h @returns {Conversation} */
function fromHistory(c, h) {
  const place = parsePlace(h.event_id);
  const fresh = withRequests(h.turns.map(turnOf), h.pending_approvals);
  const known = new Map(c.turns.map((t) => [t.number, t]));
  const same = c.place.epoch === place.epoch || !c.place.epoch;
  // Turns that are older than this page stay if they join on to it.
  const first = fresh.length ? fresh[0].number : Infinity;
  const before = same && known.has(first) ? c.turns.filter((t) => t.number < first) : [];
  // What the stream told meanwhile is not told again.
  const late = c.status === 'ready' && c.place.epoch === place.epoch && isAfter(c.place, place), merge = late ? enrichTurn : mergeTurn;
  const turns = [...before, ...fresh.map((t) => known.has(t.number) && same ? merge(/** @type {Turn} */(known.get(t.number)), t) : t)];
  const kept = before.length > 0, last = fresh.length ? fresh[fresh.length - 1].number : 0;
  if (late) turns.push(...c.turns.filter((t) => t.number > last));
  return {
    ...c, status: 'ready', problem: '', turns, place: late ? c.place : place, loadingOlder: false,
    hasMore: kept ? c.hasMore : h.has_more, oldest: kept ? c.oldest : h.oldest_timestamp || '',
  };
}

/** @param {Conversation} c @param {any} h @returns {Conversation} */
function withOlder(c, h) {
  const first = c.turns.length ? c.turns[0].number : Infinity;
  const older = h.turns.map(turnOf).filter((/** @type {Turn} */ t) => t.number < first);
  return { ...c, loadingOlder: false, hasMore: h.has_more, oldest: h.oldest_timestamp || c.oldest, turns: [...older, ...c.turns] };
}

/** Forgets the oldest turns of a long conversation. @param {Conversation} c @returns {Conversation} */
function trim(c) {
  if (c.turns.length <= trimTo) return c;
  const turns = c.turns.slice(-trimTo);
  return { ...c, turns, hasMore: true, oldest: new Date(turns[0].createdAt).toISOString() };
}

/** Puts a turn in, by its number. If it changed since it was asked for, the answer may be older than what we have. @param {Conversation} c @param {Turn} t @param {Turn | undefined} asked @returns {Conversation} */
function withTurn(c, t, asked) {
  const at = c.turns.findIndex((o) => o.number === t.number);
  const turns = c.turns.slice();
  if (at >= 0) turns[at] = asked && asked !== turns[at] ? enrichTurn(turns[at], t) : mergeTurn(turns[at], t);
  else turns.splice(c.turns.filter((o) => o.number < t.number).length, 0, t);
  return { ...c, turns };
}

/** @param {Conversation} c @param {number} number @param {(t: Turn) => Turn} change @returns {Conversation} */
function editTurn(c, number, change) {
  // What changes is nearly always the last one.
  const at = c.turns.findLastIndex((t) => t.number === number);
  if (at < 0) {
    const t = change(emptyTurn(number));
    return { ...c, turns: [...c.turns, t].sort((a, b) => a.number - b.number) };
  }
  const next = change(c.turns[at]);
  if (next === c.turns[at]) return c;
  const turns = c.turns.slice();
  turns[at] = next;
  return { ...c, turns };
}

/** What was accepted is shown at once, in the words that were typed. @param {Conversation} c @param {Action} a @returns {Conversation} */
function sent(c, a) {
  const next = editTurn(c, a.number, (t) => t.input !== null ? t : {
    ...t, input: a.content, messageId: a.messageId, state: t.calls.length || t.endedAt ? t.state : a.state,
    createdAt: t.createdAt || a.now, startedAt: t.startedAt || (a.state === 'processing' ? a.now : 0), stale: true,
  });
  return { ...next, status: 'ready' };
}

/** @param {Conversation} c @param {Action} a @returns {Conversation} */
function fromJobEvents(c, a) {
  let turns = a.first ? [] : c.turns, seq = a.first ? 0 : c.place.seq;
  const { job, fold } = c;
  if (!job || !fold) return c;
  for (const e of a.events) if (e.id > seq) turns = fold(turns, e.data, job);
  seq = a.events.length ? a.events[a.events.length - 1].id : seq;
  if (!turns.length) turns = fold([], { type: 'job_started' }, job);
  return { ...c, turns, status: 'ready', problem: '', place: { epoch: a.epoch, seq, part: Infinity } };
}

/** @param {Record<string, Conversation>} all @param {any[]} jobs */
function withJobs(all, jobs) {
  let next = all;
  for (const j of jobs) if (all[j.job_id]) next = { ...next, [j.job_id]: { ...next[j.job_id], job: fresh(j) } };
  return next;
}

/** A job's token is for its worker; the page forgets it. @param {any} j */
function fresh(j) { const { token: _, ...rest } = j; return rest; }

/** @param {State} s @param {Frame} f @param {string} id @param {number} now @returns {State} */
function event(s, f, id, now) {
  const place = parsePlace(id);
  let next = f.at ? { ...s, skew: ms(f.at) - now } : s;
  const key = f.thread_id || f.job_id;
  if (!key) return next;
  next = f.job_id ? withJobState(next, f) : withThreadState(next, f);
  const c = next.conversations[key];
  if (!c || c.status !== 'ready' || !isAfter(place, c.place)) return next;
  return withConversation(next, key, () => {
    const moved = { ...c, place };
    if (f.job_id) return moved.job && moved.fold ? { ...moved, turns: moved.fold(moved.turns, f, moved.job) } : moved;
    return f.turn_number ? editTurn(moved, f.turn_number, (t) => applyFrame(t, f)) : moved;
  });
}

/** @param {State} s @param {Frame} f @returns {State} */
function withThreadState(s, f) {
  if (!s.threads) return s;
  const at = s.threads.findIndex((t) => t.id === f.thread_id);
  const ended = f.type === 'response' || f.type === 'error' || f.state === 'interrupted';
  const state = ended ? 'idle' : f.turn_number ? 'processing' : 'idle';
  if (at < 0) {
    const t = { id: f.thread_id, state, turn_count: f.turn_number || 0, created_at: f.at, updated_at: f.at };
    return { ...s, threads: [t, ...s.threads] };
  }
  const old = s.threads[at];
  // The list tells seconds, not events.
  if (at === 0 && old.state === state && old.turn_count >= (f.turn_number || 0) && ms(f.at) - ms(old.updated_at) < 1000) return s;
  const threads = s.threads.slice();
  threads[at] = { ...old, state, updated_at: f.at, turn_count: Math.max(old.turn_count, f.turn_number || 0) };
  if (at > 0) threads.unshift(...threads.splice(at, 1));
  return { ...s, threads };
}

/** @param {State} s @param {Frame} f @returns {State} */
function withJobState(s, f) {
  if (!s.jobs) return s;
  const at = s.jobs.findIndex((j) => j.job_id === f.job_id);
  const state = f.type === 'job_result' ? f.status : f.type === 'job_status' ? f.state : f.type === 'job_started' ? 'pending' : 'running';
  if (at < 0) {
    const job = { job_id: f.job_id, title: f.title || '', prompt: '', state, message: null, run: 1, created_at: f.at, updated_at: f.at, ended_at: null };
    return { ...s, jobs: [job, ...s.jobs] };
  }
  const jobs = s.jobs.slice();
  const ended = ['completed', 'failed', 'cancelled'].includes(state);
  jobs[at] = { ...jobs[at], state, updated_at: f.at, ended_at: ended ? f.at : null };
  return { ...s, jobs };
}
