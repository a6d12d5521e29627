// The event stream: one connection for all threads and jobs. EventSource comes
// back by itself after most failures; after an answer that is no stream it gives
// up, and is begun anew here, later and later, at the place reached.

import { url } from './api.js';

/** @import { Frame, Link } from '../state/types.d.ts' */

const names = ['status', 'thinking', 'tool_started', 'tool_completed', 'tool_result', 'approval_needed', 'approval_answered',
  'handoff', 'reasoning_update', 'response', 'error', 'resync', 'job_started', 'job_message', 'job_tool_use',
  'job_tool_result', 'job_reasoning', 'job_status', 'job_result'];

/** How long after a reconnect what arrives is taken to be what was missed, and how long that is shown, in ms. */
const quiet = 400, shown = 5000, longest = 15_000;

/** @typedef {{ onFrame(f: Frame, id: string): void, onLink(l: Link): void, onResync(): void, onRefused(): Promise<boolean> }} Listener */

export class Stream {
  #listener; #last = ''; #tries = 0; #lost = false; #replayed = 0;
  /** @type {EventSource | null} */
  #source = null;
  /** @type {Record<string, number>} */
  #timers = {};

  /** @param {Listener} listener */
  constructor(listener) {
    this.#listener = listener;
    addEventListener('online', () => this.#again(0));
    document.addEventListener('visibilitychange', () => {
      if (!document.hidden && this.#source?.readyState === EventSource.CLOSED) this.#again(0);
    });
  }

  /** Begins after a place, or with what happens next. @param {string} last */
  start(last) {
    this.stop();
    this.#last = last;
    this.#connect();
  }

  stop() {
    this.#source?.close();
    this.#source = null;
    for (const t of Object.values(this.#timers)) clearTimeout(t);
  }

  #connect() {
    this.#source?.close();
    const source = new EventSource(url('/api/chat/events', { last_event_id: this.#last }));
    this.#source = source;
    source.onopen = () => this.#opened();
    source.onerror = () => this.#failed(source);
    for (const name of names) source.addEventListener(name, (e) => this.#heard(name, /** @type {MessageEvent} */(e)));
  }

  #opened() {
    this.#tries = 0;
    this.#replayed = 0;
    if (!this.#lost) return this.#tell('live', 0);
    this.#after('quiet', quiet, () => this.#settled());
  }

  /** What was missed is in. */
  #settled() {
    this.#lost = false;
    this.#tell(this.#replayed ? 'resumed' : 'live', this.#replayed);
    this.#after('shown', shown, () => this.#tell('live', 0));
  }

  /** @param {string} name @param {MessageEvent} e */
  #heard(name, e) {
    if (typeof e.data !== 'string') return; // a connection's own error event
    this.#last = e.lastEventId || this.#last;
    if (name === 'resync') {
      this.#lost = false;
      clearTimeout(this.#timers.quiet);
      this.#tell('reset', 0);
      this.#after('shown', shown, () => this.#tell('live', 0));
      return this.#listener.onResync();
    }
    if (this.#lost) {
      this.#replayed++;
      this.#after('quiet', quiet, () => this.#settled());
    }
    let frame;
    try { frame = JSON.parse(e.data); } catch { return; }
    this.#listener.onFrame(frame, e.lastEventId);
  }

  /** @param {EventSource} source */
  async #failed(source) {
    if (source !== this.#source) return;
    this.#lost = true;
    clearTimeout(this.#timers.quiet);
    this.#tell('lost', 0);
    if (source.readyState !== EventSource.CLOSED) return; // it comes back by itself
    if (await this.#listener.onRefused()) return this.stop();
    this.#again(Math.min(longest, 500 * 2 ** this.#tries++) * (0.5 + Math.random() / 2));
  }

  /** @param {number} wait ms */
  #again(wait) {
    if (!this.#source || this.#source.readyState === EventSource.OPEN) return;
    this.#after('again', wait, () => this.#connect());
  }

  /** @param {Link['state']} state @param {number} count */
  #tell(state, count) {
    clearTimeout(this.#timers.shown);
    this.#listener.onLink({ state, count });
  }

  /** @param {string} name @param {number} wait @param {() => void} then */
  #after(name, wait, then) {
    clearTimeout(this.#timers[name]);
    this.#timers[name] = window.setTimeout(then, wait);
  }
}
