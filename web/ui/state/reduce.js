// The page's state and how it changes: reduce(state, action) is pure. Fetching and
// drawing happen elsewhere.

import { applyFrame, emptyTurn, enrichTurn, mergeTurn, turnOf, withRequests } from './fold.js';
import { ms } from '../lib/format.js';
import { isAfter, parseCursor } from './cursor.js';
import { withHidden, withJobState, withoutDeleted, withThreads, withThreadState } from './lists.js';

/** @import { JobDetail, JobInfo } from '../wire.d.ts' */
/** @import { Action, Conversation as Conv, Frame, Handlers, History, Kind, State, Turn } from './types.d.ts' */

/** How many conversations are kept, and turns of a long one; the rest is fetched when needed. */
export const maxConversations = 6, trimTo = 400;

/** @returns {State} */
export function initial() {
  return {
    threads: null, jobs: null, spaces: [], active: { kind: 'none', id: '' }, conversations: {},
    link: { state: 'connecting', count: 0, heard: 0 }, seen: {}, waiting: [], hidden: {}, skew: 0, timed: false,
    backend: null,
  };
}

/** @param {State} s @param {Action} a */
export function reduce(s, a) {
  const apply = /** @type {((s: State, a: Action) => State) | undefined} */ (actions[a.type]);
  return apply ? apply(s, a) : s;
}

/** @type {Handlers<State, Action>} */
const actions = {
  threads: (s, a) => withThreads(s, a.threads),
  jobs: (s, a) => ({ ...s, jobs: a.jobs.map(withoutToken), conversations: withJobs(s.conversations, a.jobs) }),
  spaces: (s, a) => JSON.stringify(s.spaces) === JSON.stringify(a.spaces) ? s : { ...s, spaces: a.spaces },
  backend: (s, a) => ({ ...s, backend: a.backend }),
  select: (s, a) => ({ ...s, active: a.active }),
  seen: (s, a) => s.seen[a.id] === a.at ? s : { ...s, seen: { ...s.seen, [a.id]: a.at } },
  link: (s, a) => ({ ...s, link: a.link }),
  waiting: (s, a) => ({ ...s, waiting: a.waiting }),
  hide: (s, a) => ({ ...s, hidden: withHidden(s.hidden, a.id, a.hidden) }),
  deleted: (s, a) => withoutDeleted(s, a.id),
  loading: (s, a) => edit(s, a.id, (c) => ({ ...c, status: isSettled(c) ? c.status : 'loading' }), a.kind),
  failed: (s, a) => edit(s, a.id, (c) =>
    ({ ...c, status: a.gone ? goneOf(c) : 'failed', problem: a.problem, loadingOlder: false }), a.kind),
  history: (s, a) => edit(s, a.id, (c) => withEarly(fromHistory(c, a.history), c.early)),
  olderLoading: (s, a) => edit(s, a.id, (c) => ({ ...c, loadingOlder: true }), a.kind),
  older: (s, a) => edit(s, a.id, (c) => withOlder(c, a.history)),
  turn: (s, a) => edit(s, a.id, (c) =>
    withTurn(c, withRequests([turnOf(a.turn, a.whole)], a.turn.pending_approvals)[0], a.asked)),
  fetchFailed: (s, a) => edit(s, a.id, (c) => editTurn(c, a.number, (t) => ({ ...t, stale: false }))),
  sent: (s, a) => edit(s, a.id, (c) => withSent(c, a)),
  job: (s, a) => edit(s, a.job.job_id, (c) => fromJob(c, a.job), 'job'),
  olderJob: (s, a) => edit(s, a.id, (c) => withOlderJob(c, a), 'job'),
  result: (s, a) => edit(s, a.id, (c) => withResult(c, a.call, a.output), 'job'),
  event: (s, a) => withFrame(s, a.frame, a.eventId, a.now),
  trim: (s, a) => edit(s, a.id, trim),
};

/** @param {Conv} c @returns {boolean} whether it is shown as it is while it is read again */
function isSettled(c) { return c.status === 'ready' || c.status === 'deleted'; }

/** @param {Conv} c @returns {Conv['status']} what to call it now that the server does not have it */
function goneOf(c) { return c.status === 'deleted' ? 'deleted' : 'gone'; }

/** @param {string} id @param {Kind} kind */
function emptyConversation(id, kind) {
  return {
    id, kind, status: 'loading', problem: '', turns: [], hasMore: false, oldest: '', loadingOlder: false,
    dropped: 0, cursor: parseCursor(''),
  };
}

/**
 * Changes a conversation or begins it. Beyond the maximum, the oldest ones are dropped.
 * @param {State} s @param {string} id @param {(c: Conv) => Conv} change @param {Kind} [kind]
 */
function edit(s, id, change, kind = 'thread') {
  const next = change(s.conversations[id] || emptyConversation(id, kind));
  if (next === s.conversations[id]) return s;
  const all = { ...s.conversations, [id]: next };
  for (const k of Object.keys(all)) {
    if (Object.keys(all).length <= maxConversations) break;
    if (k !== id && k !== s.active.id) delete all[k];
  }
  return { ...s, conversations: all };
}

