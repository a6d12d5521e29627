// What was written while the server was away: it waits here, in order, and is sent once the
// server is back. Each message becomes one turn of the conversation where it was written.

import { say } from './lib/toast.js';
import { editWaiting, maxWaiting } from './state/outbox.js';

/** @import { Waiting } from './state/types.d.ts' */
/** @import { Deliver, Parts } from './types.d.ts' */

/** The delay before what failed is tried again while the link is up, in ms. */
const pause = 5000;

/**
 * Where messages are kept through a reload of the tab. They are the user's own words, not yet
 * cleaned by the server. They may stand here because sessionStorage is this tab's and this
 * origin's alone, where the browser keeps what stands in a field, too, and because they leave it
 * as soon as they are sent, cancelled or the user signs out. Nobody else who signs in gets them.
 */
const store = 'candor.waiting';

export class Outbox {
  #busy = false; #timer = 0; #keys = 0; #user = '';

  /** @param {Pick<Parts, 'hub' | 'store'>} parts @param {Deliver} deliver */
  constructor(parts, deliver) {
    this.parts = parts;
    this.deliver = deliver;
    parts.store.onAction((_, a) => { if (a.type === 'link') this.flush(); });
  }

  /**
   * Takes up what waited before the tab was loaded anew, if the same user wrote it.
   * @param {string} user
   */
  restore(user) {
    if (user === this.#user) return;
    this.#user = user;
    try {
      const kept = JSON.parse(sessionStorage.getItem(store) || 'null');
      const all = kept?.user === user ? /** @type {Waiting[]} */ (kept.waiting) : [];
      this.#keys = Math.max(0, ...all.map((m) => m.key));
      this.set(all.map((m) => ({ ...m, sending: false })));
    } catch { /* the browser lets the page keep nothing */ }
  }

  /** @param {Waiting[]} waiting */
  set(waiting) {
    this.parts.store.dispatch({ type: 'waiting', waiting });
    try {
      if (waiting.length) sessionStorage.setItem(store, JSON.stringify({ user: this.#user, waiting }));
      else sessionStorage.removeItem(store);
    } catch { /* they wait until the page is left */ }
  }

  get all() { return this.parts.store.state.waiting; }

  /** Forgets everything, since the user leaves. */
  forget() { this.set([]); }

  /**
   * Reports whether a message for a conversation has to wait behind others.
   * @param {string} thread
   */
  holds(thread) { return this.all.some((m) => m.thread === thread); }

  /**
   * Lets a message wait, unless too many do.
   * @param {string} thread '' for a conversation that it begins @param {string} text
   * @param {number} after the latest turn of the thread before the message went out
   * @param {string} problem why the server refused it; then it waits for a person
   */
  add(thread, text, after, problem) {
    if (this.all.length >= maxWaiting) return false;
    this.set([...this.all, { key: ++this.#keys, thread, text, after, problem, sending: false }]);
    say(problem ? `The server refused your message: ${problem}`
      : 'The server cannot be reached. Your message is sent as soon as the server is back.');
    this.#later();
    return true;
  }

  /**
   * Takes a message back, and returns it.
   * @param {number} key
   */
  take(key) {
    const m = this.all.find((one) => one.key === key && !one.sending);
    if (m) this.set(editWaiting(this.all, key, () => null));
    this.flush(); // what waited behind it may go
    return m;
  }

  #later() {
    clearTimeout(this.#timer);
    this.#timer = window.setTimeout(() => this.flush(), pause);
  }

  /** Sends what waits, if the server is there. */
  async flush() {
    const { link } = this.parts.store.state;
    if (this.#busy || !this.all.length || !['live', 'resumed', 'reset'].includes(link.state)) return;
    this.#busy = true;
    // If the module does not come, the server is away again.
    const left = await import('./resend.js').then(({ resend }) => resend(this), () => true);
    this.#busy = false;
    if (left) this.#later();
  }

  /**
   * What waits for a conversation that was yet to begin belongs to this one now.
   * @param {string} thread
   */
  begun(thread) { this.set(this.all.map((m) => m.thread ? m : { ...m, thread })); }

  /** @param {Waiting} m @param {Partial<Waiting>} change */
  change(m, change) { this.set(editWaiting(this.all, m.key, (one) => ({ ...one, ...change }))); }
}
