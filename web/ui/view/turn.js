// <candor-turn>: what the user said, why the agent did what it did, and what it
// answered. Only what changed is drawn again.

import './decision.js';
import { drawRun } from './run.js';
import { attribute, fill, h, html, keepFocus, partsIn, place, setText, show } from '../lib/dom.js';
import { clock, firstLine, span } from '../lib/format.js';
import { finding, headline, outline, silence, sources, together } from '../state/outline.js';

/** @import { Agent, Batch, Call, Said, Step, Turn } from '../state/types.d.ts' */
/** @import { Lanes, TurnContext } from './types.d.ts' */

/**
 * What draws the turns of other agents; null until it is loaded, which few visits need.
 * @type {typeof import('./observed.js') | null}
 */
let others = null;

export class TurnView extends HTMLElement {
  /** @type {Turn | null} */
  #turn = null;
  #open = false;
  #shape = '';
  /** @type {Record<string, HTMLElement>} */
  #parts = {};
  /** @type {Map<string, HTMLElementTagNameMap['candor-decision']>} */
  #decisions = new Map();
  /** @type {Map<string, HTMLElementTagNameMap['candor-agent']>} */
  #agents = new Map();
  /**
   * agent and step → the element that shows it
   * @type {Map<string, { el: HTMLElement, shape: string, lanes: Lanes[] }>}
   */
  #steps = new Map();
  /** @type {TurnContext | null} */
  #context = null;

  /** @param {Turn} t @param {TurnContext} context */
  update(t, context) {
    this.#context = context;
    if (!this.firstChild) this.#build(t);
    if (t !== this.#turn) this.#draw(t, context);
    if (t !== this.#turn || context.open !== this.#open) this.#drawOpen(t, context);
    this.#turn = t;
    this.tick(context.now);
  }

  /** @param {Turn} t */
  #build(t) {
    const id = `turn-${t.number}`, part = partsIn(this.#parts), toggle = () => this.#context?.toggle(!this.#open);
    attribute(this, 'id', id);
    attribute(this, 'role', 'article');
    attribute(this, 'tabindex', '-1');
    attribute(this, 'data-turn', t.number);
    attribute(this, 'aria-labelledby', `${id}-title`);
    /** @type {HTMLElement} */
    const menu = h('button', {
      type: 'button', class: 'dots', 'aria-label': `Copy, export or compare turn ${t.number}`,
      click: () => this.#context?.menu(menu),
    }, '⋯');
    this.append(
      h('div', { class: 'margin' },
        part('number', 'a', { 'aria-label': `Link to turn ${t.number}` }), part('time', 'time')),
      h('header', { class: 'asked' },
        h('h2', { class: 'sr', id: `${id}-title` }, `Turn ${t.number}`),
        part('asker', 'p', { hidden: true }), part('user', 'p', { dir: 'auto' }),
        part('because', 'p', { hidden: true }), part('run', 'p', { hidden: true }),
        part('masked', 'p'), part('noticed', 'p'), menu),
      h('section', { class: 'reasoning', 'aria-label': `Reasoning of turn ${t.number}` },
        h('h3', null,
          part('headline', 'button', { type: 'button', 'aria-controls': `${id}-reasoning`, click: toggle })),
        part('body', 'div', { id: `${id}-reasoning`, hidden: true })),
      part('conclusion', 'div', { hidden: true }), part('answer', 'div', { dir: 'auto' }),
      part('late-notes', 'div', { hidden: true }));
    this.#parts.headline.append(part('label', 'span'), part('detail', 'span'), part('peek', 'span'));
  }

  get decisions() { return [...this.querySelectorAll('candor-decision')]; }

  /** @param {Turn} t @param {TurnContext} context */
  #draw(t, context) {
    const p = this.#parts, at = t.createdAt || t.startedAt;
    attribute(this, 'data-state', t.state);
    setText(p.number, String(t.number));
    attribute(p.number, 'href', context.href);
    setText(p.time, at ? clock(at, context.now) : '');
    if (at) {
      attribute(p.time, 'datetime', new Date(at).toISOString());
      attribute(p.time, 'title', new Date(at).toLocaleString());
    }
    setText(p.user, t.input ?? '…');
    setText(p.masked, t.redactions.length ? `redacted in this turn: ${t.redactions.map(finding).join(', ')}` : '');
    setText(p.noticed, t.notices.length ? `noticed in this turn: ${t.notices.map(finding).join(', ')}` : '');
    setText(p.peek, firstLine(t.narrative || t.calls[0]?.why || '', 140));
    this.#drawAnswer(t);
    drawRun(p.run, t);
    this.#drawObserved(t, context);
  }

  /**
   * Draws what only the turns of other agents have.
   * @param {Turn} t @param {TurnContext} context
   */
  #drawObserved(t, context) {
    if (!context.participant) return;
    if (!others) {
      return void import('./observed.js').then((module) => {
        others = module;
        if (this.#turn && this.#context) this.#drawObserved(this.#turn, this.#context);
        this.#drawAnew();
      });
    }
    const p = this.#parts;
    others.drawAsked(p.asker, p.because, t, context.participant);
    others.drawConclusion(p.conclusion, t);
    others.drawLate(p['late-notes'], t, context.now);
    setText(p.user, t.input ?? '');
  }

  /** @param {Turn} t */
  #drawAnswer(t) {
    const el = this.#parts.answer, old = this.#turn, draft = draftOf(t);
    const same = old && old.state === t.state && old.response === t.response && old.error === t.error;
    if (same && old.responseHtml === t.responseHtml && draftOf(old) === draft) return;
    el.className = t.responseHtml ? 'answer prose' : t.response ? 'answer plain' : draft ? 'answer draft' : 'answer';
    if (t.responseHtml) return html(el, t.responseHtml);
    if (t.response || draft) return setText(el, t.response || draft);
    switch (t.state) {
      case 'failed': return fill(el, h('p', { class: 'failed' }, h('strong', null, 'The turn failed. '),
        t.error || 'The server gave no reason.'));
      case 'interrupted': return fill(el, note('Stopped before there was an answer.'));
      case 'completed': return fill(el, note('It ended without an answer.'));
    }
    fill(el);
  }

