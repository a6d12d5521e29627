// The steps of a turn: what the model said, and below it a row for each call, or for several of one tool that ran side
// by side. Steps that did not change stay in place.

import './decision.js';
import { arrive, attribute, fill, h, loadStyles, place, setText } from '../lib/dom.js';
import { about, nearly } from '../lib/format.js';
import { sources, together } from '../state/outline.js';
import { rowsOf } from '../state/summary.js';
import { prose, words } from './block.js';

/** @import { Agent, Axis, Batch, Call, Row, Said, Step } from '../state/types.d.ts' */
/** @import { Lanes, TurnContext } from './types.d.ts' */
/** @import { CallFold } from './callfold.js' */
/** @import { Decision } from './decision.js' */

export class Steps {
  /** @type {Map<string, Decision>} */
  #decisions = new Map();
  /** @type {Map<string, CallFold>} */
  #folds = new Map();
  /** @type {Map<string, HTMLElementTagNameMap['candor-agent']>} */
  #agents = new Map();
  /**
   * agent and step → the element that shows it
   * @type {Map<string, { el: HTMLElement, shape: string, lanes: Lanes }>}
   */
  #steps = new Map();
  #late;

  /** @param {() => void} late lays out the steps again, after a module has been loaded */
  constructor(late) { this.#late = late; }

  /** Forgets how the steps were laid out. */
  clear() { this.#steps.clear(); }

  /** @param {Step[]} steps @param {string} agent @param {TurnContext} context */
  elements(steps, agent, context) {
    return steps.map((s) => {
      const key = `${s.agent || agent}/${s.step}`, shape = shapeOf([s]), old = this.#steps.get(key);
      const el = old?.el || h('div', { class: 'step', 'data-step': s.step, 'data-agent': s.agent || null });
      if (old?.shape === shape) return el;
      if (!old && context.running) arrive(el);
      const head = h('p', { class: 'together' });
      this.#steps.set(key, { el, shape, lanes: { head, calls: callsIn(s).map((c) => c.id) } });
      const rows = s.batches.map((b) => this.#batch(b, context)), who = s.agent && h('p', { class: 'by' }, s.agent);
      place(el, [who, plan(s, head), ...rows].filter((x) => x instanceof HTMLElement));
      return el;
    });
  }

  /** @param {Batch} b @param {TurnContext} context */
  #batch(b, context) {
    const rows = rowsOf(b.nodes).map((row) => this.#row(row, context));
    if (b.nodes.length < 2) return h('div', { class: 'batch' }, ...rows);
    const label = `${b.nodes.length} in parallel`;
    return h('div', { class: 'batch parallel', role: 'group', 'aria-label': label }, ...rows);
  }

  /** @param {Row} row @param {TurnContext} context */
  #row(row, context) {
    const all = row.map((n) => {
      const d = this.#decision(n.call.id, context.running);
      d.update(n.call, context.acts);
      d.nest(n.sub && this.#agent(n.call.id, n.sub, context));
      return d;
    });
    if (all.length === 1) return all[0];
    const id = row[0].call.id, fold = this.#folds.get(id) || document.createElement('candor-fold');
    this.#folds.set(id, fold);
    this.#fold(fold, row, all);
    return fold;
  }

  /**
   * Draws the row of several calls; as its first one, until the module for that has been loaded.
   * @param {CallFold} fold @param {Row} row @param {Decision[]} all
   */
  #fold(fold, row, all) {
    if (customElements.get('candor-fold')) {
      // It may have been out of the page meanwhile.
      customElements.upgrade(fold);
      return fold.update(row.map((n) => n.call), all);
    }
    place(fold, all);
    // Together with the module, which waits for it.
    loadStyles('/ui/css/fold.css');
    import('./callfold.js').then(this.#late, () => {}); // or the server is away, and the rows stand alone
  }

  /** @param {string} id @param {boolean} [running] whether the row may be a new one of a turn that runs */
  #decision(id, running) {
    const old = this.#decisions.get(id), d = old || document.createElement('candor-decision');
    this.#decisions.set(id, d);
    if (!old && running) arrive(d);
    return d;
  }

  /**
   * Returns the element of a sub-agent; null until its module has been loaded, which few turns need.
   * @param {string} id @param {Agent} a @param {TurnContext} context
   */
  #agent(id, a, context) {
    if (!customElements.get('candor-agent')) {
      import('./agent.js').then(this.#late);
      return null;
    }
    const el = this.#agents.get(id) || document.createElement('candor-agent');
    this.#agents.set(id, el);
    el.update(a);
    place(el.body, this.elements(a.steps, a.name, context));
    return el;
  }

  /**
   * Draws what changed of the calls.
   * @param {Step[]} steps @param {TurnContext} context
   */
  update(steps, context) {
    for (const row of steps.flatMap((s) => s.batches).flatMap((b) => rowsOf(b.nodes))) {
      for (const { call, sub } of row) {
        this.#decisions.get(call.id)?.update(call, context.acts);
        if (sub) this.#agents.get(call.id)?.update(sub);
        if (sub) this.update(sub.steps, context);
      }
      const fold = row.length > 1 && this.#folds.get(row[0].call.id);
      if (fold) this.#fold(fold, row, row.map((n) => this.#decision(n.call.id)));
    }
  }

  /**
   * Draws when each call ran, on the axis of its step.
   * @param {Call[]} calls of the turn @param {number} now the server's time
   */
  tick(calls, now) {
    const byId = new Map(calls.map((c) => [c.id, c]));
    for (const { lanes } of this.#steps.values()) {
      const own = lanes.calls.flatMap((id) => byId.get(id) || []), axis = together(own, now);
      setText(lanes.head, sumOf(own, axis));
      attribute(lanes.head, 'title', axis.near && nearly);
      for (const c of own) {
        this.#decisions.get(c.id)?.drawLane(axis, now);
        this.#folds.get(c.id)?.drawLane?.(axis, now);
      }
    }
  }
}

/** @param {Step} s */
function callsIn(s) { return s.batches.flatMap((b) => b.nodes).map((n) => n.call); }

/**
 * Says how many calls of a step ran side by side, and how long they took so.
 * @param {Call[]} calls @param {Axis} axis
 */
function sumOf(calls, { wall, sum, near }) {
  const n = calls.filter((c) => c.group !== null).length;
  if (n < 2) return '';
  const timed = calls.every((c) => c.took !== null);
  const all = timed && sum > wall ? ` instead of ${about(sum, near)}` : '';
  return `${n} in parallel${timed ? ` · ${about(wall, near)}` : ''}${all}`;
}

/** @param {Step} s @param {HTMLElement} sum */
function plan(s, sum) {
  const bare = !s.said && !s.sealed && !s.stop;
  return h('header', { class: bare ? 'plan bare' : 'plan' }, h('span', { class: 'n' }, `step ${s.step}`),
    thoughts(s), sum);
}

/**
 * Draws what was said in a step, and that more was thought than anybody can read.
 * @param {Step} s
 */
function thoughts({ said, sealed, stop }) {
  const el = said ? narrative(said) : h('div', { class: 'narrative' });
  if (sealed) {
    import('./sealed.js');
    el.append(h('candor-sealed', { class: 'source', 'data-size': JSON.stringify(sealed) }, 'sealed reasoning'));
  }
  if (stop) el.append(h('span', { class: 'source' }, stop));
  return el;
}

/** @param {Said} said */
function narrative(said) {
  const el = h('div', { class: said.html ? 'narrative prose' : 'narrative', dir: 'auto' });
  if (said.html) prose(el, said.html);
  else fill(el, ...words(said.text));
  const { title, text } = sources.summary;
  const source = h('span', { class: 'source', title }, text);
  if (said.thought) el.prepend(h('p', null, ...words(said.thought)), source);
  else if (said.source === 'summary') el.append(source);
  return el;
}

/**
 * Returns what decides how the rows are laid out.
 * @param {Step[]} steps @returns {string}
 */
export function shapeOf(steps) {
  const rowOf = (/** @type {Row} */ row) => row.map(({ call, sub }) =>
    [call.id, sub && [sub.name, shapeOf(sub.steps)]]);
  return JSON.stringify(steps.map((s) => [s.agent, s.step, s.said?.text, s.said?.html, s.said?.thought, s.sealed,
    s.stop, s.batches.map((b) => [b.group, rowsOf(b.nodes).map(rowOf)])]));
}
