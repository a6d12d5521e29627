// Messages under way. They go one after the other, each to the conversation that was open when it was written, so
// that two that are written quickly neither overtake each other nor become one.

import * as api from './net/api.js';
import { latestTurn, maxWaiting } from './state/outbox.js';

/** @import { Context, UnderWay } from './types.d.ts' */

export class Sending {
  /**
   * The latest message that is under way.
   * @type {UnderWay | null}
   */
  #last = null;

  /** @param {Context} context */
  constructor(context) { this.context = context; }

  /**
   * Sends a message to the open conversation; a new one is begun first.
   * @param {string} text @returns {Promise<boolean>} whether it is taken care of; if not, it belongs into the field
   */
  async send(text) {
    const { kind, id } = this.context.store.state.active;
    /** @type {UnderWay} */
    const m = { kind, thread: kind === 'new' ? '' : id, text, before: this.#last, done: null };
    this.#last = m;
    m.done = this.#go(m);
    const taken = await m.done;
    if (this.#last === m) this.#last = null;
    return taken;
  }

  /**
   * Sends a message after the one before it. While the server is away, or others wait for it, the message waits. One
   * that is refused waits for a person.
   * @param {UnderWay} m
   */
  async #go(m) {
    const { store, hub, outbox } = this.context, { before, kind, text } = m, isJob = kind === 'job';
    await before?.done;
    m.before = null;
    // Both were written before the conversation had begun.
    if (kind === 'new' && before?.kind === 'new') m.thread = before.thread;
    const after = latestTurn(store.state, m.thread);
    let waits = !isJob && outbox.holds(m.thread), problem = '';
    try {
      if (isJob) return !!await api.promptJob(m.thread, text);
      if (!waits) {
        await outbox.deliver(m.thread, text, (begun) => { m.thread = begun; });
        return true;
      }
    } catch (e) {
      waits = !isJob && api.isAway(e);
      if (api.isSignedOut(e)) {
        hub.emit('signedOut', '');
        return false;
      }
      if (!waits) problem = e instanceof Error ? e.message : String(e);
    }
    return this.#keep(m, after, problem);
  }

  /**
   * Keeps a message that was not sent: among those that wait, unless it can return to the field alone.
   * @param {UnderWay} m @param {number} after @param {string} problem why the server refused it, if it did
   */
  #keep(m, after, problem) {
    const { composer, outbox, store } = this.context, { kind, id } = store.state.active;
    const here = kind === 'new' ? !m.thread : id === m.thread;
    const alone = here && !composer.written && this.#last === m;
    if (problem && (alone || m.kind === 'job')) composer.complain(problem);
    else if (outbox.add(m.thread, m.text, after, problem)) return true;
    else composer.complain(`${maxWaiting} messages already wait for the server. Send this one once it is back.`);
    return false;
  }
}
