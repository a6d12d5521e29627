// <candor-decision>: one tool call. Why it was made comes first, then the tool, what it was used on and what came of
// it; how long it took stands beside. The row opens to the parameters and the result.

import { attribute, fill, h, partsIn, setText, show } from '../lib/dom.js';
import { about, nearly } from '../lib/format.js';
import { answered } from '../state/confidence.js';
import { finding, gotOf, lane, outcomeOf, sourceOf } from '../state/outline.js';
import { words } from './block.js';

/** @import { Axis, Call, Request } from '../state/types.d.ts' */
/** @import { DecisionActs } from './types.d.ts' */

let count = 0;

/**
 * What shows parameters and results; null until a row was opened.
 * @type {typeof import('./details.js') | null}
 */
let opened = null;

export class Decision extends HTMLElement {
  /** @type {Call | null} */
  call = null;
  open = false;
  /** @type {DecisionActs | null} */
  #acts = null;
  #drawn = '';
  #now = 0;
  /** @type {{ tick(now: number): void, gone(): void } | null} the question that waits */
  #asked = null;
  /** @type {Record<string, HTMLElement>} */
  #parts = {};

  /** @param {Call} call @param {DecisionActs} acts */
  update(call, acts) {
    this.#acts = acts;
    if (!this.#parts.tool) this.#build(call);
    if (call === this.call) return;
    this.call = call;
    this.#draw(call);
  }

  /** @param {Call} call */
  #build(call) {
    const id = `details-${count++}`, part = partsIn(this.#parts);
    attribute(this, 'role', 'group');
    attribute(this, 'tabindex', '-1');
    attribute(this, 'data-call', call.id);
    /** @type {HTMLElement} */
    const menu = h('button', {
      type: 'button', class: 'dots', 'aria-label': 'Copy or link this decision',
      click: () => this.call && this.#acts?.menu(this.call, menu),
    }, '⋯');
    const toggle = { type: 'button', 'aria-expanded': 'false', 'aria-controls': id, click: () => this.toggle() };
    part('more', 'button', toggle).append(part('tool', 'code'), part('object', 'span'));
    this.append(
      h('div', { class: 'reason' },
        part('decided', 'p', { hidden: true }), part('why', 'p', { dir: 'auto' }),
        part('facts', 'div')),
      h('div', { class: 'act' }, this.#parts.more, part('to', 'span')), part('got', 'p', { dir: 'auto' }),
      h('div', { class: 'outcome-cell' }, menu, part('outcome', 'span'), part('took', 'span')),
      h('div', { class: 'lane', 'aria-hidden': 'true' }, part('ran', 'i', { hidden: true })),
      h('div', { class: 'below' }, part('failure', 'p', { dir: 'auto' }), part('ask', 'div'),
        part('details', 'div', { id, hidden: true }), part('feedback', 'div', { hidden: true }), part('sub', 'div')));
    this.#parts.facts.append(part('source', 'span'), part('sure', 'span', { hidden: true }), part('chips', 'span'),
      part('answered', 'span'));
    this.addEventListener('click', (e) => this.#clicked(e));
  }

  /**
   * Opens the row where it is clicked, but not where somebody selects its words.
   * @param {MouseEvent} e
   */
  #clicked(e) {
    const at = e.target instanceof Element ? e.target : null;
    if (at?.closest('candor-decision') !== this || at.closest('.below, button, a')) return;
    if (getSelection()?.isCollapsed !== false) this.toggle();
  }

  /** @param {Call} c */
  #draw(c) {
    const p = this.#parts, outcome = outcomeOf(c), got = gotOf(c), { object } = c;
    attribute(this, 'aria-label', `${c.tool}: ${outcome.text}`);
    attribute(this, 'data-outcome', outcome.kind);
    setText(p.tool, c.decides ? 'decision' : c.tool);
    p.tool.classList.toggle('verb', c.decides);
    fill(p.object, ...words(object));
    attribute(p.object, 'title', object);
    this.#drawSure(c);
    setText(p.to, c.to && `→ ${c.to}`);
    show(p.to, !!c.to);
    this.#drawWhy(c);
    fill(p.got, ...words(got));
    attribute(p.got, 'title', got);
    const chip = (/** @type {string} */ text, /** @type {string} */ title) => h('span', { class: 'chip', title }, text);
    // What stands in the row as a chip already needs no other.
    const hidden = c.redactions.filter((f) => !`${c.why} ${object}`.includes(`[REDACTED:${f.rule}]`));
    fill(p.chips, ...hidden.map((f) => chip(`redacted: ${finding(f)}`, `Masked by the rule ${f.rule}`)),
      ...c.notices.map((f) => chip(`noticed: ${finding(f)}`, `Left as it is; the rule’s severity is ${f.severity}`)),
      c.inferred && chip('matched by name', 'The worker named no call; it was matched by tool and order'));
    setText(p.answered, [answered(c), c.feedback && `rated ${c.feedback.rating}`].filter(Boolean).join(' · '));
    attribute(p.answered, 'title', c.feedback?.note || null);
    setText(p.failure, c.error);
    // What came of an expired one says that.
    show(p.failure, !!c.error && c.approval !== 'expired');
    fill(p.outcome, h('span', { class: 'sign', 'aria-hidden': 'true' }, outcome.sign),
      h('span', { class: 'word' }, outcome.text));
    setText(p.took, c.took === null ? '' : about(c.took, c.near));
    attribute(p.took, 'title', c.near && nearly);
    this.#drawAsk(c);
    this.#drawMore(c);
  }

