// What is fetched, and when: lists at the start and when they change, a
// conversation when it is opened, older turns as one scrolls up to them, and a
// turn again when the stream says that there is more to know of it.

import * as api from './api.js';

/** @import { Frame, State, Turn } from '../state/types.d.ts' */

/** @typedef {import('../state/store.js').Store} Store  */

/** Turns of the first page, and of each further one. */
const firstPage = 50, page = 200;

/** How long to wait before a turn is asked for, in ms: its first words, its end, and while it goes on. */
const soon = 20, atEnd = 60, later = 1500;

export class Fetcher {
  /** @type {Map<string, number>} */
  #timers = new Map();
  #lists = 0;

  /** @param {Store} store @param {(e: unknown) => void} failed told of what a person should know */
  constructor(store, failed) {
    this.store = store;
    this.failed = failed;
    store.onAction((s, a) => this.#follow(s, a));
  }

  /** Both lists of the rail. */
  async lists() {
    const [t, j] = await Promise.all([api.threads(), api.jobs()]);
    this.store.dispatch({ type: 'threads', threads: t.threads });
    this.store.dispatch({ type: 'jobs', jobs: j.jobs });
    return t;
  }

  /** The lists again, once for all who ask within a moment. */
  refreshLists() {
    clearTimeout(this.#lists);
    this.#lists = window.setTimeout(() => this.lists().catch(() => {}), 300);
  }

  /** Opens a thread; what is there already is shown meanwhile. @param {string} id @returns {Promise<string>} its place in the stream */
  async thread(id) {
    this.store.dispatch({ type: 'loading', id, kind: 'thread' });
    try {
      const history = await api.history(id, { limit: firstPage });
      this.store.dispatch({ type: 'history', id, history });
      return history.event_id;
    } catch (e) {
      this.#lost(id, 'thread', e);
      return '';
    }
  }

  /** @param {string} id */
  async job(id) {
    this.store.dispatch({ type: 'loading', id, kind: 'job' });
    try {
      const [job, { applyJobFrame: fold }] = await Promise.all([api.job(id), import('../state/jobfold.js')]);
      this.store.dispatch({ type: 'job', job, fold });
      for (let after = 0, first = true, more = true; more; first = false) {
        const got = await api.jobEvents(id, after);
        this.store.dispatch({ type: 'jobEvents', id, events: got.events, first, epoch: job.session_id.slice(0, 8) });
        more = got.has_more && got.events.length > 0;
        if (more) after = got.events[got.events.length - 1].id;
      }
    } catch (e) { this.#lost(id, 'job', e); }
  }

  /** @param {string} id @param {'thread' | 'job'} kind @param {unknown} e */
  #lost(id, kind, e) {
    const problem = e instanceof Error ? e.message : String(e), gone = e instanceof api.ApiError && e.status === 404;
    this.store.dispatch({ type: 'failed', id, kind, problem, gone });
    if (!gone) this.failed(e);
  }

  /** The page of history before what is there. @param {string} id */
  async older(id) {
    const c = this.store.state.conversations[id];
    if (!c || c.kind !== 'thread' || !c.hasMore || c.loadingOlder || c.status !== 'ready') return;
    this.store.dispatch({ type: 'olderLoading', id });
    try {
      this.store.dispatch({ type: 'older', id, history: await api.history(id, { limit: page, before: c.oldest }) });
    } catch (e) { this.#lost(id, 'thread', e); }
  }

  /** Reads back until a turn is there. @param {string} id @param {number} number */
  async until(id, number) {
    for (;;) {
      const c = this.store.state.conversations[id];
      if (!c || c.status !== 'ready' || !c.hasMore || c.turns.some((t) => t.number === number)) return;
      if (c.loadingOlder) await new Promise((then) => setTimeout(then, 50));
      else await this.older(id);
    }
  }

  /** A turn with all that is known of it. @param {string} id @param {number} number @param {string} [whole] the call whose result is wanted whole */
  async turn(id, number, whole) {
    const asked = this.#known(id, number);
    try {
      this.store.dispatch({ type: 'turn', id, turn: await api.turn(id, number), asked, whole });
      if (asked && this.#known(id, number)?.stale) this.#ask(id, /** @type {Turn} */(this.#known(id, number)));
    } catch {
      this.store.dispatch({ type: 'fetchFailed', id, number });
    }
  }

  /** @param {string} id @param {number} number */
  #known(id, number) { return this.store.state.conversations[id]?.turns.findLast((t) => t.number === number); }

  /** @param {State} s @param {import('../state/reduce.js').Action} a */
  #follow(s, a) {
    if (a.type === 'event') {
      const f = a.frame;
      if (f.type === 'job_started' || (f.thread_id && this.#newTitle(s, f))) this.refreshLists();
      if (f.job_id && f.type === 'job_result') this.refreshLists();
      if (f.thread_id && f.turn_number) this.#askIfStale(f.thread_id, f.turn_number);
    } else if (a.type === 'sent') this.#askIfStale(a.id, a.number);
  }

  /** A thread gets its title from its first message. @param {State} s @param {Frame} f */
  #newTitle(s, f) { return f.turn_number && !s.threads?.find((t) => t.id === f.thread_id)?.title; }

  /** @param {string} id @param {number} number */
  #askIfStale(id, number) {
    const t = this.#known(id, number);
    if (t?.stale) this.#ask(id, t);
  }

  /** @param {string} id @param {Turn} t */
  #ask(id, t) {
    const key = `${id}#${t.number}`, ended = t.endedAt > 0;
    if (this.#timers.has(key) && !ended) return;
    clearTimeout(this.#timers.get(key));
    this.#timers.set(key, window.setTimeout(() => {
      this.#timers.delete(key);
      this.turn(id, t.number);
    }, ended ? atEnd : t.input === null ? soon : later));
  }
}
