// What begins elsewhere while the page is open: on an empty page the first of it opens by itself; beside anything else
// a line says that it has begun, and leads to it.

import { $ } from './lib/dom.js';
import { arrivals, knownIds } from './state/arrivals.js';
import { formatRoute } from './state/route.js';

/** @import { State } from './state/types.d.ts' */
/** @import { Context } from './types.d.ts' */

export class Arrivals {
  /** @type {Set<string> | null} */
  #known = null;

  /** @param {Context} context */
  constructor(context) { this.context = context; }

  /** @param {State} s */
  look(s) {
    const known = this.#known ||= knownIds(s), { composer } = this.context;
    if (!known || composer.sends) return; // what is sent here may begin a conversation
    known.add(s.active.id); // what was begun here is no news
    const all = arrivals(s, known), [latest] = all;
    for (const one of all) known.add(one.id);
    if (customElements.get('candor-begun')) $('begun').look(s);
    if (!latest) return;
    const idle = s.active.kind === 'new' && composer.empty && $('results').hidden;
    if (idle && latest.first) location.hash = formatRoute({ [latest.kind]: latest.id });
    else import('./view/begun.js').then(() => $('begun').show(latest, this.context.store.state));
  }
}
