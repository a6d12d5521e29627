// The event stream: one connection for all threads and jobs. EventSource reconnects by
// itself after most failures. When it gives up, this module opens a new one, with growing
// delays, at the position reached.

import { url } from './api.js';

/** @import { Link, StreamListener } from '../state/types.d.ts' */

const names = `position status thinking step_text tool_started tool_completed tool_result approval_needed
  approval_answered handoff reasoning_update response error resync job_started job_message job_tool_use
  job_tool_result job_reasoning job_status job_result`.split(/\s+/);

/**
 * In ms: the pause after a reconnect that ends the replay of what was missed, how long
 * the result of the reconnect is shown, and the longest delay before the next attempt.
 */
const quiet = 400, shown = 5000, longest = 15_000;

export class Stream {
  #listener; #last = ''; #tries = 0; #lost = false; #replayed = 0;
  /** @type {EventSource | null} */
  #source = null;
  /** @type {Record<string, number>} */
  #timers = {};

  /** @param {StreamListener} listener */
  constructor(listener) {
    this.#listener = listener;
    addEventListener('online', () => this.#retry(0));
    document.addEventListener('visibilitychange', () => {
      if (!document.hidden && this.#source?.readyState === EventSource.CLOSED) this.#retry(0);
    });
  }

  /**
   * Begins after an event, or with what happens next if the id is empty.
   * @param {string} last
   */
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
    for (const name of names) {
      source.addEventListener(name, (e) => { if (e instanceof MessageEvent) this.#received(name, e); });
    }
  }

  #opened() {
    this.#tries = 0;
    this.#replayed = 0;
    if (!this.#lost) return this.#report('live', 0);
    this.#after('quiet', quiet, () => this.#resumed());
  }

  /** What was missed has arrived. */
  #resumed() {
    this.#lost = false;
    this.#report(this.#replayed ? 'resumed' : 'live', this.#replayed);
    this.#after('shown', shown, () => this.#report('live', 0));
  }

  /** @param {string} name @param {MessageEvent<string>} e */
  #received(name, e) {
    this.#last = e.lastEventId || this.#last;
    if (name === 'position') return this.#listener.onPosition();
    if (name === 'resync') {
      this.#lost = false;
      clearTimeout(this.#timers.quiet);
      this.#report('reset', 0);
      this.#after('shown', shown, () => this.#report('live', 0));
      return this.#listener.onResync();
    }
    if (this.#lost && name !== 'step_text') {
      this.#replayed++;
      this.#after('quiet', quiet, () => this.#resumed());
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
    this.#report('lost', 0);
    if (source.readyState !== EventSource.CLOSED) return; // it reconnects by itself
    if (await this.#listener.onRefused()) return this.stop();
    this.#retry(Math.min(longest, 500 * 2 ** this.#tries++) * (0.5 + Math.random() / 2));
  }

  /** @param {number} delay ms */
  #retry(delay) {
    if (!this.#source || this.#source.readyState === EventSource.OPEN) return;
    this.#after('retry', delay, () => this.#connect());
  }

  /** @param {Link['state']} state @param {number} count */
  #report(state, count) {
    clearTimeout(this.#timers.shown);
    this.#listener.onLink({ state, count });
  }

  /** @param {string} name @param {number} delay @param {() => void} then */
  #after(name, delay, then) {
    clearTimeout(this.#timers[name]);
    this.#timers[name] = window.setTimeout(then, delay);
  }
}
