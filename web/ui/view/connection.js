// <candor-link>: whether the page shows what happens now.

import { attribute, h, setText } from '../lib/dom.js';
import { counter, plural } from '../lib/format.js';

/** @import { Link } from '../state/types.d.ts' */

/** @param {Link} l */
function linkWords(l) {
  switch (l.state) {
    case 'live': return 'Live';
    case 'lost': return `Reconnecting… · last heard ${counter(Date.now() - l.heard)} ago`;
    case 'resumed': return `Resumed with ${plural(l.count, 'event')}`;
    case 'reset': return 'Reset and refetched';
    default: return 'Connecting…';
  }
}

export class ConnectionPill extends HTMLElement {
  #text = h('span');

  /** @param {Link} l */
  update(l) {
    if (this.firstElementChild !== this.#text) this.replaceChildren(this.#text);
    attribute(this, 'data-state', l.state);
    attribute(this, 'title', l.state === 'lost' && 'The page tries again; messages wait.');
    setText(this.#text, linkWords(l));
  }
}

customElements.define('candor-link', ConnectionPill);
