// Moving around: what the address asks for, the tabs, and the steps of the keyboard.

import { $, attribute, show } from './lib/dom.js';
import { toast } from './lib/toast.js';
import { formatRoute, parseRoute } from './state/route.js';
import { drawer } from './view/rail.js';

/** @import { Kind } from './state/types.d.ts' */
/** @import { Context, Here } from './types.d.ts' */

export class Router {
  #tab = 'turns';
  #hasTimeline = false;
  /** @type {typeof import('./answering.js') | null} */
  #answering = null;
  /** The number of the turn that the address asks for, until it was read; else 0. */
  #due = 0;
  /** @type {import('./finding.js').Finding | null} */
  finding = null;

  /** @param {Context} context */
  constructor(context) { this.context = context; }

  /**
   * Goes where the address says, or to a thread if it says nothing.
   * @param {string | null} [fallback] @returns {Promise<string>} the position in the stream
   */
  async follow(fallback) {
    const r = parseRoute(location.hash);
    if (r.find !== null && fallback === null) return this.search();
    if (r.find === null && this.finding?.uncover()) return '';
    let position = '';
    $('dialog').close();
    if (r.job) position = await this.#open('job', r.job);
    else if (r.thread || (fallback && !r.isNew)) position = await this.#open('thread', r.thread || fallback || '');
    else this.#select('new', '');
    this.#due = r.turn;
    this.openTab(r.view === 'timeline' ? 'timeline' : 'turns', r.turn, false);
    if (r.turn || r.call) await this.#arrive(r.turn || 1, r.call);
    this.#due = 0;
    this.drawTimeline();
    if (r.diff) await (await import('./compare.js')).show(this.context, r);
    if (r.find !== null) this.search();
    return position;
  }

  /** Shows the search over what is open, which stays as it is. What is typed before its module is there counts. */
  async search() {
    const from = document.activeElement, fresh = $('results').hidden;
    drawer(false);
    $('main').classList.add('finding');
    show($('results'), true);
    $('search').focus();
    if (!this.finding) {
      const { Finding } = await import('./finding.js');
      this.finding ||= new Finding(this.context);
    }
    if (fresh) this.finding.begin(from);
    return '';
  }

  /** @param {Kind | 'new'} kind @param {string} id */
  #select(kind, id) { this.context.store.dispatch({ type: 'select', active: { kind, id } }); }

