// <candor-agent>: what a sub-agent did, below the call that started it: its task, its
// own steps, and its answer.

import { attribute, fill, h, loadStyles, show } from '../lib/dom.js';
import { firstLine, plural } from '../lib/format.js';
import { nameOf } from '../state/agents.js';

/** @import { Agent } from '../state/types.d.ts' */

await loadStyles('/ui/css/ondemand.css');

let count = 0;

export class SubAgent extends HTMLElement {
  /** The element that holds its steps. */
  body = h('div', { class: 'agent-steps' });
  #open = true;
  #button = h('button', { type: 'button', class: 'agent-head', click: () => this.#toggle() });
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
    const tools = plural(callsOf(a).length, 'tool'), state = a.answer || a.over ? tools : `working, ${tools} so far`;
    const name = nameOf(a.handoffs, a.name), caller = nameOf(a.handoffs, a.task.from), { model, effort } = a.task;
    const facts = [model, effort && `effort ${effort}`, state].filter(Boolean).join(' · ');
    fill(this.#button, h('b', { dir: 'auto' }, name), h('span', { class: 'dim' }, facts),
      h('span', { class: 'peek' }, peek(a)));
    setHandoff(this.#task, 'in', `${caller} → ${name}`, a.task.text);
    setHandoff(this.#answer, 'out', `${name} → ${caller}`, a.answer?.text);
    this.#draw();
  }

  #toggle() {
    this.#open = !this.#open;
    this.#draw();
  }

  #draw() {
    attribute(this.#button, 'aria-expanded', String(this.#open));
    show(this.#inner, this.#open);
  }
}

/** @param {Agent} a */
function callsOf(a) { return a.steps.flatMap((s) => s.batches).flatMap((b) => b.nodes).map((n) => n.call); }

/**
 * Returns a line for what the agent did last, which stands for its steps.
 * @param {Agent} a
 */
function peek(a) {
  if (a.answer?.text) return firstLine(a.answer.text, 90);
  const step = a.steps.at(-1), call = step?.batches.at(-1)?.nodes.at(-1)?.call;
  return call ? `${call.tool}: ${firstLine(call.why, 80)}` : firstLine(step?.said?.text || a.task.text, 90);
}

/** @param {HTMLElement} el @param {string} way @param {string} who @param {string} [text] */
function setHandoff(el, way, who, text) {
  show(el, !!text);
  if (!text || el.dataset.text === text) return;
  attribute(el, 'data-way', way);
  el.dataset.text = text;
  fill(el, h('span', { class: 'who' }, who), text);
}

customElements.define('candor-agent', SubAgent);
