// <candor-turn>: what the user said, why the agent did what it did, and what it
// answered. Only what changed is drawn again.

import { prose, words } from './block.js';
import { Steps, shapeOf } from './steps.js';
import { attribute, fill, h, keepFocus, partsIn, place, setText, show } from '../lib/dom.js';
import { clock, firstLine } from '../lib/format.js';
import { finding, headline, outline, sourceOf } from '../state/outline.js';
import { chief, failureOf, isBad, lastPlan, progress, silence, used } from '../state/summary.js';

/** @import { Step, Turn } from '../state/types.d.ts' */
/** @import { TurnContext } from './types.d.ts' */

/**
 * What draws the turns of other agents; null until it is loaded, which few visits need.
 * @type {typeof import('./observed.js') | null}
 */
let others = null;

/**
 * What shows Markdown that the server has not read; null until there is some.
 * @type {typeof import('./draft.js') | null}
 */
let drafts = null;

/** What Markdown may begin with. Any other text is a paragraph. */
const markdown = /[*_`#>~\\]|\n\s*\n|^\s*([-+]|\d+[.)])\s/m;

/**
 * Returns when a turn began. That of another program's agent may have begun long before it was heard of.
 * @param {Turn} t
 */
function begun(t) { return t.startedAt && t.startedAt < t.createdAt ? t.startedAt : t.createdAt || t.startedAt; }

export class TurnView extends HTMLElement {
  /** @type {Turn | null} */
  #turn = null;
  #open = false; #now = 0;
  #shape = '';
  /** @type {Record<string, HTMLElement>} */
  #parts = {};
  #steps = new Steps(() => this.#drawAnew());
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
    // The foot names what the keys would answer.
    for (const on of ['focusin', 'focusout']) this.addEventListener(on, () => this.tick(this.#now));
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
        part('body', 'div', { id: `${id}-reasoning`, hidden: true }), part('foot', 'div', { hidden: true })),
      part('conclusion', 'div', { hidden: true }), part('answer', 'div', { dir: 'auto' }), part('note', 'p'),
      part('late-notes', 'div', { hidden: true }));
    this.#parts.headline.append(part('label', 'span'), part('which', 'span', { 'aria-hidden': 'true' }),
      part('used', 'span'), part('detail', 'span'), part('peek', 'span'));
  }

  get decisions() { return [...this.querySelectorAll('candor-decision')]; }

  /** @param {Turn} t @param {TurnContext} context */
  #draw(t, context) {
    const p = this.#parts, at = begun(t);
    attribute(this, 'data-state', t.calls.some((c) => c.request) ? 'asks' : t.state);
    attribute(this, 'data-trouble', t.state !== 'processing' && t.calls.some(isBad));
    setText(p.number, String(t.number));
    attribute(p.number, 'href', context.href);
    setText(p.time, at ? clock(at, context.now) : '');
    if (at) {
      attribute(p.time, 'datetime', new Date(at).toISOString());
      attribute(p.time, 'title', new Date(at).toLocaleString());
    }
    const asked = t.input || (context.through ? `Calls through ${context.through}` : t.input ?? '…');
    p.user.classList.toggle('ours', !t.input && !!context.through);
    fill(p.user, ...words(asked));
    setText(p.which, firstLine(t.input || '', 140));
    drawUsed(p.used, t);
    setText(p.masked, t.redactions.length ? `redacted in this turn: ${t.redactions.map(finding).join(', ')}` : '');
    setText(p.noticed, t.notices.length ? `noticed in this turn: ${t.notices.map(finding).join(', ')}` : '');
    setText(p.note, t.response && t.stop);
    drawPeek(p.peek, t);
    this.#drawAnswer(t);
    if (t.replayOf || t.workflow) import('./run.js').then(({ drawRun }) => drawRun(p.run, this.#turn || t));
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

  /** @param {Turn} t @param {Turn | null} [old] what was drawn */
  #drawAnswer(t, old = this.#turn) {
    const el = this.#parts.answer, draft = draftOf(t);
    const same = old && old.state === t.state && old.response === t.response && old.error === t.error;
    if (same && old.responseHtml === t.responseHtml && draftOf(old) === draft) return;
    const how = t.responseHtml ? ' prose' : t.response ? ' prose plain' : draft ? ' prose draft' : '';
    el.className = `answer${t.restarted ? ' restarted' : how}`;
    if (t.responseHtml) return prose(el, t.responseHtml);
    const text = t.response || draft;
    if (drafts && text) return drafts.draft(el, text, !t.response);
    if (markdown.test(text)) {
      import('./draft.js').then((module) => {
        drafts = module;
        if (this.#turn) this.#drawAnswer(this.#turn, null);
      }, () => {}); // or the server is away; history has it as HTML
    }
    if (text) return fill(el, h('p', null, ...words(text)));
    switch (t.state) {
      case 'failed': return fill(el, h('p', { class: 'failed' }, ...words(failureOf(t))),
        t.input && h('button', { type: 'button', click: () => this.#context?.again(t.input || '') }, 'Try again'));
      case 'interrupted':
        if (!t.restarted) return fill(el, note('Stopped before there was an answer.'));
        return void import('./interrupted.js').then(({ draw }) => draw(el, t, this.#context));
      case 'completed': return fill(el, !this.#context?.through && note('It ended without an answer.'));
    }
    fill(el);
  }

  /**
   * Draws the reasons, which are only built while they are open.
   * @param {Turn} t @param {TurnContext} context
   */
  #drawOpen(t, context) {
    this.#open = context.open;
    attribute(this, 'data-open', this.#open);
    attribute(this.#parts.headline, 'aria-expanded', String(this.#open));
    show(this.#parts.body, this.#open);
    if (!this.#open) return;
    const steps = outline(t), shape = shapeOf(steps) + silence(t) + t.narrativeBlocked + notesOf(t);
    if (shape !== this.#shape) keepFocus(() => this.#arrange(t, steps, context));
    this.#shape = shape;
    this.#steps.update(steps, context);
  }

  /**
   * Lays out what is new. Steps that did not change stay in place.
   * @param {Turn} t @param {Step[]} steps @param {TurnContext} context
   */
  #arrange(t, steps, context) {
    const withheld = 'Part of what the model said here was withheld: it is not safe to store.';
    const silent = silence(t, Boolean(context.participant)) || (t.narrativeBlocked ? withheld : '');
    const own = this.#steps.elements(steps, '', context);
    const elements = others && context.participant ? others.amongSteps(t, steps, own, context.now) : own;
    place(this.#parts.body, silent ? [note(silent), ...elements] : elements);
  }

  /** Lays out the reasons again. */
  #drawAnew() {
    this.#shape = '';
    this.#steps.clear();
    if (this.#turn && this.#context) this.#drawOpen(this.#turn, this.#context);
    this.tick(this.#now);
  }

  /** @param {number} now the server's time */
  tick(now) {
    const t = this.#turn, p = this.#parts;
    this.#now = now;
    if (!t) return;
    const { label, detail } = headline(t, now, this.#open || t.state !== 'processing');
    setText(p.label, label);
    drawDetail(p.detail, detail);
    this.#drawFoot(t, now);
    if (this.#open) this.#steps.tick(t.calls, now);
  }

  /**
   * Draws the sign of life at the foot of a running turn: its step, what runs, and what is done.
   * @param {Turn} t @param {number} now
   */
  #drawFoot(t, now) {
    const runs = this.#open && t.state === 'processing', { foot } = this.#parts;
    show(foot, runs);
    if (!runs) return fill(foot);
    const at = this.contains(document.activeElement) && document.activeElement?.closest('candor-decision');
    const { step, tool, object, what, time, sum, waits } = progress(t, now, at ? at.dataset.call : '');
    foot.classList.toggle('waits', waits);
    fill(foot, h('i', { class: 'spin', 'aria-hidden': 'true' }), h('b', null, step),
      h('span', { class: 'doing' }, tool && h('code', null, tool),
        tool && object && h('span', { class: 'object' }, object), what && h('span', null, what)),
      h('span', { class: 'since' }, time), h('span', { class: 'sum' }, sum));
  }

  /**
   * Shows the message again in the head that stays in view, where the message itself is above the view.
   * @param {number} top of the view, in pixels of the window
   */
  stick(top) {
    const stuck = this.#open && this.#parts.user.getBoundingClientRect().bottom < top;
    this.#parts.headline.classList.toggle('stuck', stuck);
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

/**
 * Draws the sum of a turn, in which what went badly has a colour.
 * @param {HTMLElement} el @param {string} detail
 */
function drawDetail(el, detail) {
  if (el.textContent === detail) return;
  fill(el, ...detail.split(/(\d+ (?:failed|rejected|denied))/).map((part, i) =>
    i % 2 ? h('span', { class: 'bad' }, part) : part));
}

/**
 * Draws the reason of the call that the turn is about, or what streams in, or the last plan.
 * @param {HTMLElement} el @param {Turn} t
 */
function drawPeek(el, t) {
  const c = chief(t), from = c && sourceOf(c), streams = t.state === 'processing' && draftOf(t), plan = lastPlan(t);
  const why = !streams && from && !from.ours ? firstLine(c?.why || '', 200) : '';
  const ours = why || plan ? '' : from?.ours ? from.lead : t.state === 'completed' && !c ? 'No tool used' : '';
  el.classList.toggle('says', !!why);
  el.classList.toggle('ours', !!ours);
  fill(el, ...words(why || plan || ours));
}

/**
 * Draws the tools that a turn used, while its reasons are closed.
 * @param {HTMLElement} el @param {Turn} t
 */
function drawUsed(el, t) {
  fill(el, ...used(t).flatMap(({ tool, object, kind }) =>
    [h('span', { class: `one ${kind}` }, h('b', null, tool), object && ' ', object), ' ']));
}

customElements.define('candor-turn', TurnView);
