// <candor-decision>: one tool call. Why it was made comes first; then what became
// of it, and, on demand, with what it was called and what came back.

import { attribute, fill, h, setText, show } from '../lib/dom.js';
import { finding, pretty, size, span } from '../lib/format.js';
import { lane, outcomeOf, sourceOf } from '../state/outline.js';

/** @import { Call } from '../state/types.d.ts' */

/**
 * What a decision can ask of the page.
 * @typedef {{
 *   answer(call: Call, action: string): Promise<void>, whole(call: Call): Promise<void>,
 *   needParams(): void, menu(call: Call, button: HTMLElement): void,
 * }} Acts
 */

export class Decision extends HTMLElement {
  /** @type {Call | null} */
  call = null;
  /** @type {Acts | null} */
  acts = null;
  open = false;
  #built = false;
  #drawn = '';
  #parts = /** @type {Record<string, HTMLElement>} */ ({});

  /** @param {Call} call @param {Acts} acts */
  update(call, acts) {
    this.acts = acts;
    if (!this.#built) this.#build(call);
    if (call === this.call) return;
    this.call = call;
    this.#draw(call);
  }

  /** @param {Call} call */
  #build(call) {
    this.#built = true;
    const part = (/** @type {string} */ name, /** @type {string} */ tag, /** @type {Record<string, any>} */ props = {}) =>
      this.#parts[name] = h(tag, { class: name, ...props });
    const detailId = `d-${Math.random().toString(36).slice(2, 9)}`;
    attribute(this, 'role', 'group');
    attribute(this, 'tabindex', '-1');
    attribute(this, 'data-call', call.id);
    part('more', 'button', { type: 'button', 'aria-expanded': 'false', 'aria-controls': detailId, click: () => this.toggle() });
    this.append(
      h('div', { class: 'subject' }, part('tool', 'code')),
      h('div', { class: 'reason' },
        part('why', 'p', { dir: 'auto' }),
        h('div', { class: 'facts' }, part('source', 'span'), part('chips', 'span'), part('answered', 'span'), this.#parts.more,
          h('button', { type: 'button', class: 'dots', 'aria-label': 'Copy or link this decision', click: (/** @type {Event} */ e) => this.#menu(e) }, '⋯')),
        part('failure', 'p', { dir: 'auto' }), part('ask', 'div'), part('details', 'div', { id: detailId, hidden: true }), part('sub', 'div')),
      h('div', { class: 'outcome-cell' }, part('outcome', 'span'), part('took', 'span')),
      h('div', { class: 'lane', 'aria-hidden': 'true' }, part('ran', 'i')));
  }

  /** @param {Call} c */
  #draw(c) {
    const p = this.#parts, source = sourceOf(c), outcome = outcomeOf(c);
    attribute(this, 'aria-label', `${c.tool}: ${outcome.text}`);
    attribute(this, 'data-outcome', outcome.kind);
    setText(p.tool, c.tool);
    setText(p.why, c.why || '…');
    p.why.classList.toggle('ours', source.ours);
    setText(p.source, source.text);
    attribute(p.source, 'title', source.title);
    attribute(p.source, 'data-source', source.ours ? 'ours' : c.source);
    fill(p.chips, ...c.redactions.map((f) => h('span', { class: 'chip', title: `Masked by the rule ${f.rule}` }, `redacted: ${finding(f)}`)));
    setText(p.answered, answered(c));
    setText(p.failure, c.error);
    show(p.failure, !!c.error);
    fill(p.outcome, h('span', { class: 'sign', 'aria-hidden': 'true' }, outcome.sign), outcome.text);
    setText(p.took, c.took === null ? '' : span(c.took));
    this.#drawAsk(c);
    this.#drawMore(c);
  }

  /** The question whether the call may run, with all there is to judge it by. @param {Call} c */
  #drawAsk(c) {
    const ask = this.#parts.ask;
    show(ask, !!c.request);
    if (!c.request) return fill(ask);
    if (ask.dataset.request === c.request.id) return;
    ask.dataset.request = c.request.id;
    const button = (/** @type {string} */ action, /** @type {string} */ label) => h('button', {
      type: 'button', class: action === 'approve' ? 'primary' : '', 'data-action': action, 'aria-label': `${label}: ${c.tool}`,
      click: () => this.#answer(action),
    }, label);
    fill(ask,
      h('p', { class: 'ask-line' }, h('strong', null, 'May it run?'), ' ', h('span', { dir: 'auto' }, c.request.description)),
      h('pre', { tabindex: '0', 'aria-label': `Parameters of ${c.tool}` }, pretty(c.params)),
      h('div', { class: 'ask-buttons' }, button('approve', 'Approve'), c.request.always && button('always', 'Always allow'), button('deny', 'Deny')));
  }

  /** @param {string} action */
  async #answer(action) {
    const call = this.call;
    if (!call) return;
    const buttons = [...this.#parts.ask.querySelectorAll('button')];
    buttons.forEach((b) => { b.disabled = true; });
    try { await this.acts?.answer(call, action); } finally {
      buttons.forEach((b) => { b.disabled = false; });
      this.focus({ preventScroll: true });
    }
  }

  /** Opens or closes what it was called with and what came back. @param {boolean} [open] */
  toggle(open = !this.open) {
    this.open = open;
    if (open && this.call?.params === undefined) this.acts?.needParams();
    if (this.call) this.#drawMore(this.call);
  }

  /** @param {Call} c */
  #drawMore(c) {
    const { more, details } = this.#parts;
    attribute(more, 'aria-expanded', String(this.open));
    setText(more, c.preview ? 'Parameters and result' : 'Parameters');
    show(details, this.open);
    if (!this.open) return;
    const key = JSON.stringify([c.params, c.preview, c.outcome, c.size]);
    if (key === this.#drawn) return;
    this.#drawn = key;
    fill(details, ...this.#parameters(c), ...this.#result(c));
  }

  /** @param {Call} c */
  #parameters(c) {
    if (c.params === undefined) return [h('p', { class: 'note' }, 'Fetching the parameters…')];
    const empty = c.params === null || JSON.stringify(c.params) === '{}';
    if (empty) return [h('p', { class: 'note' }, 'Called without parameters.')];
    return [h('h4', null, 'Parameters'), block(pretty(c.params), `Parameters of ${c.tool}`)];
  }

  /** @param {Call} c */
  #result(c) {
    if (!c.preview) {
      const words = { pending: 'No result yet.', rejected: 'It did not run, so there is no result.', cancelled: 'It was stopped before it had a result.' };
      return [h('p', { class: 'note' }, words[/** @type {'pending'} */ (c.outcome)] || 'It gave no result.')];
    }
    const cutOff = c.preview.endsWith('…');
    return [
      h('h4', null, 'Result', c.size ? h('span', { class: 'size' }, size(c.size)) : null),
      block(pretty(c.preview), `Result of ${c.tool}`),
      cutOff && h('button', { type: 'button', class: 'whole', click: () => this.call && this.acts?.whole(this.call) }, 'Show the whole result'),
    ].filter(Boolean);
  }

