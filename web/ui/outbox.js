// What was written while the server was away: it waits here, in order, and is sent once the
// server is back. Each message becomes one turn of the conversation where it was written.

import * as api from './net/api.js';
import { say } from './lib/toast.js';
import { editWaiting, maxWaiting, nextWaiting, takenAs, withoutSent } from './state/outbox.js';

/** @import { Waiting } from './state/types.d.ts' */
/** @import { Deliver, Parts } from './types.d.ts' */

/** The delay before what failed is tried again while the link is up, in ms. */
const pause = 5000;

/** How many of the latest turns may have been the message whose answer was lost. */
const lookBack = 50;

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
      this.#set(all.map((m) => ({ ...m, sending: false })));
    } catch { /* the browser lets the page keep nothing */ }
  }

  /** @param {Waiting[]} waiting */
  #set(waiting) {
    this.parts.store.dispatch({ type: 'waiting', waiting });
    try {
      if (waiting.length) sessionStorage.setItem(store, JSON.stringify({ user: this.#user, waiting }));
      else sessionStorage.removeItem(store);
    } catch { /* they wait until the page is left */ }
  }

  get #all() { return this.parts.store.state.waiting; }

  /** Forgets everything, since the user leaves. */
  forget() { this.#set([]); }

  /**
   * Reports whether a message for a conversation has to wait behind others.
   * @param {string} thread
   */
  holds(thread) { return this.#all.some((m) => m.thread === thread); }

  /**
   * Lets a message wait, unless too many do.
   * @param {string} thread '' for a conversation that it begins @param {string} text
   * @param {number} after the latest turn of the thread before the message went out
   * @param {string} problem why the server refused it; then it waits for a person
   */
  add(thread, text, after, problem) {
    if (this.#all.length >= maxWaiting) return false;
    this.#set([...this.#all, { key: ++this.#keys, thread, text, after, problem, sending: false }]);
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
    const m = this.#all.find((one) => one.key === key && !one.sending);
    if (m) this.#set(editWaiting(this.#all, key, () => null));
    this.flush(); // what waited behind it may go
    return m;
  }

  #later() {
    clearTimeout(this.#timer);
    this.#timer = window.setTimeout(() => this.flush(), pause);
  }

  /** Sends what waits, if the server is there. */
  async flush() {
    const { state } = this.parts.store;
    if (this.#busy || !['live', 'resumed', 'reset'].includes(state.link.state)) return;
    this.#busy = true;
    for (let m = nextWaiting(state); m && await this.#send(m);) m = nextWaiting(this.parts.store.state);
    this.#busy = false;
    if (nextWaiting(this.parts.store.state)) this.#later();
  }

  /** @param {Waiting} m @returns {Promise<boolean>} whether to go on with the next one */
  async #send(m) {
    this.#change(m, { sending: true });
    try {
      const number = await this.#takenAs(m) || await this.deliver(m.thread, m.text, (thread) => this.#begun(thread));
      const sent = this.#all.find((one) => one.key === m.key) || m;
      this.#set(withoutSent(this.#all, sent, number));
      return true;
    } catch (e) {
      this.#change(m, { sending: false });
      if (api.isSignedOut(e)) this.parts.hub.emit('signedOut', '');
      if (api.isSignedOut(e) || api.mayPass(e)) return false;
      this.#change(m, { problem: e instanceof Error ? e.message : String(e) });
      return true;
    }
  }

  /** @param {Waiting} m @returns {Promise<number>} the turn that the message already is, or 0 */
  async #takenAs(m) {
    if (!m.thread) return 0;
    const { turns } = await api.history(m.thread, { limit: lookBack });
    const taken = takenAs(m, turns.map((t) => ({ number: t.turn_number, input: t.user_input })));
    return taken?.number || 0;
  }

  /**
   * What waits for a conversation that was yet to begin belongs to this one now.
   * @param {string} thread
   */
  #begun(thread) { this.#set(this.#all.map((m) => m.thread ? m : { ...m, thread })); }

  /** @param {Waiting} m @param {Partial<Waiting>} change */
  #change(m, change) { this.#set(editWaiting(this.#all, m.key, (one) => ({ ...one, ...change }))); }
}