/** @param {Conv} c @param {History} h @returns {Conv} */
function fromHistory(c, h) {
  const cursor = parseCursor(h.event_id);
  const fresh = withRequests(h.turns.map((t) => turnOf(t)), h.pending_approvals);
  const known = new Map(c.turns.map((t) => [t.number, t]));
  const same = c.cursor.epoch === cursor.epoch || !c.cursor.epoch;
  // Turns older than this page stay if they connect to it, and the server still has them.
  const first = fresh.length ? fresh[0].number : Infinity, dropped = h.dropped_turns || 0;
  const before = same && known.has(first) ? c.turns.filter((t) => t.number < first && t.number > dropped) : [];
  // The stream may have delivered events that this answer does not include.
  const late = c.status === 'ready' && c.cursor.epoch === cursor.epoch && isAfter(c.cursor, cursor);
  const merge = late ? enrichTurn : mergeTurn;
  const turns = [...before, ...fresh.map((t) => {
    const old = same && known.get(t.number);
    return old ? merge(old, t) : t;
  })];
  const kept = before.length > 0, last = fresh.length ? fresh[fresh.length - 1].number : 0;
  if (late) turns.push(...c.turns.filter((t) => t.number > last));
  return {
    ...c, status: 'ready', problem: '', turns, cursor: late ? c.cursor : cursor, loadingOlder: false, dropped,
    hasMore: kept ? c.hasMore : h.has_more, oldest: kept ? c.oldest : h.oldest_timestamp || '',
  };
}

/** @param {Conv} c @param {History} h */
function withOlder(c, h) {
  const first = c.turns.length ? c.turns[0].number : Infinity;
  const older = h.turns.map((t) => turnOf(t)).filter((t) => t.number < first);
  const oldest = h.oldest_timestamp || c.oldest;
  const turns = [...older, ...c.turns];
  return { ...c, loadingOlder: false, hasMore: h.has_more, oldest, dropped: h.dropped_turns || 0, turns };
}

/** @param {Conv} c */
function trim(c) {
  if (c.turns.length <= trimTo) return c;
  const turns = c.turns.slice(-trimTo);
  return { ...c, turns, hasMore: true, oldest: new Date(turns[0].createdAt).toISOString() };
}

/**
 * Inserts a fetched turn by its number. If the turn has changed since it was asked for,
 * the answer may be older than what is known.
 * @param {Conv} c @param {Turn} t @param {Turn | undefined} asked
 */
function withTurn(c, t, asked) {
  const at = c.turns.findIndex((o) => o.number === t.number), old = c.turns[at];
  if (at >= 0) return { ...c, turns: c.turns.with(at, (asked && asked !== old ? enrichTurn : mergeTurn)(old, t)) };
  return { ...c, turns: c.turns.toSpliced(c.turns.filter((o) => o.number < t.number).length, 0, t) };
}

/** @param {Conv} c @param {number} number @param {(t: Turn) => Turn} change */
function editTurn(c, number, change) {
  // It is nearly always the last turn that changes.
  const at = c.turns.findLastIndex((t) => t.number === number);
  if (at < 0) {
    const t = change(emptyTurn(number));
    return { ...c, turns: [...c.turns, t].sort((a, b) => a.number - b.number) };
  }
  const next = change(c.turns[at]);
  return next === c.turns[at] ? c : { ...c, turns: c.turns.with(at, next) };
}

/**
 * Shows an accepted message in the words that were typed.
 * @param {Conv} c @param {Extract<Action, { type: 'sent' }>} a @returns {Conv}
 */
function withSent(c, a) {
  const next = editTurn(c, a.number, (t) => t.input !== null ? t : {
    ...t, input: a.content, messageId: a.messageId, state: t.calls.length || t.endedAt ? t.state : a.state,
    createdAt: t.createdAt || a.now, startedAt: t.startedAt || (a.state === 'processing' ? a.now : 0), stale: true,
  });
  return { ...next, status: 'ready' };
}

/**
 * Shows a job as the server describes it, unless something newer is known.
 * @param {Conv} c @param {JobDetail} detail @returns {Conv}
 */
function fromJob(c, { turns: infos, has_more, before, ...info }) {
  const job = withoutToken(info), known = new Map(c.turns.map((t) => [t.number, t]));
  if (c.job && c.status === 'ready' && c.job.events > job.events) return c;
  const fresh = infos.map((one) => turnOf(one)), first = fresh[0], cut = first && known.get(first.number);
  // What is known of earlier pages stays if this page connects to it.
  const connects = !!cut && c.status === 'ready' && (!first.calls.length || !cut.calls.length
    || cut.calls.some((x) => x.id === first.calls[0].id));
  const turns = fresh.map((t) => {
    const old = known.get(t.number), merged = old ? mergeTurn(old, t) : t;
    return connects && t === first && has_more ? withEarlier(merged, cut) : merged;
  });
  if (connects) turns.unshift(...c.turns.filter((t) => t.number < first.number));
  const edge = connects ? { hasMore: c.hasMore, oldest: c.oldest } : { hasMore: has_more, oldest: before || '' };
  return { ...c, ...edge, job, turns, status: 'ready', problem: '' };
}

