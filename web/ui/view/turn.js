// <candor-turn>: what the user said, why the agent did what it did, and what it
// answered. Only what changed is drawn again.

import './agent.js';
import './decision.js';
import { attribute, fill, h, html, keepFocus, place, setText, show } from '../lib/dom.js';
import { clock, finding, firstLine, span } from '../lib/format.js';
import { headline, outline, silence, together } from '../state/outline.js';

/** @import { Call, Said, Turn } from '../state/types.d.ts' */

/** @typedef {import('../state/outline.js').Step} Step */
/** @typedef {import('./decision.js').Decision} Decision @typedef {import('./agent.js').SubAgent} SubAgent */
/**
 * What surrounds a turn.
 * @typedef {{ now: number, open: boolean, href: string, toggle(open: boolean): void, menu(button: HTMLElement): void, acts: import('./decision.js').Acts }} Around
 */

export class TurnView extends HTMLElement {
  /** @type {Turn | null} */
  turn = null;
  #open = false;
  #shape = '';
  #parts = /** @type {Record<string, HTMLElement>} */ ({});
  /** @type {Map<string, Decision>} */
  #decisions = new Map();
  /** @type {Map<string, SubAgent>} */
  #agents = new Map();
  /** agent and step → what shows it @type {Map<string, { el: HTMLElement, shape: string, batches: { head: HTMLElement, calls: string[] }[] }>} */
  #drawn = new Map();
  /** @type {Around | null} */
  #around = null;