  /**
   * Shows the reason. Where the model gave none, that is said; our sentence in its place is for the tooltip.
   * @param {Call} c
   */
  #drawWhy(c) {
    const { why, source } = this.#parts, from = sourceOf(c);
    fill(why, c.before && h('q', null, c.before), ...words(from.ours ? from.lead : c.why || '…'));
    why.classList.toggle('ours', from.ours);
    why.classList.toggle('withheld', c.blocked);
    attribute(why, 'title', from.ours ? c.why || from.title : null);
    const does = from.ours && !c.request && c.sighted?.described; // a question says it
    setText(source, does ? `what it does: ${does}` : from.ours || from.usual ? '' : from.text);
    attribute(source, 'title', from.title);
    attribute(source, 'data-source', from.ours ? 'ours' : c.source);
  }

  /** @param {Call} c */
  #drawAsk(c) {
    const { ask } = this.#parts, q = c.request;
    show(ask, !!q);
    attribute(this.#parts.why, 'tabindex', q ? '0' : null); // it scrolls
    if (!q) {
      this.#asked?.gone();
      this.#asked = null;
      return fill(ask);
    }
    if (ask.dataset.request === q.id) return;
    ask.dataset.request = q.id;
    this.#ask(c, q).catch(() => { delete ask.dataset.request; }); // the server is away; the next draw tries again
  }

  /** @param {Call} c @param {Request} q */
  async #ask(c, q) {
    const { answering, question } = await import('./question.js');
    if (this.call?.request?.id !== q.id) return; // it was answered meanwhile
    const asked = question(c, q, this.#parts.why, answering(this, this.#parts.ask, (...how) =>
      this.call && this.#acts?.answer(this.call, ...how)));
    fill(this.#parts.ask, ...asked.parts);
    this.#asked = asked;
    asked.tick(this.#now);
    this.dispatchEvent(new CustomEvent('grown', { bubbles: true }));
  }

  /**
   * Shows how sure the agent was, and what the call decides if it is a decision.
   * @param {Call} c
   */
  #drawSure(c) {
    const { sure, decided } = this.#parts;
    show(sure, !!c.confidence);
    show(decided, c.decides);
    if (c.confidence || c.decides) import('./sure.js').then(({ draw }) => draw(c, sure, decided));
  }

  /**
   * Opens or closes the parameters and the result.
   * @param {boolean} [open]
   */
  toggle(open = !this.open) {
    this.open = open;
    if (open && this.call?.params === undefined) this.#acts?.needParams();
    if (this.call) this.#drawMore(this.call);
  }

  /** Opens the row of several calls that this one is in, if it is. */
  reveal() {
    const fold = this.closest('candor-fold');
    // This stays, should it be drawn later.
    fold?.classList.add('open');
    fold?.toggle?.(true);
  }

  /** Brings the row into view, with the focus. */
  select() {
    this.reveal();
    this.scrollIntoView({ block: 'nearest' });
    this.focus({ preventScroll: true });
  }

  /** @param {Call} c */
  #drawMore(c) {
    const { more, details } = this.#parts;
    attribute(more, 'aria-expanded', String(this.open));
    this.classList.toggle('open', this.open);
    if (this.open && !opened) {
      return void import('./details.js').then((module) => {
        opened = module;
        if (this.call) this.#drawMore(this.call);
      });
    }
    show(details, this.open);
    this.feedback();
    if (!this.open || !opened) return;
    this.#drawn = opened.draw(details, c, this.#drawn, () => this.call,
      () => this.call && this.#acts?.whole(this.call));
  }

  /**
   * Draws what the user thinks of the decision, below the result.
   * @param {'good' | 'bad' | 'why'} [now] what the user says of it now
   */
  async feedback(now) {
    const acts = this.#acts, { feedback } = this.#parts;
    show(feedback, this.open);
    if (acts?.rate && (this.open || now)) (await import('./feedback.js')).draw(this, feedback, acts, now);
  }

  /**
   * Puts a sub-agent below the call that started it, or nothing.
   * @param {HTMLElement | null} el
   */
  nest(el) {
    const { sub } = this.#parts;
    if (sub.firstElementChild !== el) fill(sub, el);
  }

  /**
   * Draws when the call ran, on the axis of its step.
   * @param {Axis} axis @param {number} now
   */
  drawLane(axis, now) {
    this.#now = now;
    this.#asked?.tick(now);
    if (!this.call) return;
    const at = lane(this.call, axis, now), { ran } = this.#parts;
    show(ran, !!at);
    ran.style.setProperty('--left', String(at?.left));
    ran.style.setProperty('--width', String(at?.width));
  }
}

customElements.define('candor-decision', Decision);