/**
 * Shows the page before what is known of a job, unless it was asked for before something else.
 * @param {Conv} c @param {Extract<Action, { type: 'olderJob' }>} a @returns {Conv}
 */
function withOlderJob(c, { job: { turns: infos, has_more, before }, before: asked }) {
  if (c.oldest !== asked) return { ...c, loadingOlder: false };
  const older = infos.map((one) => turnOf(one)), last = older[older.length - 1], [first, ...rest] = c.turns;
  const turns = last && first?.number === last.number
    ? [...older.slice(0, -1), withEarlier(first, last), ...rest] : [...older, ...c.turns];
  return { ...c, loadingOlder: false, hasMore: has_more, oldest: before || '', turns };
}

/**
 * Puts the calls of an earlier part of a turn before those of a later one.
 * @param {Turn} t @param {Turn} earlier @returns {Turn}
 */
function withEarlier(t, earlier) {
  const has = new Set(t.calls.map((x) => x.id)), said = new Set(t.said.map((x) => `${x.agent} ${x.step}`));
  return {
    ...t, calls: [...earlier.calls.filter((x) => !has.has(x.id)), ...t.calls],
    said: [...earlier.said.filter((x) => !said.has(`${x.agent} ${x.step}`)), ...t.said],
  };
}

/** @param {Conv} c @param {string} id @param {unknown} output @returns {Conv} */
function withResult(c, id, output) {
  const preview = JSON.stringify(output);
  const calls = (/** @type {Turn} */ t) => t.calls.map((x) => x.id === id ? { ...x, preview } : x);
  return { ...c, turns: c.turns.map((t) => t.calls.some((x) => x.id === id) ? { ...t, calls: calls(t) } : t) };
}

/** @param {Record<string, Conv>} all @param {JobInfo[]} jobs */
function withJobs(all, jobs) {
  let next = all;
  for (const j of jobs) {
    if (all[j.job_id]) next = { ...next, [j.job_id]: { ...next[j.job_id], job: withoutToken(j) } };
  }
  return next;
}

/** @param {JobInfo} j */
function withoutToken(j) { const { token: _, ...rest } = j; return rest; }

/**
 * Returns how far the server's clock is ahead, given how far the time of a frame is. A frame arrives later than it was
 * logged, one that was missed much later, so the one that is furthest ahead is the closest.
 * @param {State} s @param {number} ahead
 */
function clocks(s, ahead) {
  return !s.timed || ahead > s.skew ? { skew: ahead, timed: true } : {};
}

/** @param {State} s @param {Frame} f @param {string} id @param {number} now */
function withFrame(s, f, id, now) {
  if (f.type === 'step_text') return withText(s, f);
  const cursor = parseCursor(id), next = f.at ? { ...s, ...clocks(s, ms(f.at) - now) } : s;
  if ('job_id' in f) return withJobState(next, f); // its turns are fetched
  if (!f.thread_id) return next;
  if (f.type === 'decision_rated') { // no news of the conversation, and perhaps of a turn that is not here
    return advance(next, f.thread_id, cursor, (c) => c.turns.some((t) => t.number === f.turn_number)
      ? editTurn(c, f.turn_number || 0, (t) => applyFrame(t, f)) : c);
  }
  return advance(withThreadState(next, f), f.thread_id, cursor, (c) =>
    f.turn_number ? editTurn(c, f.turn_number, (t) => applyFrame(t, f)) : c);
}

/**
 * Applies a part of what a running step says, which has no position in the stream.
 * @param {State} s @param {Extract<Frame, { type: 'step_text' }>} f
 */
function withText(s, f) {
  if (s.conversations[f.thread_id]?.status !== 'ready') return s;
  return edit(s, f.thread_id, (c) => editTurn(c, f.turn_number, (t) => applyFrame(t, f)));
}

/** How many events are kept for a conversation that is being read. */
const maxEarly = 1000;

/**
 * Applies an event to a conversation that is complete up to it. One that is being read keeps it until then, since
 * the server may have answered before the event.
 * @param {State} s @param {string} id @param {Conv['cursor']} cursor @param {(c: Conv) => Conv} change
 */
function advance(s, id, cursor, change) {
  const c = s.conversations[id];
  if (c?.status === 'loading') {
    return edit(s, id, () => ({ ...c, early: [...c.early || [], { cursor, change }].slice(-maxEarly) }));
  }
  if (!c || c.status !== 'ready' || !isAfter(cursor, c.cursor)) return s;
  return edit(s, id, () => change({ ...c, cursor }));
}

/**
 * Applies the events that came while a conversation was read, as far as it does not have them.
 * @param {Conv} c @param {Conv['early']} early @returns {Conv}
 */
function withEarly(c, early = []) {
  let now = { ...c };
  delete now.early;
  for (const { cursor, change } of early) {
    const follows = !now.cursor.epoch || now.cursor.epoch === cursor.epoch;
    if (follows && isAfter(cursor, now.cursor)) now = change({ ...now, cursor });
  }
  return now;
}
