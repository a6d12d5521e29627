// <candor-timeline>: what ran when. A row for each time the model was asked, each call
// and each agent; what the turn had to wait for is marked.

import { attribute, fill, h, loadStyles, setText } from '../lib/dom.js';
import { span } from '../lib/format.js';
import { headline } from '../state/outline.js';
import { ticks, waterfall } from '../state/waterfall.js';

/** @import { Bar, Turn } from '../state/types.d.ts' */
/** @import { TimelineActs } from './types.d.ts' */

await loadStyles('/ui/css/ondemand.css');

export class Timeline extends HTMLElement {
  #head = h('div', { class: 'tl-head' });
  #title = h('h2', null);
  #scale = h('div', { class: 'tl-scale', 'aria-hidden': 'true' });
  #rows = h('ol', { class: 'tl-rows' });
  #none = h('p', { class: 'note' });
  #key = '';

  /** @param {Turn | undefined} t @param {number} now the server's time @param {TimelineActs} acts */
  update(t, now, acts) {
    if (!this.firstChild) this.#build(acts);
    setText(this.#none, t ? '' : 'No turn yet, so there is no time to show.');
    this.#head.hidden = this.#scale.hidden = this.#rows.hidden = !t;
    if (!t) return;
    const line = headline(t, now), { bars, length } = waterfall(t, now);
    setText(this.#title, `Turn ${t.number}: ${line.label === 'Reasoning' ? '' : line.label + ', '}${line.detail}`);
    const key = JSON.stringify([t.number, length, bars]);
    if (key === this.#key) return;
    this.#key = key;
    fill(this.#scale, ...ticks(length).map((x) => at(h('span', null, span(x)), x / length, 0)));
    const rows = bars.map((b) => row(b, length, () => acts.go(t.number, b.call)));
    const focused = [...this.#rows.children].findIndex((r) => r.contains(document.activeElement));
    fill(this.#rows, ...rows);
    rows[focused]?.querySelector('button')?.focus();
  }

  /** @param {TimelineActs} acts */
  #build(acts) {
    const step = (/** @type {number} */ by, /** @type {string} */ label, /** @type {string} */ sign) =>
      h('button', { type: 'button', class: 'quiet', 'aria-label': label, click: () => acts.step(by) }, sign);
    this.#head.append(step(-1, 'Turn before', '←'), this.#title, step(1, 'Next turn', '→'));
    this.append(this.#head, this.#scale, this.#rows, this.#none, h('p', { class: 'tl-legend' },
      h('i', { 'data-kind': 'model' }), 'model', h('i', { 'data-kind': 'tool' }), 'tool',
      h('i', { class: 'critical', 'data-kind': 'tool' }), 'what the turn waited for'));
  }
}

/** @param {Bar} b @param {number} length @param {() => void} go */
function row(b, length, go) {
  const outcome = b.outcome && b.outcome !== 'success' ? `, ${b.outcome}` : '';
  const more = outcome + (b.critical ? ', the turn waited for it' : '');
  const bar = h('i', { class: b.critical ? 'critical' : '', 'data-kind': b.kind, 'data-outcome': b.outcome });
  const track = h('span', { class: 'tl-track' }, at(bar, b.from / length, (b.to - b.from) / length));
  const props = { class: 'tl-row', title: b.why }, inner = [h('span', { class: 'tl-label' }, b.label), track,
    h('span', { class: 'tl-took' }, span(b.to - b.from)), more && h('span', { class: 'sr' }, more)];
  const line = b.call ? h('button', { ...props, type: 'button', click: go }, ...inner) : h('div', props, ...inner);
  const el = h('li', { 'data-call': b.call || null }, line);
  el.style.setProperty('--depth', String(Math.min(b.depth, 6)));
  attribute(el, 'class', `tl-${b.kind}`);
  return el;
}

/**
 * Places an element on the axis.
 * @template {HTMLElement} E @param {E} el @param {number} left @param {number} width shares of the axis
 */
function at(el, left, width) {
  el.style.setProperty('--left', String(left));
  el.style.setProperty('--width', String(width));
  return el;
}

customElements.define('candor-timeline', Timeline);
