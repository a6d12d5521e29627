// The event stream: one connection for all threads and jobs. When it is lost, this module
// opens a new one, with growing delays, at the position reached.

import { ask, isSignedOut, url } from './api.js';
import { Parser } from './sse.js';

/** @import { Message } from './sse.js' */
/** @import { Link, StreamListener } from '../state/types.d.ts' */

const names = new Set(`position status thinking step_text tool_started tool_completed tool_result approval_needed
  approval_answered handoff reasoning_update decision_rated note conclusion response error resync dropped
  sealed_reasoning thread_deleted job_deleted job_started job_message job_tool_use job_tool_result job_reasoning
  job_status job_result`.split(/\s+/));

/**
 * In ms: the pause after a reconnect that ends the replay of what was missed, how long
 * the result of the reconnect is shown, and the first and the longest delay before the next
 * attempt; the server names another first one.
 */
const quiet = 400, shown = 5000, first = 1000, longest = 15_000;

export class Stream {
  #listener; #last = ''; #tries = 0; #lost = false; #replayed = 0; #open = false; #pause = first; #heard = 0;
  /** @type {AbortController | null} of the connection, or of the one that is awaited */
  #request = null;
  /** @type {Record<string, number>} */
  #timers = {};

  /** @param {StreamListener} listener */
  constructor(listener) {
    this.#listener = listener;
    addEventListener('online', () => this.#retry(0));
    document.addEventListener('visibilitychange', () => { if (!document.hidden) this.#retry(0); });
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
    this.#request?.abort();
    this.#request = null;
    this.#open = false;
    for (const t of Object.values(this.#timers)) clearTimeout(t);
  }

  /** Goes on where the stream was stopped, and counts what was missed. */
  resume() {
    if (this.#request) return;
    this.#lost = true;
    this.#connect();
  }

  async #connect() {
    this.#request?.abort();
    const request = this.#request = new AbortController();
    /** @type {unknown} */
    let why = null;
    try {
      const path = url('/api/chat/events', { last_event_id: this.#last });
      const res = await ask('GET', path, undefined, { signal: request.signal });
      if (request === this.#request && res.body) await this.#read(res.body, request);
    } catch (e) { why = e; }
    if (request === this.#request) this.#failed(why);
  }

  /** @param {ReadableStream<Uint8Array<ArrayBuffer>>} body @param {AbortController} request */
  async #read(body, request) {
    const parser = new Parser(), reader = body.pipeThrough(new TextDecoderStream()).getReader();
    this.#opened();
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      for (const message of parser.push(value)) {
        if (request !== this.#request) return;
        if (names.has(message.name)) this.#received(message);
      }
      this.#pause = parser.retry || first;
    }
  }

  #opened() {
    this.#open = true;
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

  /** @param {Message} message */
  #received({ name, data, id }) {
    this.#last = id || this.#last;
    if (name === 'position') return this.#listener.onPosition();
    if (name === 'resync') {
      this.#lost = false;
      clearTimeout(this.#timers.quiet);
      this.#report('reset', 0);
      this.#after('shown', shown, () => this.#report('live', 0));
      return this.#listener.onResync();
    }
    if (name === 'dropped') return this.#listener.onResync();
    if (this.#lost && name !== 'step_text') {
      this.#replayed++;
      this.#after('quiet', quiet, () => this.#resumed());
    }
    let frame;
    try { frame = JSON.parse(data); } catch { return; }
    if (name.endsWith('_deleted')) this.#listener.onDeleted(frame.job_id || frame.thread_id);
    else this.#listener.onFrame(frame, id);
  }

  /** @param {unknown} why nothing if the stream only ended */
  #failed(why) {
    this.#open = false;
    this.#lost = true;
    clearTimeout(this.#timers.quiet);
    this.#report('lost', 0);
    if (isSignedOut(why)) {
      this.stop();
      return this.#listener.onSignedOut();
    }
    this.#retry(Math.min(longest, this.#pause * 2 ** this.#tries++) * (0.5 + Math.random() / 2));
  }

  /** @param {number} delay ms */
  #retry(delay) {
    if (this.#request && !this.#open) this.#after('retry', delay, () => this.#connect());
  }

  /** @param {Link['state']} state @param {number} count */
  #report(state, count) {
    clearTimeout(this.#timers.shown);
    this.#heard = state === 'lost' ? this.#heard || Date.now() : 0;
    this.#listener.onLink({ state, count, heard: this.#heard });
  }

  /** @param {string} name @param {number} delay @param {() => void} then */
  #after(name, delay, then) {
    clearTimeout(this.#timers[name]);
    this.#timers[name] = window.setTimeout(then, delay);
  }
}
