// The turns of the open conversation, or a notice that explains why there are none.

import './turn.js';
import { welcome } from './welcome.js';
import { $, attribute, fill, h, setText, show } from '../lib/dom.js';
import { WindowedList } from '../lib/list.js';
import { pref } from '../lib/prefs.js';
import { asHeard } from '../state/heard.js';
import { throughOf } from '../state/observed.js';
import { trimTo } from '../state/reduce.js';
import { formatRoute } from '../state/route.js';

/** @import { Conversation, State, Turn } from '../state/types.d.ts' */
/** @import { ConversationActs } from './types.d.ts' */
/** @import { TurnView } from './turn.js' */

export class ConversationView {
  /**
   * conversation and turn → whether a person opened or closed its reasons
   * @type {Map<string, boolean>}
   */
  #chosen = new Map();
  /** The number of the turn that the keyboard is at. */
  current = 0;
  #id = '';
  #scroller = $('stream');
  #notice = h('div', { class: 'notice' });
  #edge = h('p', { class: 'edge' });
  #job = document.createElement('candor-job'); #attached = document.createElement('candor-attached');
  #holder = h('div', { class: 'turns', role: 'feed', 'aria-label': 'Turns' });
  /** @type {Conversation | undefined} */
  #shown;
  #openPref = '';
  /** @type {State['backend']} */
  #backend = null;
  /** How many turns and calls there were when the reader was last at the end. */
  #seen = 0;
  /** How many turns are shown as ones that may not go on. */
  #quiet = 0;
  /** Whether there were several questions since there was none: the last of them is not the only one that was. */
  #several = false;

