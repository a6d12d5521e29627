// <candor-begun>: says that a conversation or a job has begun elsewhere, or waits for a person there, and leads there.

import { attribute, fill, h, loadStyles, setText, show } from '../lib/dom.js';
import { cut } from '../lib/format.js';
import { say } from '../lib/toast.js';
import { waitingThreads } from '../state/lists.js';
import { formatRoute } from '../state/route.js';

/** @import { Arrival, State } from '../state/types.d.ts' */

await loadStyles('/ui/css/ondemand.css');

export class Begun extends HTMLElement {
  #id = ''; #name = ''; #words = h('span'); #way = h('a', { click: () => show(this, false) });

  /** @param {Arrival} a @param {State} s */
  show({ kind, id, title }, s) {
    this.#id = id;
    this.#name = cut(title, 60);
    attribute(this, 'role', 'region');
    attribute(this, 'aria-label', 'Begun elsewhere');
    attribute(this.#way, 'href', formatRoute({ [kind]: id }));
    setText(this.#words, '');
    fill(this, h('span', { class: 'peek', dir: 'auto' }, this.#name), this.#words, this.#way,
      h('button', { type: 'button', class: 'quiet', 'aria-label': 'Dismiss', click: () => show(this, false) }, '✕'));
    show(this, true);
    this.look(s);
  }

  /**
   * Says whether what began waits for a person, and hides once it is open.
   * @param {State} s
   */
  look(s) {
    if (s.active.id === this.#id) show(this, false);
    const asks = waitingThreads(s).some((t) => t.id === this.#id), words = asks ? 'waits for you' : 'has begun';
    if (this.hidden || this.#words.textContent === words) return;
    setText(this.#words, words);
    setText(this.#way, asks ? 'Answer' : 'Watch');
    say(`${this.#name} ${words}.`);
  }
}

customElements.define('candor-begun', Begun);
