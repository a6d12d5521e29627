// Two turns side by side: what was asked, each call with its reason, what was answered. Changed words are marked, and
// calls that are the same in both take one line.

import { chips, words } from './block.js';
import { blocks } from './details.js';
import { compareTexts, diffCalls, runsOf, signed, sums, unitOf } from '../state/diff.js';
import { attribute, h, html, loadStyles } from '../lib/dom.js';
import { cut, plural } from '../lib/format.js';
import { openDialog } from '../lib/dialog.js';
import { gotOf, outcomeOf, sourceOf } from '../state/outline.js';
import { failureOf } from '../state/summary.js';
import { readable } from '../state/content.js';

/** @import { Call, Delta, Side, Stretch, Sum, Turn } from '../state/types.d.ts' */

await Promise.all(['ondemand', 'closer'].map((name) => loadStyles(`/ui/css/${name}.css`)));

/** How much of a changed parameter is shown. */
const maxParam = 4000;

/** What stands between two sides, and what it says. */
const signs = { same: ['=', 'the same'], changed: ['≠', 'changed'], removed: ['−', 'only on one side'],
  added: ['+', 'only on one side'] };

/**
 * Opens a dialog with two turns.
 * @param {Side} left @param {Side} right @param {number} now
 */
export function openDiff(left, right, now) {
  const title = `Turn ${left.turn.number} and turn ${right.turn.number}`;
  openDialog(title, diffView(left, right, now)).classList.add('wide');
}

/** @param {Side} left @param {Side} right @param {number} now */
function diffView(left, right, now) {
  const pairs = new Pairs(left, right), a = left.turn, b = right.turn, deltas = diffCalls(a.calls, b.calls);
  /** @type {HTMLElement} */
  const filter = h('button', { type: 'button', 'aria-pressed': 'false', click: () => {
    attribute(filter, 'aria-pressed', String(view.classList.toggle('only')));
  } }, 'Only what differs');
  const view = h('candor-diff', {
    tabindex: '0', role: 'region', 'aria-label': 'Comparison', 'data-left': a.number, 'data-right': b.number,
  }, h('div', { class: 'deltas' }, h('p', null, ...sums(a, b, now).map(sum)), filter),
  pairs.asked(), h('p', { class: 'note' }, summary(deltas)),
  ...runsOf(deltas).map((run) => run[0].kind === 'same' ? sameLine(run) : pairs.call(run[0])), pairs.answered());
  return view;
}

/** @param {Sum} s */
function sum({ name, left, right, change, bad }) {
  return h('span', null, `${name} `, h('b', { class: bad && 'bad' }, `${left} → ${right}`), change && `, ${change}`);
}

/** @param {Delta[]} all */
function summary(all) {
  const n = (/** @type {string} */ kind) => all.filter((d) => d.kind === kind).length;
  if (!all.length) return 'Neither turn called a tool.';
  if (n('same') === all.length) return 'Both turns made the same calls, for the same reasons.';
  return [['same', 'the same'], ['changed', 'changed'], ['removed', 'only in A'], ['added', 'only in B']]
    .filter(([kind]) => n(kind)).map(([kind, said]) => `${plural(n(kind), 'call')} ${said}`).join(', ');
}

/** @param {Delta[]} run */
function sameLine(run) {
  /** @type {{ tool: string, object: string, count: number }[]} */
  const all = [];
  for (const { left } of run) {
    const last = all[all.length - 1];
    if (left && last?.tool === left.tool) Object.assign(last, { count: last.count + 1, object: '' });
    else if (left) all.push({ tool: left.tool, object: left.object, count: 1 });
  }
  return h('p', { class: 'same', 'data-kind': 'same' }, h('span', null, 'the same in both'), h('span', { class: 'm' },
    ...all.flatMap(({ tool, object, count }, i) => [i > 0 && ' · ', h('b', null, tool), ' ',
      h('bdi', null, count > 1 ? `×${count}` : cut(object, 80))])));
}

/** The pairs of a comparison; each cell says whose it is. */
class Pairs {
  /** @param {Side} left @param {Side} right */
  constructor(left, right) {
    this.left = left;
    this.right = right;
  }

  /**
   * @param {keyof typeof signs} kind @param {string} about @param {(Node | string | false | null)[]} left
   * @param {(Node | string | false | null)[]} right
   */
  #pair(kind, about, left, right) {
    const cell = (/** @type {string} */ name, /** @type {Side} */ side, /** @type {typeof left} */ content) =>
      h('div', { class: 'cell' }, h('span', { class: 'side' }, `${name} · ${side.name}`), ...content);
    const [sign, said] = signs[kind];
    return h('section', { class: 'pair', role: 'group', 'data-kind': kind, 'aria-label': `${about}: ${said}` },
      cell('A', this.left, left), h('span', { class: 'mid', 'aria-hidden': 'true' }, sign),
      cell('B', this.right, right));
  }

  asked() {
    const a = this.left.turn.input || '', b = this.right.turn.input || '', both = compareTexts(a, b);
    const alike = both.left.some((r) => r.same);
    const cell = (/** @type {Side} */ side, /** @type {string} */ text, /** @type {Stretch[]} */ runs,
      /** @type {'del' | 'ins'} */ tag) => [side.about && h('span', { class: 'about' }, ` · ${side.about}`),
      h('p', { class: 'user' }, alike ? marks(runs, tag) : h('span', { dir: 'auto' }, ...words(text)))];
    const el = this.#pair(a === b ? 'same' : 'changed', 'The message', cell(this.left, a, both.left, 'del'),
      cell(this.right, b, both.right, 'ins'));
    el.classList.add('top');
    return el;
  }

  /** @param {Delta} d */
  call(d) {
    const { left, right } = d;
    const why = compareTexts(left ? said(left) : '', right ? said(right) : '');
    const object = compareTexts(left?.object || '', right?.object || '');
    const cell = (/** @type {Call | null} */ c, /** @type {'left' | 'right'} */ which) => {
      const name = which === 'left' ? 'A' : 'B', both = !!left && !!right;
      if (!c) return [h('p', { class: 'nil' }, `not called in ${name}`)];
      return [!both && h('p', { class: 'only-in' }, `only in ${name}`),
        reason(c, both && d.why ? why[which] : null, which),
        h('p', { class: 'act' }, h('b', null, c.tool), ' ',
          h('span', { class: 'object' }, both ? marks(object[which], tagOf(which)) : c.object)),
        outcome(c, which === 'right' ? d.took : null), ...(both ? changed(d, which) : whole(c))];
    };
    return this.#pair(d.kind, (left || right)?.tool || '', cell(left, 'left'), cell(right, 'right'));
  }

  answered() {
    const els = [this.left.turn, this.right.turn].map(answer), [a, b] = els.map((el) => el.textContent || '');
    const both = compareTexts(a, b);
    if (a !== b && both.left.some((r) => r.same)) { // else nothing is shared, and all of it would be marked
      markIn(els[0], both.left, 'del');
      markIn(els[1], both.right, 'ins');
    }
    for (const el of els) chips(el);
    return this.#pair(a === b ? 'same' : 'changed', 'The answer', [els[0]], [els[1]]);
  }
}

