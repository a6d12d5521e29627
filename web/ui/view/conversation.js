// The middle of the page: the turns of the conversation that is open, or a word
// on why there are none.

import './turn.js';
import { $, fill, h, setText, show } from '../lib/dom.js';
import { WindowedList } from '../lib/list.js';
import { pref } from '../lib/prefs.js';
import { trimTo } from '../state/reduce.js';
import { formatRoute } from '../state/route.js';

/** @import { Conversation, State, Turn } from '../state/types.d.ts' */

/** @typedef {import('./turn.js').TurnView} TurnView */

/** What a first-time visitor may try. They fit the tools that every server has. */
const examples = [
  'What time is it in Tokyo, and which files are in this folder?',
  'Find the word Follow in the session folder and read README.md',
  'Remember that the release is on Friday',
];

export class ConversationView {
  /** conversation and turn → whether a person opened or closed its reasons @type {Map<string, boolean>} */
  #chosen = new Map();
  /** Which turn the keyboard is at. */
  current = 0;
  #id = '';
  #scroller = $('stream');
  #notice = h('div', { class: 'notice' });
  #edge = h('p', { class: 'edge' });
  #holder = h('div', { class: 'turns', role: 'feed', 'aria-label': 'Turns' });
  /** @type {Conversation | null} */
  #shown = null;
  #openPref = '';

