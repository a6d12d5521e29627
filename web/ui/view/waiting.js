// <candor-waiting>: the messages that wait for the server, above the field they were
// written in. It is there from the start, since the server cannot send it when it is needed.

import { attribute, fill, h, show } from '../lib/dom.js';
import { cut, plural } from '../lib/format.js';
import { formatRoute } from '../state/route.js';

/** @import { State, Waiting as Message } from '../state/types.d.ts' */
/** @import { WaitingActs } from './types.d.ts' */

export class Waiting extends HTMLElement {
  /** @type {WaitingActs | null} */
  acts = null;
  #list = h('ul', { 'aria-label': 'Messages that wait for the server' });
  #elsewhere = h('p', { class: 'note' });
  /** @type {Message[]} */
  #shown = [];
  #place = '';

  /**
   * Draws the messages of the open conversation, and says whether there are others.
   * @param {Pick<State, 'waiting' | 'active'>} s
   */
  update({ waiting, active }) {
    const place = active.kind === 'job' ? 'job' : active.id;
    if (waiting === this.#shown && place === this.#place) return;
    this.#shown = waiting;
    this.#place = place;
    if (!this.firstChild) this.append(this.#elsewhere, this.#list);
    const here = waiting.filter((m) => m.thread === place), others = waiting.filter((m) => m.thread !== place);
    fill(this.#list, ...here.map((m) => this.#row(m)));
    const at = others[0]?.thread, href = formatRoute(at ? { thread: at } : { isNew: true });
    const where = `${plural(others.length, 'message waits', 'messages wait')} in another conversation`;
    fill(this.#elsewhere, others.length > 0 && h('a', { href }, where));
    show(this.#elsewhere, others.length > 0);
    show(this.#list, here.length > 0);
    show(this, waiting.length > 0);
  }

  /** @param {Message} m */
  #row(m) {
    const words = m.problem ? `The server refused it: ${m.problem}`
      : m.sending ? 'Sending…' : 'Is sent once the server is back';
    const button = (/** @type {string} */ label, /** @type {() => unknown} */ run) => {
      const el = h('button', { type: 'button', class: 'quiet', click: run }, label);
      el.disabled = m.sending;
      attribute(el, 'aria-label', `${label} the message ${cut(m.text, 40)}`);
      return el;
    };
    return h('li', { class: m.problem ? 'refused' : null }, h('span', { class: 'peek', dir: 'auto' }, cut(m.text, 200)),
      h('span', { class: m.problem ? 'problem' : 'note' }, words),
      button('Edit', () => this.acts?.edit(m.key)), button('Cancel', () => this.acts?.cancel(m.key)));
  }
}

customElements.define('candor-waiting', Waiting);