  /** @param {import('../state/store.js').Store} store @param {ConversationActs} acts */
  constructor(store, acts) {
    this.store = store;
    this.acts = acts;
    this.#scroller.append(this.#notice, this.#edge, this.#job, this.#attached, this.#holder);
    /** @type {WindowedList<Turn, TurnView>} */
    this.list = new WindowedList(this.#scroller, this.#holder, {
      key: (t) => String(t.number),
      make: () => document.createElement('candor-turn'),
      draw: (el, t) => this.#draw(el, t),
      parts: (el) => el.querySelectorAll('candor-decision, .fold-row, .plan, .answer'),
      onEdge: () => { if (this.#shown?.hasMore) queueMicrotask(() => this.acts.older(this.#id)); },
      onScroll: () => { this.#drawLatest(); this.#stick(); },
    });
    this.#holder.addEventListener('grown', ({ target }) => {
      const at = document.activeElement;
      this.redraw();
      if (!(target instanceof HTMLElement) || !at?.contains(target)) return;
      if (at === target) target.scrollIntoView({ block: 'nearest' });
      else if (at === this.element(this.current)) this.list.goTo(String(this.current));
    });
    $('latest').addEventListener('click', () => { this.list.toEnd(); this.#drawLatest(); });
    store.onDraw((s) => this.draw(s));
  }

  /** Whether the question that waits is the only one that did, which the keys answer without a choice. */
  get alone() { return this.#holder.hasAttribute('data-alone'); }

  get turns() { return this.#shown?.turns || []; }

  /** @param {State} s */
  draw(s) {
    const { id } = s.active, c = s.conversations[id], open = pref('reasoning');
    if (id !== this.#id) this.#begin(id);
    this.#drawNotice(s, c);
    this.#drawJob(c);
    this.#drawAttached();
    if (c !== this.#shown || open !== this.#openPref) {
      this.#openPref = open;
      this.#shown = c;
      this.redraw();
    }
    // A reader who stays at the end does not keep everything that went by.
    const long = c?.kind === 'thread' && c.turns.length > 2 * trimTo;
    if (long && this.list.pinned) queueMicrotask(() => this.store.dispatch({ type: 'trim', id }));
  }

  /** Draws the turns in view again. */
  redraw() {
    const c = this.#shown;
    show(this.#edge, c?.status === 'ready' && c.turns.length > 0 && (c.kind === 'thread' || c.hasMore));
    if (c) {
      setText(this.#edge, c.loadingOlder ? 'Loading earlier turns…'
        : c.hasMore ? 'Scroll up to load earlier turns.'
        : c.dropped ? `${c.dropped} older turns were dropped from memory.` : 'The conversation begins here.');
    }
    const turns = c && !isGone(c) ? c.turns : [];
    show(this.#holder, turns.length > 0); // a feed without articles is none
    const asks = turns.flatMap((t) => t.calls).filter((c) => c.request).length;
    this.#several = asks > 1 || asks > 0 && this.#several;
    attribute(this.#holder, 'data-alone', asks === 1 && !this.#several);
    const now = this.store.now(), shown = turns.map((t) => asHeard(t, now));
    this.#quiet = quietOnes(shown);
    this.list.show(shown);
    this.#drawLatest();
  }

  /**
   * Draws what is to be known of a job besides its turns.
   * @param {Conversation | undefined} c
   */
  #drawJob(c) {
    const job = c?.status === 'ready' ? c.job : undefined;
    show(this.#job, !!job);
    if (!job) return;
    if (customElements.get('candor-job')) return this.#job.update(job, this.store.now(), this.acts.restart);
    import('./job.js').then(() => this.#drawJob(this.store.state.conversations[this.#id]));
  }

  /** Says whose session it is, if it is that of another program's agent. */
  #drawAttached() {
    const s = this.store.state, t = s.threads?.find((one) => one.id === this.#id), turns = this.turns;
    show(this.#attached, !!t?.attached && turns.length > 0);
    if (!t?.attached) return;
    if (customElements.get('candor-attached')) return this.#attached.update(t, turns, this.store.now());
    import('./attached.js').then(() => this.#drawAttached());
  }

  /** @param {string} id */
  #begin(id) {
    this.#id = id;
    this.current = 0;
    this.#seen = 0;
    this.#several = false;
    this.list.clear();
  }

  /** @param {TurnView} el @param {Turn} t */
  #draw(el, t) {
    const kind = this.#shown?.kind || 'thread', thread = threadOf(this.store.state), origin = thread?.origin;
    const participant = origin?.protocol === 'attached' ? '' : origin?.participant || '';
    el.update(t, {
      participant, through: throughOf(thread),
      now: this.store.now(), open: this.isOpen(t), href: formatRoute({ [kind]: this.#id, turn: t.number }),
      running: t.state === 'processing',
      toggle: (open) => this.setOpen(t.number, open), menu: (b) => this.acts.turnMenu(t, b), acts: this.acts.acts(t),
      again: (text) => this.acts.ask(text),
    });
    el.classList.toggle('current', t.number === this.current);
  }

  /**
   * Reports whether a turn's reasons are open: as a person chose, else as the page is set.
   * @param {Turn} t
   */
  isOpen(t) {
    const chosen = this.#chosen.get(this.#key(t.number));
    if (chosen !== undefined) return chosen;
    if (t.calls.some((c) => c.request)) return true;
    const all = pref('reasoning');
    if (all !== 'auto') return all === 'expanded';
    return t.state === 'processing' || this.turns.at(-1)?.number === t.number;
  }

  /** @param {number} number */
  #key(number) { return `${this.#id}#${number}`; }

  /** @param {number} number @param {boolean} open */
  setOpen(number, open) {
    this.#chosen.set(this.#key(number), open);
    this.list.hold(String(number));
    this.redraw();
  }

  /** Opens or closes the reasons of all turns. */
  toggleAll() {
    const open = !this.turns.every((t) => this.isOpen(t));
    for (const t of this.turns) this.#chosen.set(this.#key(t.number), open);
    if (this.current) this.list.hold(String(this.current));
    this.redraw();
  }

  /** @param {number} number */
  element(number) { return this.list.element(String(number)); }

  /**
   * Brings a turn, or a decision of it, into view and focuses it.
   * @param {number} number @param {string} [call]
   */
  goTo(number, call) {
    const before = this.current;
    this.current = number;
    if (call) this.#chosen.set(this.#key(number), true);
    this.list.goTo(String(number));
    const el = this.element(number), d = call && el?.decisions.find((one) => one.dataset.call === call);
    if (before !== number) this.element(before)?.classList.remove('current');
    if (d) d.select();
    else el?.focus({ preventScroll: true });
  }

  /** Advances the counters of running turns. */
  tick() {
    const now = this.store.now(), turns = this.turns.filter((t) => t.state === 'processing');
    if (quietOnes(turns.map((t) => asHeard(t, now))) !== this.#quiet) this.redraw();
    for (const t of turns) this.element(t.number)?.tick(now);
  }

  /** Lets the head of the turn in view name its message, where that is above the view. */
  #stick() {
    const { top } = this.#scroller.getBoundingClientRect();
    for (const el of this.list.elements) el.stick(top);
  }

  /** Shows "Jump to latest" to a reader further up, where something is out of view below. */
  #drawLatest() {
    const sum = this.turns.reduce((n, t) => n + 1 + t.calls.length, 0);
    if (this.list.pinned || !this.#seen) this.#seen = sum;
    const more = sum - this.#seen;
    setText($('latest'), more > 0 ? `Jump to latest · ${more} new` : 'Jump to latest');
    show($('latest'), !this.list.pinned && !this.list.atEnd && this.turns.length > 0 && !this.#scroller.hidden);
  }

  /** @param {State} s @param {Conversation | undefined} c */
  #drawNotice(s, c) {
    const kind = noticeOf(s, c), origin = originOf(s);
    show(this.#notice, !!kind);
    if (this.#notice.dataset.kind === kind && this.#backend === s.backend) return;
    this.#notice.dataset.kind = kind;
    this.#backend = s.backend;
    fill(this.#notice, ...this.#words(kind, c?.problem || ''));
    if (['gone', 'deleted', 'quiet'].includes(kind)) {
      import('./notices.js').then(({ notice }) => {
        if (this.#notice.dataset.kind === kind) fill(this.#notice, ...notice(kind, origin?.participant || ''));
      }, () => {}); // or the server is away again, which the page says
    }
  }

  /** @param {string} kind @param {string} problem */
  #words(kind, problem) {
    switch (kind) {
      case 'loading': return [h('p', { class: 'note' }, 'Loading the conversation…')];
      case 'failed': return [h('h2', null, 'This could not be loaded'), h('p', null, problem),
        h('button', { type: 'button', class: 'primary', click: () => this.acts.retry() }, 'Try again')];
      case 'welcome': return welcome(this.#backend, this.acts);
    }
    return [];
  }
}

/** @param {State} s */
function threadOf(s) { return s.threads?.find((t) => t.id === s.active.id); }

/**
 * Returns whose turns the open conversation has, if it is observed.
 * @param {State} s
 */
function originOf(s) { return threadOf(s)?.origin; }

/**
 * Reports whether the server does not have a conversation.
 * @param {Conversation} c
 */
export function isGone(c) { return c.status === 'gone' || c.status === 'deleted'; }

/** @param {Turn[]} turns */
function quietOnes(turns) { return turns.filter((t) => t.state === 'quiet').length; }

/** @param {State} s @param {Conversation | undefined} c */
function noticeOf(s, c) {
  if (s.active.kind === 'new') return 'welcome';
  if (!c) return 'loading';
  if (c.status !== 'ready') return c.turns.length && !isGone(c) ? '' : c.status;
  return c.turns.length ? '' : originOf(s) ? 'quiet' : 'welcome';
}
