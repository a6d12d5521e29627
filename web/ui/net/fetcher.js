// Decides what to fetch, and when: the lists at the start and when they change, a
// conversation when it is opened, older turns when the reader scrolls up, and a turn
// again when the stream says that there is more to know of it.

import * as api from './api.js';
import { ms } from '../lib/format.js';
import { ends } from '../state/lists.js';

/** @import { Action, Frame, Kind, State, Turn } from '../state/types.d.ts' */

/** How many turns the first page of history has, and each further one. */
const firstPage = 50, furtherPage = 200;

/** The delay before a turn is fetched, in ms: when it is new, has ended, or goes on. */
const soon = 20, atEnd = 60, later = 1500;

/** The delay before a job is fetched that something happened to, in ms. */
const jobDelay = 120;

/** How old a list may be of what a watched agent last told, in ms. */
const told = 60_000;

export class Fetcher {
  /** @type {Map<string, number>} */
  #timers = new Map();
  #lists = 0;

  /**
   * @param {import('../state/store.js').Store} store
   * @param {(e: unknown) => void} onFailure called with what a person should know
   */
  constructor(store, onFailure) {
    this.store = store;
    this.onFailure = onFailure;
    store.onAction((s, a) => this.#follow(s, a));
  }

  /** Fetches the threads and the jobs, and returns when something last happened to each. */
  async lists() {
    const [{ threads, active_thread }, jobs] = await Promise.all([this.#threads(), this.#jobs()]);
    this.store.dispatch({ type: 'threads', threads });
    this.store.dispatch({ type: 'jobs', jobs });
    this.spaces();
    const rows = [...threads, ...jobs.map((j) => ({ id: j.job_id, updated_at: j.updated_at }))];
    return { rows, active: active_thread };
  }

  /** Fetches the user's spaces. A server without any shows none. */
  async spaces() {
    const { spaces } = await api.spaces().catch(() => ({ spaces: [] }));
    this.store.dispatch({ type: 'spaces', spaces });
  }

  /** Fetches all pages of the list of threads. */
  async #threads() {
    const all = await api.threads();
    for (let more = all.has_more; more;) {
      const page = await api.threads(all.threads[all.threads.length - 1].updated_at);
      all.threads.push(...page.threads);
      more = page.has_more && page.threads.length > 0;
    }
    return all;
  }

  /** Fetches all pages of the list of jobs. */
  async #jobs() {
    const { jobs, has_more } = await api.jobs();
    for (let more = has_more; more;) {
      const page = await api.jobs(jobs[jobs.length - 1].created_at);
      jobs.push(...page.jobs);
      more = page.has_more && page.jobs.length > 0;
    }
    return jobs;
  }

  /** Fetches the lists, once for all calls within a moment. */
  refreshLists() {
    this.#lists ||= window.setTimeout(() => {
      this.#lists = 0;
      this.lists().catch(() => {});
    }, 300);
  }

  /**
   * Opens a thread. What is already known is shown meanwhile.
   * @param {string} id @returns {Promise<string>} its position in the stream
   */
  async thread(id) {
    this.store.dispatch({ type: 'loading', id, kind: 'thread' });
    try {
      const history = await api.history(id, { limit: firstPage });
      this.store.dispatch({ type: 'history', id, history });
      return history.event_id;
    } catch (e) {
      this.#failed(id, 'thread', e);
      return '';
    }
  }

  /** @param {string} id @returns {Promise<string>} its position in the stream */
  async job(id) {
    this.store.dispatch({ type: 'loading', id, kind: 'job' });
    return this.#readJob(id);
  }

  /** @param {string} id */
  async #readJob(id) {
    try {
      const job = await api.job(id);
      this.store.dispatch({ type: 'job', job });
      return job.event_id;
    } catch (e) {
      this.#failed(id, 'job', e);
      return '';
    }
  }

  /**
   * Fetches the whole result of a job's call.
   * @param {string} id @param {string} call
   */
  async result(id, call) {
    try {
      const output = await (await import('./result.js')).resultOf(id, call);
      if (output !== undefined) this.store.dispatch({ type: 'result', id, call, output });
    } catch (e) { this.onFailure(e); }
  }

  /** @param {string} id @param {Kind} kind @param {unknown} e */
  #failed(id, kind, e) {
    const problem = e instanceof Error ? e.message : String(e), gone = e instanceof api.ApiError && e.status === 404;
    this.store.dispatch({ type: 'failed', id, kind, problem, gone });
    if (!gone) this.onFailure(e);
  }

  /**
   * Fetches the page of a thread or a job before the turns that are known.
   * @param {string} id
   */
  async older(id) {
    const c = this.store.state.conversations[id];
    if (!c || !c.hasMore || c.loadingOlder || c.status !== 'ready') return;
    this.store.dispatch({ type: 'olderLoading', id, kind: c.kind });
    try {
      if (c.kind === 'job') {
        this.store.dispatch({ type: 'olderJob', id, job: await api.job(id, c.oldest), before: c.oldest });
        return;
      }
      const history = await api.history(id, { limit: furtherPage, before: c.oldest });
      this.store.dispatch({ type: 'older', id, history });
    } catch (e) { this.#failed(id, c.kind, e); }
  }

  /**
   * Fetches older pages until a turn is there, and waits for one that has just begun, which the stream will tell.
   * @param {string} id @param {number} number
   */
  async until(id, number) {
    for (;;) {
      const c = this.store.state.conversations[id];
      if (!c || c.status !== 'ready' || c.turns.some((t) => t.number === number)) return;
      if (!c.hasMore) return c.kind === 'thread' && this.#begun(id, number);
      if (c.loadingOlder) await new Promise((then) => setTimeout(then, 50));
      else await this.older(id);
    }
  }

  /**
   * Waits for a turn that the server has and the stream has not told yet.
   * @param {string} id @param {number} number
   */
  async #begun(id, number) {
    const there = await api.turn(id, number).catch(() => null);
    for (let n = 0; there && n < 600 && !this.#known(id, number); n++) {
      await new Promise((then) => setTimeout(then, 50));
    }
  }

  /**
   * Fetches a complete turn.
   * @param {string} id @param {number} number @param {string} [whole] the call whose result is wanted whole
   */
  async turn(id, number, whole) {
    const asked = this.#known(id, number);
    try {
      this.store.dispatch({ type: 'turn', id, turn: await api.turn(id, number), asked, whole });
      if (asked) this.#fetchIfStale(id, number);
    } catch {
      this.store.dispatch({ type: 'fetchFailed', id, number });
    }
  }

  /** @param {string} id @param {number} number */
  #known(id, number) { return this.store.state.conversations[id]?.turns.findLast((t) => t.number === number); }

  /** @param {State} s @param {Action} a */
  #follow(s, a) {
    if (a.type === 'sent') return this.#fetchIfStale(a.id, a.number);
    if (a.type === 'event') this.#onFrame(s, a.frame);
  }

  /** @param {State} s @param {Frame} f */
  #onFrame(s, f) {
    if ('job_id' in f) {
      if (f.type === 'job_started' || f.type === 'job_result') this.refreshLists();
      if (f.job_id === s.active.id) this.#followJob(f.job_id);
    } else if (f.turn_number) {
      // A thread gets its title from its first message. Of an observed one, other turns may run on.
      const th = s.threads?.find((t) => t.id === f.thread_id);
      // When a watched agent told something only the server knows: it may be an import.
      const news = th?.attached && Date.now() + s.skew - ms(th.attached.told_at) > told;
      if (th?.origin ? ends(f) || news : !th?.title) this.refreshLists();
      this.#fetchIfStale(f.thread_id, f.turn_number);
    } else if (f.type === 'status') this.refreshLists(); // a thread was opened: whose turns will it have?
  }

  /**
   * Fetches the job that is open, once for all events within a moment.
   * @param {string} id
   */
  #followJob(id) {
    if (this.#timers.has(id)) return;
    this.#timers.set(id, window.setTimeout(() => {
      this.#timers.delete(id);
      this.#readJob(id);
    }, jobDelay));
  }

  /** @param {string} id @param {number} number */
  #fetchIfStale(id, number) {
    const t = this.#known(id, number);
    if (t?.stale) this.#schedule(id, t);
  }

  /** @param {string} id @param {Turn} t */
  #schedule(id, t) {
    const key = `${id}#${t.number}`, ended = t.endedAt > 0;
    if (this.#timers.has(key) && !ended) return;
    clearTimeout(this.#timers.get(key));
    this.#timers.set(key, window.setTimeout(() => {
      this.#timers.delete(key);
      this.turn(id, t.number);
    }, ended ? atEnd : t.input === null ? soon : later));
  }
}
