// The question to a person about a call: why it is asked, what the call would do, and the answers.

import { attribute, h, setText } from '../lib/dom.js';
import { plural, pretty } from '../lib/format.js';
import { whyAsked } from '../state/confidence.js';

/** @import { Call, Request } from '../state/types.d.ts' */

/** The longest decision that a person can write, in characters. */
const maxValue = 2000;

/**
 * Builds the parts of the question. Where the call is a decision, the person can write another one.
 * @param {Call} c @param {Request} q @param {(action: string, value?: string) => void} answer
 */
export function question(c, q, answer) {
  const why = whyAsked(c), another = c.decides ? field() : null, value = () => another?.value.trim() || undefined;
  const button = (/** @type {string} */ action, /** @type {string} */ label) => h('button', {
    type: 'button', class: action === 'approve' ? 'primary' : '', 'data-action': action,
    'aria-label': `${label}: ${c.tool}`, click: () => answer(action, action === 'approve' ? value() : undefined),
  }, label);
  const approve = button('approve', 'Approve');
  another?.addEventListener('input', () => {
    const label = value() ? 'Decide this instead' : 'Approve';
    setText(approve, label);
    attribute(approve, 'aria-label', `${label}: ${c.tool}`);
  });
  return [
    why && h('p', { class: 'ask-why' }, why),
    h('p', { class: 'ask-line' }, h('strong', null, c.decides ? 'Is it decided so?' : 'May it run?'), ' ',
      h('span', { dir: 'auto' }, q.description)),
    h('pre', { tabindex: '0', 'aria-label': `Parameters of ${c.tool}` }, pretty(q.params)),
    q.hidden > 0 && h('p', { class: 'hidden-count' }, hiddenCount(q.hidden)),
    another && h('label', { class: 'another' }, 'Another decision, if it is to be another', another),
    h('div', { class: 'ask-buttons' }, approve, q.always && button('always', 'Always allow'), button('deny', 'Deny')),
  ];
}

function field() {
  return h('textarea', { rows: '2', maxlength: maxValue, dir: 'auto' });
}

/** @param {number} n */
function hiddenCount(n) {
  return `${plural(n, 'character')} ${n === 1 ? 'is' : 'are'} hidden from you: a secret that nothing here acts on.`;
}