  /** @param {Turn} t @param {Around} around */
  update(t, around) {
    this.#around = around;
    if (!this.firstChild) this.#build(t);
    if (t !== this.turn) this.#draw(t, around);
    if (t !== this.turn || around.open !== this.#open) this.#drawOpen(t, around);
    this.turn = t;
    this.tick(around.now);
  }

  /** @param {Turn} t */
  #build(t) {
    const id = `turn-${t.number}`;
    const part = (/** @type {string} */ name, /** @type {string} */ tag, /** @type {Record<string, any>} */ props = {}) =>
      this.#parts[name] = h(tag, { class: name, ...props });
    attribute(this, 'id', id);
    attribute(this, 'role', 'article');
    attribute(this, 'tabindex', '-1');
    attribute(this, 'data-turn', t.number);
    attribute(this, 'aria-labelledby', `${id}-title`);
    this.append(
      h('div', { class: 'margin' }, part('number', 'a', { 'aria-label': `Link to turn ${t.number}` }), part('time', 'time')),
      h('header', { class: 'asked' },
        h('h2', { class: 'sr', id: `${id}-title` }, `Turn ${t.number}`),
        part('user', 'p', { dir: 'auto' }), part('masked', 'p'),
        h('button', { type: 'button', class: 'dots', 'aria-label': `Copy, export or compare turn ${t.number}`, click: (/** @type {Event} */ e) => this.#around?.menu(/** @type {HTMLElement} */(e.currentTarget)) }, '⋯')),
      h('section', { class: 'reasoning', 'aria-label': `Reasoning of turn ${t.number}` },
        h('h3', null, part('headline', 'button', { type: 'button', 'aria-controls': `${id}-reasoning`, click: () => this.toggle() })),
        part('body', 'div', { id: `${id}-reasoning`, hidden: true })),
      part('answer', 'div', { dir: 'auto' }));
    this.#parts.label = h('span', { class: 'label' });
    this.#parts.detail = h('span', { class: 'detail' });
    this.#parts.peek = h('span', { class: 'peek' });
    this.#parts.headline.append(this.#parts.label, this.#parts.detail, this.#parts.peek);
  }

  /** @param {boolean} [open] */
  toggle(open = !this.#open) { this.#around?.toggle(open); }
  get open() { return this.#open; }
  get decisions() { return [...this.querySelectorAll('candor-decision')].map((d) => /** @type {Decision} */(d)); }

  /** @param {Turn} t @param {Around} around */
  #draw(t, around) {
    const p = this.#parts;
    attribute(this, 'data-state', t.state);
    setText(p.number, String(t.number));
    attribute(p.number, 'href', around.href);
    const at = t.createdAt || t.startedAt;
    setText(p.time, at ? clock(at, around.now) : '');
    if (at) { attribute(p.time, 'datetime', new Date(at).toISOString()); attribute(p.time, 'title', new Date(at).toLocaleString()); }
    setText(p.user, t.input ?? '…');
    setText(p.masked, t.redactions.length ? `redacted in this turn: ${t.redactions.map(finding).join(', ')}` : '');
    setText(p.peek, peek(t));
    this.#drawAnswer(t);
  }

  /** @param {Turn} t */
  #drawAnswer(t) {
    const el = this.#parts.answer, old = this.turn;
    if (old && old.state === t.state && old.response === t.response && old.responseHtml === t.responseHtml && old.error === t.error) return;
    el.className = 'answer';
    if (t.responseHtml) { el.classList.add('prose'); return html(el, t.responseHtml); }
    if (t.response) { el.classList.add('plain'); return setText(el, t.response); }
    if (t.state === 'failed') return fill(el, h('p', { class: 'failed' }, h('strong', null, 'The turn failed. '), t.error || 'The server gave no reason.'));
    if (t.state === 'interrupted') return fill(el, h('p', { class: 'note' }, 'Stopped before there was an answer.'));
    if (t.state === 'completed') return fill(el, h('p', { class: 'note' }, 'It ended without an answer.'));
    fill(el);
  }

  /** The reasons are only built while they are open. @param {Turn} t @param {Around} around */
  #drawOpen(t, around) {
    this.#open = around.open;
    attribute(this.#parts.headline, 'aria-expanded', String(this.#open));
    show(this.#parts.body, this.#open);
    if (!this.#open) return;
    const steps = outline(t), shape = shapeOf(steps) + silence(t) + t.narrativeBlocked;
    if (shape !== this.#shape) keepFocus(() => this.#arrange(t, steps));
    this.#shape = shape;
    for (const c of t.calls) this.#decisions.get(c.id)?.update(c, around.acts);
    this.#updateAgents(steps);
  }

  /** Lays out what is new; steps that are as they were stay where they are. @param {Turn} t @param {Step[]} steps */
  #arrange(t, steps) {
    const note = (/** @type {string} */ text) => h('p', { class: 'note' }, text), quietly = silence(t), all = [];
    if (quietly) all.push(note(quietly));
    else if (t.narrativeBlocked) all.push(note('Part of what the model said here was withheld: it held something that may not be kept.'));
    place(this.#parts.body, [...all, ...this.#steps(t, steps, '')]);
  }

  /** @param {Turn} t @param {Step[]} steps @param {string} agent @returns {HTMLElement[]} */
  #steps(t, steps, agent) {
    return steps.map((s) => {
      const key = `${agent}/${s.step}`, shape = shapeOf([s]);
      const old = this.#drawn.get(key), el = old?.el || h('div', { class: 'step', 'data-step': s.step });
      if (old?.shape === shape) return el;
      const drawn = { el, shape, batches: /** @type {{ head: HTMLElement, calls: string[] }[]} */ ([]) };
      this.#drawn.set(key, drawn);
      place(el, [...(s.said ? [narrative(s.said)] : []), ...s.batches.map((b) => this.#batch(t, b, drawn.batches))]);
      return el;
    });
  }

  /** @param {Turn} t @param {import('../state/outline.js').Batch} b @param {{ head: HTMLElement, calls: string[] }[]} lanes those that share an axis */
  #batch(t, b, lanes) {
    const rows = b.nodes.map((n) => {
      const d = this.#decision(n.call.id);
      d.update(n.call, /** @type {Around} */(this.#around).acts);
      d.nest(n.sub ? this.#agent(t, n.call.id, n.sub) : null);
      return d;
    });
    if (b.nodes.length < 2) return h('div', { class: 'batch' }, ...rows);
    const head = h('p', { class: 'together' });
    lanes.push({ head, calls: b.nodes.map((n) => n.call.id) });
    return h('div', { class: 'batch parallel', role: 'group', 'aria-label': `${b.nodes.length} in parallel` }, head, ...rows);
  }

  /** @param {string} id */
  #decision(id) {
    let d = this.#decisions.get(id);
    if (!d) this.#decisions.set(id, d = /** @type {Decision} */ (document.createElement('candor-decision')));
    return d;
  }

  /** @param {Turn} t @param {string} id @param {import('../state/outline.js').Agent} a */
  #agent(t, id, a) {
    let el = this.#agents.get(id);
    if (!el) this.#agents.set(id, el = /** @type {SubAgent} */ (document.createElement('candor-agent')));
    el.update(a);
    place(el.body, this.#steps(t, a.steps, a.name));
    return el;
  }

  /** @param {Step[]} steps */
  #updateAgents(steps) {
    for (const s of steps) for (const b of s.batches) for (const n of b.nodes) {
      if (!n.sub) continue;
      this.#agents.get(n.call.id)?.update(n.sub);
      this.#updateAgents(n.sub.steps);
    }
  }

  /** What moves with time: counters and lanes. @param {number} now server's time */
  tick(now) {
    const t = this.turn;
    if (!t) return;
    const line = headline(t, now);
    setText(this.#parts.label, line.label);
    setText(this.#parts.detail, line.detail);
    if (!this.#open) return;
    const calls = new Map(t.calls.map((c) => [c.id, c]));
    for (const d of this.#drawn.values()) for (const b of d.batches) this.#drawLanes(b.head, b.calls.flatMap((id) => calls.get(id) || []), now);
  }

  /** @param {HTMLElement} head @param {Call[]} calls @param {number} now */
  #drawLanes(head, calls, now) {
    const axis = together(calls, now), left = calls.filter((c) => c.outcome === 'pending').length;
    setText(head, left ? `${calls.length} in parallel, ${calls.length - left} done` : `${calls.length} in parallel, ${span(axis.wall)} (${span(axis.sum)} one after another)`);
    for (const c of calls) this.#decisions.get(c.id)?.drawLane(axis, now);
  }
}

/** @param {Said} said */
function narrative(said) {
  const el = h('div', { class: 'narrative', dir: 'auto' });
  if (said.html) { el.classList.add('prose'); html(el, said.html); } else setText(el, said.text);
  if (said.source === 'summary') el.append(h('span', { class: 'source', title: 'A summary of the model’s reasoning, made by its provider.' }, 'provider summary'));
  return el;
}

/** The line that stands for the reasons while they are closed. @param {Turn} t */
function peek(t) {
  const said = t.narrative || t.calls[0]?.why || '';
  return said ? firstLine(said, 140) : '';
}

/** What decides how the rows are laid out; the rest is drawn into them. @param {Step[]} steps @returns {string} */
function shapeOf(steps) {
  return JSON.stringify(steps.map((s) => [s.step, s.said?.text, s.said?.html, s.batches.map((b) => [b.group,
    b.nodes.map((n) => [n.call.id, n.sub ? [n.sub.name, shapeOf(n.sub.steps)] : 0])])]));
}

customElements.define('candor-turn', TurnView);
