// The question whether a call may run, with everything there is to judge it by. It is
// loaded with the first question, since most servers ask none.

import { fill, h, loadStyles } from '../lib/dom.js';
import { pretty } from '../lib/format.js';

/** @import { Call, Request } from '../state/types.d.ts' */

await loadStyles('/ui/css/ondemand.css');

/**
 * Fills an element with the question. Its buttons are disabled while answer runs.
 * @param {HTMLElement} el @param {Call} c @param {Request} q @param {(action: string) => Promise<void>} answer
 */
export function fillAsk(el, c, q, answer) {
  const click = async (/** @type {string} */ action) => {
    for (const b of el.querySelectorAll('button')) b.disabled = true;
    await answer(action);
    for (const b of el.querySelectorAll('button')) b.disabled = false;
  };
  const button = (/** @type {string} */ action, /** @type {string} */ label) => h('button', {
    type: 'button', class: action === 'approve' ? 'primary' : '', 'data-action': action,
    'aria-label': `${label}: ${c.tool}`, click: () => click(action),
  }, label);
  fill(el,
    h('p', { class: 'ask-line' }, h('strong', null, 'May it run?'), ' ', h('span', { dir: 'auto' }, q.description)),
    h('pre', { tabindex: '0', 'aria-label': `Parameters of ${c.tool}` }, pretty(c.params)),
    h('div', { class: 'ask-buttons' },
      button('approve', 'Approve'), q.always && button('always', 'Always allow'), button('deny', 'Deny')));
}
