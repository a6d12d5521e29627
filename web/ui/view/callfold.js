// <candor-fold>: three and more calls of one tool that ran side by side, in one row that opens to all of them. The
// first reason stands for them. Loaded with the first of them.

import { attribute, fill, h, loadStyles, partsIn, place, setText, show } from '../lib/dom.js';
import { about, cut, nearly, plural, size } from '../lib/format.js';
import { lane, sourceOf, together } from '../state/outline.js';
import { words } from './block.js';

/** @import { Axis, Call } from '../state/types.d.ts' */

await loadStyles('/ui/css/fold.css');

let count = 0;

export class CallFold extends HTMLElement {
  #open = false;
  /** @type {Call[]} */
  #calls = [];
  /** @type {Record<string, HTMLElement>} */
  #parts = {};
  #rows = h('div', { class: 'folded', id: `folded-${count++}`, hidden: true });

  /** @param {Call[]} calls @param {HTMLElement[]} rows the rows of the calls */
  update(calls, rows) {
    if (!this.#parts.row) this.#build();
    this.#calls = calls;
    place(this.#rows, rows);
    const p = this.#parts, [first] = calls, from = sourceOf(first), n = calls.length - 1;
    const silent = calls.slice(1).filter((c) => sourceOf(c).ours).length;
    fill(p.why, ...words(from.ours ? from.lead : first.why || '…'));
    p.why.classList.toggle('ours', from.ours);
    setText(p.others, silent ? `${n} more, ${silent} without a reason` : `${plural(n, 'more reason', 'more reasons')}`);
    setText(p.tool, first.tool);
    setText(p.times, `×${calls.length}`);
    const objects = calls.map((c) => c.object).filter((o) => o);
    setText(p.object, cut(objects.map(lastPart).join(', '), 160));
    attribute(p.object, 'title', objects.join('\n'));
    this.tick(Date.now());
  }

  #build() {
    const part = partsIn(this.#parts);
    const controls = { 'aria-expanded': 'false', 'aria-controls': this.#rows.id };
    const toggle = { type: 'button', ...controls, click: () => this.toggle() };
    part('more', 'button', toggle).append(part('tool', 'code'), part('times', 'span'), part('object', 'span'));
    part('row', 'div', { class: 'row fold-row', click: (/** @type {Event} */ e) => {
      if (!(e.target instanceof Element && e.target.closest('.more'))) this.toggle();
    } }).append(
      h('div', { class: 'reason' }, part('why', 'p', { dir: 'auto' }), part('others', 'span')),
      h('div', { class: 'act' }, this.#parts.more), part('got', 'p'),
      h('div', { class: 'outcome-cell' }, part('outcome', 'span'), part('took', 'span')),
      part('lane', 'div', { class: 'lane many', 'aria-hidden': 'true' }));
    this.append(this.#parts.row, this.#rows);
    if (this.classList.contains('open')) this.toggle(true);
  }

  /** Opens or closes the row. @param {boolean} [open] */
  toggle(open = !this.#open) {
    this.#open = open;
    attribute(this.#parts.more, 'aria-expanded', String(open));
    this.classList.toggle('open', open);
    show(this.#rows, open);
  }

  /** @param {number} now the server's time */
  tick(now) {
    const p = this.#parts, n = this.#calls.length, left = this.#calls.filter((c) => c.outcome === 'pending').length;
    const good = this.#calls.every((c) => c.outcome === 'success'), axis = together(this.#calls, now);
    const bytes = this.#calls.reduce((n, c) => n + c.size, 0);
    attribute(this.#parts.row, 'data-outcome', left ? 'pending' : good ? 'success' : 'cancelled');
    setText(p.got, left ? `${n - left} of ${n} done` : bytes ? `${size(bytes)} total` : '');
    const sign = left ? '' : good ? '✓' : '–';
    fill(p.outcome, h('span', { class: 'sign', 'aria-hidden': 'true' }, sign),
      h('span', { class: 'word' }, left ? 'running' : good ? 'success' : 'cancelled'));
    setText(p.took, this.#calls.some((c) => c.took !== null) ? about(axis.wall, axis.near) : '');
    attribute(p.took, 'title', axis.near && nearly);
  }

  /** Draws a hairline for each call. @param {Axis} axis @param {number} now */
  drawLane(axis, now) {
    const shown = this.#calls.slice(0, 12), apart = Math.min(2.4, 13 / (shown.length - 1));
    this.tick(now);
    fill(this.#parts.lane, ...shown.flatMap((c, i) => {
      const at = lane(c, axis, now), el = h('i', { class: 'ran' });
      if (!at) return [];
      for (const [name, value] of [['--left', at.left], ['--width', at.width], ['--at', i * apart]]) {
        el.style.setProperty(String(name), String(value));
      }
      return [el];
    }));
  }
}

/** @param {string} object */
function lastPart(object) { return /^\S*\/[^\s/]+$/.test(object) ? object.slice(object.lastIndexOf('/') + 1) : object; }

customElements.define('candor-fold', CallFold);
