// What a turn shows that is the run of a workflow.

import { fill, h, setText, show } from '../lib/dom.js';
import { formatRoute } from '../state/route.js';

/** @import { Turn } from '../state/types.d.ts' */

/**
 * Says that the turn is a replay, with a link to the turn that it repeats, or whose run it is. A run of the chat is a
 * turn like any other.
 * @param {HTMLElement} el @param {Turn} t
 */
export function drawRun(el, t) {
  const of = t.replayOf;
  show(el, !!of || !['', 'chat'].includes(t.workflow));
  if (!of) return setText(el, `a run of ${t.workflow}`);
  const link = h('a', { href: formatRoute({ thread: of.thread, turn: of.turn }) }, `turn ${of.turn}`);
  fill(el, 'a replay of ', link, ': nothing was asked and no tool ran again');
}
