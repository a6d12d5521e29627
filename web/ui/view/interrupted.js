// What is said of a turn that a restart of the server interrupted. Loaded with the first of them.

import { fill, h, loadStyles } from '../lib/dom.js';
import { plural } from '../lib/format.js';

/** @import { Turn } from '../state/types.d.ts' */
/** @import { TurnContext } from './types.d.ts' */

await loadStyles('/ui/css/ondemand.css');

/**
 * Says when the turn was last heard of and what may have come of its calls, and offers its message again.
 * @param {HTMLElement} el @param {Turn} t @param {TurnContext | null} context
 */
export function draw(el, t, context) {
  const ran = t.calls.filter((c) => c.approval !== 'withdrawn'), open = ran.filter((c) => c.outcome === 'cancelled');
  const tools = [...new Set(open.map((c) => c.tool))].join(', '), n = ran.length, done = n - open.length;
  const unsure = ['; whether ', h('code', null, tools), ' finished is not known. Look before you run it again.'];
  fill(el, h('div', { class: 'endbox' }, h('p', null, h('b', null, 'Interrupted: the server restarted')),
    h('p', null, `Last heard at ${new Date(t.endedAt).toLocaleTimeString()}.`,
      n > 0 && ` ${done} of ${plural(n, 'call')} had ended`, ...open.length ? unsure : [n > 0 && '.']),
    t.input && h('p', null,
      h('button', { type: 'button', class: 'primary', click: () => context?.again(t.input || '') }, 'Try again'),
      h('span', { class: 'note' }, 'puts the same message into the field'))));
}
