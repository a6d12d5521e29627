// <candor-begun>: says that a conversation or a job has begun elsewhere, and leads there.

import { attribute, fill, h, loadStyles, show } from '../lib/dom.js';
import { cut } from '../lib/format.js';
import { say } from '../lib/toast.js';
import { formatRoute } from '../state/route.js';

/** @import { Arrival } from '../state/types.d.ts' */

await loadStyles('/ui/css/ondemand.css');

export class Begun extends HTMLElement {
  #id = '';

  /** @param {Arrival} a */
  show({ kind, id, title }) {
    this.#id = id;
    attribute(this, 'role', 'region');
    attribute(this, 'aria-label', 'Begun elsewhere');
    const close = () => this.drop(id), name = cut(title, 60);
    fill(this, h('span', { class: 'peek', dir: 'auto' }, name), h('span', null, 'has begun'),
      h('a', { href: formatRoute({ [kind]: id }), click: close }, 'Watch'),
      h('button', { type: 'button', class: 'quiet', 'aria-label': 'Dismiss', click: close }, '✕'));
    show(this, true);
    say(`${name} has begun.`);
  }

  /**
   * Hides what is said of a conversation or a job.
   * @param {string} id
   */
  drop(id) { if (id === this.#id) show(this, false); }
}

customElements.define('candor-begun', Begun);
