// Two turns side by side: aligned calls, changed reasons, changed parameters.

import { diffCalls, diffWords } from '../state/diff.js';
import { attribute, h, loadStyles } from '../lib/dom.js';
import { plural, span } from '../lib/format.js';
import { openDialog } from '../lib/dialog.js';
import { headline, outcomeOf, sourceOf } from '../state/outline.js';

/** @import { Call, Delta, Stretch, Turn } from '../state/types.d.ts' */

await loadStyles('/ui/css/ondemand.css');

/**
 * Opens a dialog with two turns, the earlier one on the left.
 * @param {Turn} a @param {Turn} b @param {number} now
 */
export function openDiff(a, b, now) {
  openDialog(`Turn ${a.number} and turn ${b.number}`, diffView(a, b, now)).classList.add('wide');
}

/** @param {Turn} a @param {Turn} b @param {number} now */
function diffView(a, b, now) {
  const deltas = diffCalls(a.calls, b.calls);
  const input = compared(a.input || '', b.input || ''), answer = compared(a.response, b.response);
  const rows = [pair('asked', runs(input.left), runs(input.right)), ...deltas.map(row),
    pair('answered', runs(answer.left), runs(answer.right))];
  // Where there is no room for two columns, each cell says whose it is.
  for (const { children: [left, right] } of rows) {
    attribute(left, 'data-side', `Turn ${a.number}`);
    attribute(right, 'data-side', `Turn ${b.number}`);
  }
  const heads = [a, b].map((t) =>
    h('th', { scope: 'col' }, `Turn ${t.number}`, h('span', { class: 'dim' }, headline(t, now).detail)));
  return h('candor-diff', {
    tabindex: '0', role: 'region', 'aria-label': 'Comparison', 'data-left': a.number, 'data-right': b.number,
  }, h('p', { class: 'diff-sum' }, summary(deltas)),
  h('table', null, h('thead', null, h('tr', null, ...heads)), h('tbody', null, ...rows)));
}

/**
 * Compares two texts by words. Marks help only where most is the same.
 * @param {string} a @param {string} b
 */
function compared(a, b) {
  const { left, right } = diffWords(a, b);
  const same = left.reduce((n, r) => n + (r.same ? r.text.length : 0), 0);
  if (same * 4 >= Math.max(a.length, b.length) * 3) return { left, right };
  return { left: [{ same: true, text: a }], right: [{ same: true, text: b }] };
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
  const side = (/** @type {Call | null} */ c, /** @type {'left' | 'right'} */ which) => {
    if (!c) return h('p', { class: 'note' }, 'not called here');
    const change = which === 'right' && d.took ? ` (${d.took > 0 ? '+' : '−'}${span(Math.abs(d.took))})` : '';
    const bad = c.outcome === 'error' || c.outcome === 'rejected', from = sourceOf(c);
    const outcome = h('span', { class: bad ? 'bad' : d.outcome ? 'mark-change' : 'dim' }, outcomeOf(c).text);
    const took = c.took !== null && h('span', { class: 'dim' }, span(c.took), change);
    const head = h('p', { class: 'diff-head' }, h('code', null, h('b', null, c.tool), ' ', c.object), outcome, took);
    return h('div', null, head,
      h('p', { class: from.ours ? 'why ours' : 'why', title: from.ours && c.why },
        from.ours ? from.lead : words ? runs(words[which]) : c.why), params(d, which));
  };
  return pair(d.kind, side(d.left, 'left'), side(d.right, 'right'));
}

/** @param {Delta} d @param {'left' | 'right'} which */
function params(d, which) {
  if (!d.params.length) return d.kind === 'same' ? h('p', { class: 'dim' }, 'the same') : null;
  return h('dl', { class: 'diff-params' }, ...d.params.flatMap((p) =>
    [h('dt', null, p.key || 'parameters'), h('dd', { class: 'mark-change' }, p[which] ?? '—')]));
}

/** @param {Stretch[]} all */
function runs(all) {
  return h('span', { class: 'runs', dir: 'auto' }, ...all.map((r) => r.same ? r.text : h('mark', null, r.text)));
}