  /** Puts what the agent did that this call handed its task to, or nothing. @param {HTMLElement | null} el */
  nest(el) {
    const sub = this.#parts.sub;
    if (sub.firstElementChild === el) return;
    fill(sub, el);
  }

  /** The hairline below is also the time axis of what ran together. @param {{ from: number, wall: number } | null} axis @param {number} now */
  drawLane(axis, now) {
    this.classList.toggle('beside', !!axis);
    if (!this.call || !axis) return;
    const { left, width } = lane(this.call, axis, now), ran = this.#parts.ran;
    ran.style.setProperty('--left', String(left));
    ran.style.setProperty('--width', String(width));
  }

  /** @param {Event} e */
  #menu(e) {
    if (this.call) this.acts?.menu(this.call, /** @type {HTMLElement} */ (e.currentTarget));
  }
}

/** @param {string} text @param {string} label */
function block(text, label) { return h('pre', { tabindex: '0', 'aria-label': label, role: 'region' }, text); }

/** How a person answered, or that none did. @param {Call} c */
function answered(c) {
  const words = {
    approve: 'approved', always: 'approved for always', deny: 'denied by a person', expired: 'nobody answered in time', withdrawn: 'stopped before an answer',
  };
  return words[/** @type {'deny'} */ (c.approval)] || '';
}

customElements.define('candor-decision', Decision);
