// Two turns side by side: aligned calls, changed reasons, changed parameters.

import { diffCalls, diffWords } from '../state/diff.js';
import { attribute, h, loadStyles } from '../lib/dom.js';
import { plural, span } from '../lib/format.js';
import { headline, outcomeOf } from '../state/outline.js';

await loadStyles('/ui/css/ondemand.css');

/** @import { Call, Delta, Turn } from '../state/types.d.ts' */

/** @param {Turn} a @param {Turn} b @param {number} now */
export function diffView(a, b, now) {
  const deltas = diffCalls(a.calls, b.calls);
  const input = compared(a.input || '', b.input || ''), answer = compared(a.response, b.response);
  return h('candor-diff', { tabindex: '0', role: 'region', 'aria-label': 'Comparison', 'data-left': a.number, 'data-right': b.number },
    h('p', { class: 'diff-sum' }, summary(deltas)),
    sided(a.number, b.number, h('table', null,
      h('thead', null, h('tr', null, ...[a, b].map((t) => h('th', { scope: 'col' }, `Turn ${t.number}`, h('span', { class: 'dim' }, headline(t, now).detail))))),
      h('tbody', null,
        pair('asked', runs(input.left), runs(input.right)),
        ...deltas.map(row),
        pair('answered', runs(answer.left), runs(answer.right))))));
}

/** Where there is no room for two columns each cell says whose it is. @param {number} left @param {number} right @param {HTMLElement} table */
function sided(left, right, table) {
  for (const tr of table.querySelectorAll('tbody tr')) {
    attribute(/** @type {HTMLElement} */(tr.children[0]), 'data-side', `Turn ${left}`);
    attribute(/** @type {HTMLElement} */(tr.children[1]), 'data-side', `Turn ${right}`);
  }
  return table;
}

/** Marks are of use where most is the same. @param {string} a @param {string} b */
function compared(a, b) {
  const { left, right } = diffWords(a, b), length = (/** @type {typeof left} */ all) => all.reduce((n, r) => n + r.text.length, 0);
  const few = length(left.filter((r) => r.same)) * 4 < Math.max(a.length, b.length) * 3;
  return few ? { left: [{ same: true, text: a }], right: [{ same: true, text: b }] } : { left, right };
}

/** @param {Delta[]} all */
function summary(all) {
  const n = (/** @type {string} */ kind) => all.filter((d) => d.kind === kind).length;
  if (!all.length) return 'Neither turn called a tool.';
  if (n('same') === all.length) return 'Both turns made the same calls, for the same reasons.';
  return [['same', 'the same'], ['changed', 'changed'], ['removed', 'only on the left'], ['added', 'only on the right']]
    .filter(([kind]) => n(kind)).map(([kind, words]) => `${plural(n(kind), 'call')} ${words}`).join(', ');
}

/** @param {string} kind @param {Node} left @param {Node} right */
function pair(kind, left, right) { return h('tr', { 'data-kind': kind }, h('td', null, left), h('td', null, right)); }

/** @param {Delta} d */
function row(d) {
  const words = d.left && d.right && d.why ? compared(d.left.why, d.right.why) : null;
  const side = (/** @type {Call | null} */ c, /** @type {'left' | 'right'} */ which) => c ? h('div', null,
    h('p', { class: 'diff-head' }, h('code', null, c.tool), h('span', { class: d.outcome ? 'mark-change' : 'dim' }, outcomeOf(c).text),
      c.took !== null && h('span', { class: 'dim' }, span(c.took), which === 'right' && d.took ? ` (${d.took > 0 ? '+' : '−'}${span(Math.abs(d.took))})` : '')),
    h('p', { class: 'why' }, words ? runs(words[which]) : c.why), params(d, which)) : h('p', { class: 'note' }, 'not called here');
  return pair(d.kind, side(d.left, 'left'), side(d.right, 'right'));
}

/** @param {Delta} d @param {'left' | 'right'} which */
function params(d, which) {
  if (!d.params.length) return d.kind === 'same' ? h('p', { class: 'dim' }, 'the same') : null;
  return h('dl', { class: 'diff-params' }, ...d.params.flatMap((p) => [h('dt', null, p.key || 'parameters'), h('dd', { class: 'mark-change' }, p[which] ?? '—')]));
}

/** @param {{ same: boolean, text: string }[]} all */
function runs(all) { return h('span', { class: 'runs', dir: 'auto' }, ...all.map((r) => r.same ? r.text : h('mark', null, r.text))); }
