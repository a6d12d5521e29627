// <candor-agent>: what a sub-agent did, below the call that handed it its task:
// what it was told, its own steps, what it came back with.

import { attribute, fill, h, show } from '../lib/dom.js';
import { firstLine, plural } from '../lib/format.js';

/** @typedef {import('../state/outline.js').Agent} Agent */

let count = 0;

export class SubAgent extends HTMLElement {
  /** Its steps are drawn in here. */
  body = h('div', { class: 'agent-steps' });
  #open = true;
  #button = h('button', { type: 'button', class: 'agent-head', click: () => this.toggle() });
  #task = h('p', { class: 'handoff', dir: 'auto' });
  #answer = h('p', { class: 'handoff', dir: 'auto' });
  #inner = h('div', { id: `agent-${count++}` });

  /** @param {Agent} a */
  update(a) {
    if (!this.firstChild) {
      attribute(this.#button, 'aria-controls', this.#inner.id);
      this.#inner.append(this.#task, this.body, this.#answer);
      this.append(this.#button, this.#inner);
    }
    attribute(this, 'data-agent', a.name);
    const n = a.steps.reduce((sum, s) => sum + s.batches.reduce((m, b) => m + b.nodes.length, 0), 0);
    const state = a.answer ? plural(n, 'tool') : `working, ${plural(n, 'tool')} so far`;
    fill(this.#button, h('b', null, a.name), h('span', { class: 'dim' }, state), h('span', { class: 'peek' }, this.#lastLine(a)));
    line(this.#task, 'in', `${a.task?.from || 'Agent'} → ${a.name}`, a.task?.text);
    line(this.#answer, 'out', `${a.name} → ${a.answer?.to || 'Agent'}`, a.answer?.text);
    this.#draw();
  }

  /** What it did last, for who keeps it closed. @param {Agent} a */
  #lastLine(a) {
    if (a.answer) return firstLine(a.answer.text, 90);
    const last = a.steps[a.steps.length - 1], calls = last?.batches.flatMap((b) => b.nodes) || [];
    if (calls.length) return `${calls[calls.length - 1].call.tool}: ${firstLine(calls[calls.length - 1].call.why, 80)}`;
    return firstLine(last?.said?.text || a.task?.text || '', 90);
  }

  /** @param {boolean} [open] */
  toggle(open = !this.#open) {
    this.#open = open;
    this.#draw();
  }

  #draw() {
    attribute(this.#button, 'aria-expanded', String(this.#open));
    show(this.#inner, this.#open);
  }
}

/** @param {HTMLElement} el @param {string} kind @param {string} who @param {string} [text] */
function line(el, kind, who, text) {
  show(el, !!text);
  if (!text) return;
  attribute(el, 'data-way', kind);
  if (el.dataset.text === text) return;
  el.dataset.text = text;
  fill(el, h('span', { class: 'who' }, who), text);
}

customElements.define('candor-agent', SubAgent);