  /**
   * @param {import('../state/store.js').Store} store
   * @param {{ older(id: string): void, ask(text: string): void, retry(): void, turnMenu(t: Turn, b: HTMLElement): void,
   *   acts(t: Turn): import('./decision.js').Acts }} page
   */
  constructor(store, page) {
    this.store = store;
    this.page = page;
    this.#scroller.append(this.#notice, this.#edge, this.#holder);
    /** @type {WindowedList<Turn>} */
    this.list = new WindowedList(this.#scroller, this.#holder, {
      key: (t) => String(t.number),
      make: () => document.createElement('candor-turn'),
      draw: (el, t) => this.#draw(/** @type {TurnView} */(el), t),
      onEdge: () => { if (this.#shown?.hasMore) queueMicrotask(() => this.page.older(this.#id)); },
      onScroll: () => this.#pill(),
    });
    $('latest').addEventListener('click', () => { this.list.toEnd(); this.#pill(); });
    store.onDraw((s) => this.draw(s));
  }

  /** @param {State} s */
  draw(s) {
    const c = s.conversations[s.active.id] || null;
    if (s.active.id !== this.#id) this.#begin(s.active.id);
    this.#drawNotice(s, c);
    if (c !== this.#shown || this.#openPref !== pref('reasoning')) {
      this.#openPref = pref('reasoning');
      this.#shown = c;
      this.redraw();
    }
    // Who stays at the end does not keep all that went by.
    if (c && c.kind === 'thread' && c.turns.length > 2 * trimTo && this.list.pinned) queueMicrotask(() => this.store.dispatch({ type: 'trim', id: c.id }));
  }

  /** Draws the turns in view again. */
  redraw() {
    const c = this.#shown;
    show(this.#edge, !!c && c.status === 'ready' && c.turns.length > 0 && c.kind === 'thread');
    if (c) setText(this.#edge, c.loadingOlder ? 'Reading earlier turns…' : c.hasMore ? 'Earlier turns are read as you scroll up.' : 'The conversation begins here.');
    this.list.show(c && c.status !== 'gone' ? c.turns : []);
    this.#pill();
  }

  /** @param {string} id */
  #begin(id) {
    this.#id = id;
    this.current = 0;
    this.list.clear();
  }

  /** @param {TurnView} el @param {Turn} t */
  #draw(el, t) {
    const id = this.#id, job = this.#shown?.kind === 'job';
    el.update(t, {
      now: this.store.now(), open: this.isOpen(t), href: formatRoute({ [job ? 'job' : 'thread']: id, turn: t.number }),
      toggle: (open) => this.setOpen(t.number, open), menu: (b) => this.page.turnMenu(t, b), acts: this.page.acts(t),
    });
    el.classList.toggle('current', t.number === this.current);
  }

  /** Whether a turn's reasons are open: as a person chose, else as the page is set. @param {Turn} t */
  isOpen(t) {
    const chosen = this.#chosen.get(`${this.#id}#${t.number}`);
    if (chosen !== undefined) return chosen;
    if (t.calls.some((c) => c.request)) return true;
    const all = pref('reasoning'), turns = this.#shown?.turns || [];
    if (all !== 'auto') return all === 'expanded';
    return t.state === 'processing' || turns[turns.length - 1]?.number === t.number;
  }

  /** @param {number} number @param {boolean} open */
  setOpen(number, open) {
    this.#chosen.set(`${this.#id}#${number}`, open);
    this.list.hold(String(number));
    this.redraw();
  }

  /** Opens or closes the reasons of all turns. */
  toggleAll() {
    const turns = this.#shown?.turns || [], open = !turns.every((t) => this.isOpen(t));
    for (const t of turns) this.#chosen.set(`${this.#id}#${t.number}`, open);
    if (this.current) this.list.hold(String(this.current));
    this.redraw();
  }

  /** The element of a turn in view. @param {number} number @returns {TurnView | null} */
  view(number) { return /** @type {TurnView | null} */ (this.list.element(String(number))); }
  get turns() { return this.#shown?.turns || []; }

  /** Brings a turn, and a decision of it, to the reader and the keyboard. @param {number} number @param {string} [call] */
  goTo(number, call) {
    const before = this.current;
    this.current = number;
    if (call) this.#chosen.set(`${this.#id}#${number}`, true);
    this.list.goTo(String(number));
    const el = this.view(number), d = call && el?.decisions.find((one) => one.dataset.call === call);
    if (before !== number) this.view(before)?.classList.remove('current');
    if (d) {
      d.scrollIntoView({ block: 'nearest' });
      d.focus({ preventScroll: true });
    } else el?.focus({ preventScroll: true });
    return !!el;
  }

  /** Lets counters go on. */
  tick() {
    const now = this.store.now();
    for (const el of this.list.elements) {
      const t = /** @type {TurnView} */ (el);
      if (t.turn?.state === 'processing') t.tick(now);
    }
  }

  /** "Jump to latest" is there for who reads further up. */
  #pill() {
    const last = this.turns[this.turns.length - 1];
    show($('latest'), !this.list.pinned && !!last && !this.#scroller.hidden);
  }

  /** @param {State} s @param {Conversation | null} c */
  #drawNotice(s, c) {
    const kind = noticeOf(s, c);
    show(this.#notice, !!kind);
    if (this.#notice.dataset.kind === kind) return;
    this.#notice.dataset.kind = kind;
    fill(this.#notice, ...this.#words(kind, c));
  }

  /** @param {string} kind @param {Conversation | null} c */
  #words(kind, c) {
    const retry = h('button', { type: 'button', class: 'primary', click: () => this.page.retry() }, 'Try again');
    switch (kind) {
      case 'loading': return [h('p', { class: 'note' }, 'Reading the conversation…')];
      case 'failed': return [h('h2', null, 'This could not be read'), h('p', null, c?.problem || ''), retry];
      case 'gone': return [h('h2', null, 'This conversation is not here'),
        h('p', null, 'It may be somebody else’s, or the server was started anew: unless it is set up otherwise it keeps conversations in memory.')];
      case 'welcome': return [h('h2', { class: 'welcome' }, 'Ask something, and see why.'),
        h('p', null, 'Before the agent calls a tool it says why. Each reason shows up here as the call is made, with what came of it; secrets are taken out first.'),
        h('ul', { class: 'examples', 'aria-label': 'Examples' }, ...examples.map((e) => h('li', null, h('button', { type: 'button', click: () => this.page.ask(e) }, e))))];
    }
    return [];
  }
}

/** @param {State} s @param {Conversation | null} c */
function noticeOf(s, c) {
  if (s.active.kind === 'new') return 'welcome';
  if (!c) return 'loading';
  if (c.status !== 'ready') return c.turns.length && c.status !== 'gone' ? '' : c.status;
  return c.turns.length ? '' : 'welcome';
}