  /** @param {Kind} kind @param {string} id */
  async #open(kind, id) {
    const { store, fetcher, active } = this.context;
    drawer(false);
    if (store.state.active.id === id && active()?.status === 'ready') return '';
    this.#select(kind, id);
    return kind === 'thread' ? fetcher.thread(id) : kind === 'job' ? fetcher.job(id) : '';
  }

  /** @param {number} number @param {string} call */
  async #arrive(number, call) {
    const { store, fetcher, view, active } = this.context;
    await fetcher.until(store.state.active.id, number);
    const c = active(), byCall = call && c?.kind === 'job';
    const turn = c?.turns.find((t) => byCall ? t.calls.some((x) => x.id === call) : t.number === number);
    if (c?.status !== 'ready') return;
    // Two frames: one that draws the list, one that has it laid out.
    for (let n = 0; n < 2; n++) await new Promise(requestAnimationFrame);
    if (!turn) return toast('There is no such turn.');
    view.current = turn.number; // what was just opened began at its latest turn
    if (this.#tab === 'turns') view.goTo(turn.number, call);
  }

  /** @param {string} tab turns or timeline @param {number} [turn] @param {boolean} [focus] */
  async openTab(tab, turn, focus = true) {
    const { view } = this.context;
    if (this.#tab === 'turns' && tab !== 'turns') view.list.leave();
    this.#tab = tab;
    if (turn) view.current = turn;
    for (const [name, id] of [['turns', 'stream'], ['timeline', 'timeline']]) {
      attribute($(`tab-${name}`), 'aria-selected', String(name === tab));
      attribute($(`tab-${name}`), 'tabindex', name === tab ? '0' : '-1');
      show($(id), name === tab);
    }
    if (tab === 'timeline' && !this.#hasTimeline) {
      await import('./view/timeline.js');
      this.#hasTimeline = true;
    }
    this.drawTimeline();
    view.redraw();
    if (focus) $(tab === 'timeline' ? 'timeline' : 'stream').focus({ preventScroll: true });
  }

  /** Draws the timeline if it is open. */
  drawTimeline() {
    if (this.#tab !== 'timeline' || !this.#hasTimeline) return;
    const { store, view } = this.context;
    $('timeline').update(this.#current(), this.#due > 0, store.now(), {
      decisions: view.acts.acts,
      go: (n, call) => this.openTab('turns', n, false).then(() => view.goTo(n, call)),
      step: (by) => {
        const turns = view.turns, at = turns.findIndex((t) => t.number === this.#current()?.number);
        view.current = turns[Math.min(turns.length - 1, Math.max(0, at + by))]?.number || 0;
        this.drawTimeline();
      },
    });
  }

  /**
   * Zooms the timeline, if it is open.
   * @param {number} by
   */
  zoom(by) { return this.#tab === 'timeline' && this.#hasTimeline && $('timeline').zoom(by); }

  /** Returns the turn that the reader is at: the one that the address asks for, else the latest unless they moved. */
  #current() {
    const { view, turn } = this.context;
    return this.#due ? turn(this.#due) : turn(view.current) || view.turns.at(-1);
  }

  /** @returns {Here} */
  here() {
    const el = document.activeElement, number = Number(el?.closest('candor-turn')?.dataset.turn);
    return { turn: this.context.turn(number) || this.#current(), decision: el?.closest('candor-decision') || null };
  }

  /** @param {number} by */
  stepTurn(by) {
    const { store, fetcher, view } = this.context, { turns } = view;
    const at = turns.findIndex((t) => t.number === view.current), next = at < 0 ? turns.length - 1 : at + by;
    if (next < 0) return void fetcher.older(store.state.active.id);
    if (next >= turns.length) return;
    if (this.#tab !== 'turns') this.openTab('turns', 0, false);
    view.goTo(turns[next].number);
  }

  /** @param {number} by */
  stepCall(by) {
    const { view } = this.context, { turn, decision } = this.here();
    if (!turn) return;
    view.current = turn.number;
    if (!view.isOpen(turn)) view.setOpen(turn.number, true);
    const all = view.element(turn.number)?.decisions || [];
    const at = decision ? all.indexOf(decision) : by > 0 ? -1 : all.length, next = all[at + by];
    next?.select();
  }

  /**
   * Opens or closes what the keyboard is at; Enter only where it means nothing else.
   * @param {KeyboardEvent} e
   */
  toggle(e) {
    const row = e.target instanceof HTMLElement && e.target.matches('candor-turn, candor-decision');
    if (e.key === 'Enter' && !row) return false;
    const { view } = this.context, { turn, decision } = this.here();
    if (decision && decision === document.activeElement) decision.toggle();
    else if (turn) view.setOpen(turn.number, !view.isOpen(turn));
  }

  /**
   * Answers the question that the keyboard is at, or the only one of the open conversation. Where several wait, or the
   * question is out of sight, it only goes there: nobody answers what they have not chosen and seen.
   * @param {string} action
   */
  reply(action) {
    const all = this.context.view.turns.flatMap(({ number, calls }) =>
      calls.filter((c) => c.request).map(({ id }) => ({ number, id })));
    if (!all.length) return false;
    this.#answering?.reply(this, all, action);
  }

  /** Loads what answers questions, before a key asks for it. */
  answers() { import('./answering.js').then((module) => { this.#answering = module; }, () => {}); }

  newThread() {
    history.pushState(null, '', formatRoute({ isNew: true }));
    this.finding?.uncover();
    this.#select('new', '');
    this.openTab('turns', 0, false);
    drawer(false);
    this.context.composer.focusField();
  }
}
