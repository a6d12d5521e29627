// How sure the agent was of a call, and what the call decides if it is a decision. Loaded with the first of them.

import { attribute, fill, h, loadStyles, setText } from '../lib/dom.js';
import { cut } from '../lib/format.js';
import { decided, sureness } from '../state/sureness.js';

/** @import { Call } from '../state/types.d.ts' */

loadStyles('/ui/css/ondemand.css');

/**
 * Draws both.
 * @param {Call} c @param {HTMLElement} sure @param {HTMLElement} el what is decided
 */
export function draw(c, sure, el) {
  const said = sureness(c);
  setText(sure, said?.text || '');
  attribute(sure, 'title', said?.title);
  attribute(sure, 'data-low', !!said?.low);
  if (!c.decides) return;
  const { verb, what } = decided(c), instead = c.outcome === 'success' && !!c.said;
  // The question below has the whole of it.
  fill(el, h('strong', null, verb), h('bdi', null, c.request ? cut(what, 160) : what),
    instead && h('span', { class: 'instead' }, 'The agent would have decided: ', h('bdi', null, c.decision)));
}