/** @param {'left' | 'right'} which */
function tagOf(which) { return which === 'left' ? 'del' : 'ins'; }

/**
 * Returns the reason in the model's words, if it gave one.
 * @param {Call} c
 */
function said(c) { return sourceOf(c).ours ? '' : c.why; }

/** @param {Call} c @param {Stretch[] | null} runs @param {'left' | 'right'} which */
function reason(c, runs, which) {
  const from = sourceOf(c);
  return h('p', { class: from.ours ? 'why ours' : 'why', title: from.ours && c.why, dir: 'auto' },
    from.ours ? from.lead : runs ? marks(runs, tagOf(which)) : h('span', null, ...words(c.why)));
}

/**
 * Says what came of a call and how long it took.
 * @param {Call} c @param {number | null} took how much longer than the other
 */
function outcome(c, took) {
  const { sign, text } = outcomeOf(c), bad = c.outcome === 'error' || c.outcome === 'rejected', got = gotOf(c);
  const unit = unitOf(c.took || 0, Math.abs(took || 0)), change = took ? ` (${signed(took, unit)})` : '';
  return h('p', { class: bad ? 'came bad' : 'came' }, `${sign || '→'} `, c.outcome !== 'success' && `${text} `,
    h('bdi', null, ...words(got)), c.took !== null && h('span', { class: 'dim' }, ` · ${unit(c.took)}${change}`));
}

/**
 * Shows the parameters of a call that the other side does not have, but for those that its line has already.
 * @param {Call} c
 */
function whole(c) {
  if (c.params === undefined || c.params === null || JSON.stringify(c.params) === '{}') return [];
  const { pairs, blocks: long } = readable(c.params, 'parameters');
  const others = pairs.filter(({ text }) => !c.object.includes(text));
  return blocks({ pairs: others, blocks: long }, c.tool).filter((b) => b instanceof Node);
}

/**
 * Shows the parameters that differ, but for one that the line of the call has already.
 * @param {Delta} d @param {'left' | 'right'} which
 */
function changed(d, which) {
  const all = d.params.filter((p) => p.left !== d.left?.object || p.right !== d.right?.object);
  if (!all.length) return [];
  return [h('dl', { class: 'diff-params' }, ...all.flatMap((p) => {
    const both = compareTexts(cut(p.left || '', maxParam), cut(p.right || '', maxParam));
    return [h('dt', null, p.key || 'parameters'),
      h('dd', null, p[which] === null ? '—' : marks(both[which], tagOf(which)))];
  }))];
}

/**
 * Builds what shows runs of words; one that fills its side has a mark in front instead of a line through it.
 * @param {Stretch[]} all @param {'del' | 'ins'} tag
 */
function marks(all, tag) {
  const whole = all.length === 1 && !all[0].same;
  return h('span', { class: 'runs', dir: 'auto' }, ...all.flatMap((r) =>
    r.same || !r.text.trim() ? words(r.text) : [h(tag, { class: whole && 'all' }, ...words(r.text))]));
}

/** @param {Turn} t */
function answer(t) {
  const el = h('div', { class: t.responseHtml ? 'answer prose' : 'answer plain', dir: 'auto' });
  if (t.responseHtml) html(el, t.responseHtml);
  else el.append(t.error ? h('span', { class: 'bad' }, failureOf(t)) : t.response || 'No answer.');
  return el;
}

/**
 * Marks the runs that differ within what is shown already, such as a rendered answer.
 * @param {HTMLElement} root @param {Stretch[]} all @param {'del' | 'ins'} tag
 */
function markIn(root, all, tag) {
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT), whole = all.length === 1 && !all[0].same;
  /** @type {Text[]} */
  const nodes = [];
  while (walker.nextNode()) nodes.push(/** @type {Text} */ (walker.currentNode));
  let at = 0, used = 0;
  for (const node of nodes) {
    const parts = [];
    for (let text = node.data; text && at < all.length;) {
      const part = text.slice(0, all[at].text.length - used);
      parts.push(all[at].same || !part.trim() ? part : h(tag, { class: whole && 'all' }, part));
      text = text.slice(part.length);
      used += part.length;
      if (used === all[at].text.length) [at, used] = [at + 1, 0];
    }
    node.replaceWith(...parts);
  }
}