  /**
   * Draws the reasons, which are only built while they are open.
   * @param {Turn} t @param {TurnContext} context
   */
  #drawOpen(t, context) {
    this.#open = context.open;
    attribute(this.#parts.headline, 'aria-expanded', String(this.#open));
    show(this.#parts.body, this.#open);
    if (!this.#open) return;
    const steps = outline(t), shape = shapeOf(steps) + silence(t) + t.narrativeBlocked + notesOf(t);
    if (shape !== this.#shape) keepFocus(() => this.#arrange(t, steps, context));
    this.#shape = shape;
    for (const c of t.calls) this.#decisions.get(c.id)?.update(c, context.acts);
    this.#updateAgents(steps);
  }

  /**
   * Lays out what is new. Steps that did not change stay in place.
   * @param {Turn} t @param {Step[]} steps @param {TurnContext} context
   */
  #arrange(t, steps, context) {
    const withheld = 'Part of what the model said here was withheld: it held something that may not be kept.';
    const words = silence(t, Boolean(context.participant)) || (t.narrativeBlocked ? withheld : '');
    const own = this.#stepsOf(steps, '', context);
    const elements = others && context.participant ? others.amongSteps(t, steps, own, context.now) : own;
    place(this.#parts.body, words ? [note(words), ...elements] : elements);
  }

  /** @param {Step[]} steps @param {string} agent @param {TurnContext} context */
  #stepsOf(steps, agent, context) {
    return steps.map((s) => {
      const key = `${s.agent || agent}/${s.step}`, shape = shapeOf([s]), old = this.#steps.get(key);
      const el = old?.el || h('div', { class: 'step', 'data-step': s.step, 'data-agent': s.agent || null });
      if (old?.shape === shape) return el;
      /** @type {Lanes[]} */
      const lanes = [];
      this.#steps.set(key, { el, shape, lanes });
      const rows = s.batches.map((b) => this.#batch(b, lanes, context));
      const who = s.agent && h('p', { class: 'by' }, s.agent);
      place(el, [who, s.said && narrative(s.said), ...rows].filter((x) => x instanceof HTMLElement));
      return el;
    });
  }

  /** @param {Batch} b @param {Lanes[]} lanes @param {TurnContext} context */
  #batch(b, lanes, context) {
    const rows = b.nodes.map((n) => {
      const d = this.#decision(n.call.id);
      d.update(n.call, context.acts);
      d.nest(n.sub && this.#agent(n.call.id, n.sub, context));
      return d;
    });
    if (rows.length < 2) return h('div', { class: 'batch' }, ...rows);
    const head = h('p', { class: 'together' });
    lanes.push({ head, calls: b.nodes.map((n) => n.call.id) });
    const label = `${rows.length} in parallel`;
    return h('div', { class: 'batch parallel', role: 'group', 'aria-label': label }, head, ...rows);
  }

  /** @param {string} id */
  #decision(id) {
    const d = this.#decisions.get(id) || document.createElement('candor-decision');
    this.#decisions.set(id, d);
    return d;
  }

  /**
   * Returns the element of a sub-agent; null until its module has been loaded, which few turns need.
   * @param {string} id @param {Agent} a @param {TurnContext} context
   */
  #agent(id, a, context) {
    if (!customElements.get('candor-agent')) {
      import('./agent.js').then(() => this.#drawAnew());
      return null;
    }
    const el = this.#agents.get(id) || document.createElement('candor-agent');
    this.#agents.set(id, el);
    el.update(a);
    place(el.body, this.#stepsOf(a.steps, a.name, context));
    return el;
  }

  /** Lays out the reasons again. */
  #drawAnew() {
    this.#shape = '';
    this.#steps.clear();
    if (this.#turn && this.#context) this.#drawOpen(this.#turn, this.#context);
  }

  /** @param {Step[]} steps */
  #updateAgents(steps) {
    for (const { call, sub } of steps.flatMap((s) => s.batches).flatMap((b) => b.nodes)) {
      if (!sub) continue;
      this.#agents.get(call.id)?.update(sub);
      this.#updateAgents(sub.steps);
    }
  }

  /** @param {number} now the server's time */
  tick(now) {
    const t = this.#turn;
    if (!t) return;
    const { label, detail } = headline(t, now);
    setText(this.#parts.label, label);
    setText(this.#parts.detail, detail);
    if (!this.#open) return;
    const calls = new Map(t.calls.map((c) => [c.id, c]));
    for (const { lanes } of this.#steps.values()) {
      for (const l of lanes) this.#drawLanes(l.head, l.calls.flatMap((id) => calls.get(id) || []), now);
    }
  }

  /** @param {HTMLElement} head @param {Call[]} calls @param {number} now */
  #drawLanes(head, calls, now) {
    const axis = together(calls, now), n = calls.length, left = calls.filter((c) => c.outcome === 'pending').length;
    const timed = calls.every((c) => c.took !== null);
    const times = timed ? `, ${span(axis.wall)} (${span(axis.sum)} one after another)` : '';
    setText(head, `${n} in parallel${left ? `, ${n - left} done` : times}`);
    for (const c of calls) this.#decisions.get(c.id)?.drawLane(axis, now);
  }
}

/**
 * Returns what the model is saying to the user, who sees it before it is known to be the answer.
 * @param {Turn} t
 */
function draftOf(t) { return t.drafts.find((d) => !d.agent)?.text || ''; }

/**
 * Returns what decides where notes stand among the steps.
 * @param {Turn} t
 */
function notesOf(t) { return t.notes.length || t.lateSteps.length ? JSON.stringify([t.notes, t.lateSteps]) : ''; }

/** @param {string} text */
function note(text) { return h('p', { class: 'note' }, text); }

/** @param {Said} said */
function narrative(said) {
  const el = h('div', { class: said.html ? 'narrative prose' : 'narrative', dir: 'auto' });
  if (said.html) html(el, said.html);
  else setText(el, said.text);
  const { title, text } = sources.summary;
  if (said.source === 'summary') el.append(h('span', { class: 'source', title }, text));
  return el;
}

/**
 * Returns what decides how the rows are laid out.
 * @param {Step[]} steps @returns {string}
 */
function shapeOf(steps) {
  return JSON.stringify(steps.map((s) => [s.agent, s.step, s.said?.text, s.said?.html, s.batches.map((b) => [b.group,
    b.nodes.map(({ call, sub }) => [call.id, sub ? [sub.name, shapeOf(sub.steps)] : 0])])]));
}

customElements.define('candor-turn', TurnView);
