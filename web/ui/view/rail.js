// <candor-rail>: conversations, spaces with their participants, and jobs, each with its state, the MCP servers, and
// below them the account and the settings of the page.

import { $, attribute, fill, h, keepFocus, setText, show } from '../lib/dom.js';
import { ago, cut, ms } from '../lib/format.js';
import { waitingThreads } from '../state/lists.js';
import { formatRoute } from '../state/route.js';
import { List, threadRow } from './raillist.js';

/** @import { Job, Kind, State } from '../state/types.d.ts' */
/** @import { RailRow } from './types.d.ts' */

export class Rail extends HTMLElement {
  /**
   * Takes part in a space, or leaves it.
   * @type {(space: string, how: 'join' | 'leave') => unknown}
   */
  takePart = () => {};
  /**
   * Opens the menu of a row at its button.
   * @type {(kind: Kind, id: string, button: HTMLElement) => unknown}
   */
  menu = () => {};
  /**
   * Opens a job for an agent of the user's own.
   * @type {() => unknown}
   */
  watchOwn = () => {};
  /** @type {import('./spaces.js').Spaces | null} */
  #spaces = null;
  #spaceLists = h('div', { id: 'spaces' });
  /** @type {Map<string, ReturnType<typeof rowElements>>} */
  #rows = new Map();
  #threads = new List('threads', 'Conversations', () => this.#drawAll());
  #jobs = new List('jobs', 'Jobs', () => this.#drawAll());
  #watch = h('button', { type: 'button', class: 'quiet take-part', hidden: true, click: () => this.watchOwn() },
    'Watch your own agent');
  /** @type {State | null} */
  #state = null;

  /** The conversations that wait for a person. @type {Set<string>} */
  #asks = new Set();

  /** @param {State} s */
  draw(s) {
    const old = this.#state;
    const same = s.threads === old?.threads && s.jobs === old?.jobs && s.active === old?.active
      && s.seen === old?.seen && s.spaces === old?.spaces && s.hidden === old?.hidden;
    if (same && old) return;
    this.#asks = new Set(waitingThreads(s).map((t) => t.id));
    this.#state = s;
    this.#drawAll();
  }

  /** Draws the lists again. */
  redraw() { this.#drawAll(); }

  #drawAll() {
    const s = this.#state;
    if (!s) return;
    if (!this.#threads.el.isConnected) {
      this.#jobs.el.append(this.#watch);
      $('lists').prepend(this.#threads.el, this.#spaceLists, this.#jobs.el);
    }
    const now = Date.now() + s.skew;
    const noThreads = s.threads ? 'None yet. Ask something to begin.' : 'Reading…';
    this.#draw(this.#threads, s, s.threads?.filter((t) => !t.origin).map((t) => threadRow(t, now)) || [], noThreads);
    this.#drawSpaces(s);
    const noJobs = s.jobs ? 'None yet. Your agents’ work appears here.' : '';
    this.#draw(this.#jobs, s, s.jobs?.map(jobRow) || [], noJobs);
    show(this.#watch, s.jobs?.length === 0);
  }

  /** @param {State} s */
  #drawSpaces(s) {
    const found = s.spaces.length || s.threads?.some((t) => t.origin);
    if (this.#spaces) return this.#spaces.draw(s);
    if (found) import('./spaces.js').then(({ Spaces }) => {
      this.#spaces ||= new Spaces(this.#spaceLists, this, (list, now, rows, none) => this.#draw(list, now, rows, none));
      this.redraw();
    });
  }

  /** Updates the times, which are relative to now. */
  tick() {
    this.#drawAll(); // what nobody has reported on for long goes on no longer
    for (const { time } of this.#rows.values()) setText(time, ago(ms(time.dateTime), Date.now()));
  }

  /** @param {List} list @param {State} s @param {RailRow[]} rows @param {string} none */
  #draw(list, s, rows, none) {
    rows = rows.filter((r) => !s.hidden[r.key]);
    const items = rows.slice(0, list.limit).map((r) => this.#row(r, s));
    setText(list.empty, none);
    show(list.empty, rows.length === 0 && !!none);
    show(list.more, rows.length > items.length);
    const same = items.length === list.ul.children.length && items.every((el, i) => list.ul.children[i] === el);
    if (!same) keepFocus(() => fill(list.ul, ...items));
  }

  /** @param {RailRow} r @param {State} s */
  #row(r, s) {
    const row = this.#rows.get(r.key) || rowElements(r.href, (b) => this.menu(r.kind, r.key, b));
    const { li, link, dot, name, program, words, time, dots } = row;
    this.#rows.set(r.key, row);
    attribute(dots, 'aria-label', `Menu of ${r.title}`);
    const active = s.active.id === r.key, last = s.seen[r.key];
    const unread = !active && !!r.at && last !== r.at && ms(r.at) > ms(last);
    attribute(link, 'aria-current', active ? 'page' : null);
    attribute(li, 'class', [r.live ? 'live' : '', unread ? 'unread' : ''].join(' ').trim() || null);
    const asks = this.#asks.has(r.key);
    attribute(dot, 'data-state', asks ? 'asks' : r.state);
    setText(name, r.title);
    setText(program, r.program || '');
    attribute(link, 'title', r.kind === 'thread' && r.about ? r.title + r.about : null);
    const state = asks ? ', waits for you' : r.live ? ', running' : r.kind === 'job' ? `, ${r.state}` : '';
    setText(words, (r.about || '') + state + (unread ? ', unread' : ''));
    attribute(time, 'datetime', r.at);
    setText(time, r.at ? ago(ms(r.at), Date.now()) : '');
    return li;
  }
}

/** @param {string} href @param {(button: HTMLElement) => unknown} menu */
function rowElements(href, menu) {
  const dot = h('i', { class: 'dot', 'aria-hidden': 'true' }), name = h('span', { class: 'name', dir: 'auto' });
  const program = h('span', { class: 'program', 'aria-hidden': 'true' });
  const words = h('span', { class: 'sr' }), time = h('time'), link = h('a', { href }, dot, name, words, time, program);
  /** @type {HTMLElement} */
  const dots = h('button', {
    type: 'button', class: 'row-menu', 'aria-haspopup': 'menu', 'aria-expanded': 'false', click: () => menu(dots),
  }, '⋯');
  return { li: h('li', null, link, dots), link, dot, name, program, words, time, dots };
}

/** @param {Job} j @returns {RailRow} */
function jobRow({ job_id: id, state, title, updated_at: at }) {
  const href = formatRoute({ job: id }), live = state === 'running';
  return { key: id, href, title: cut(title || 'Untitled job', 80), at, live, state, kind: 'job' };
}

/**
 * Opens or closes the rail where the page is narrow.
 * @param {boolean} open
 */
export function drawer(open) {
  $('app').classList.toggle('rail-shown', open);
  $('main').inert = open;
  attribute($('rail-open'), 'aria-expanded', String(open));
  if (open) $('rail-close').focus();
}

customElements.define('candor-rail', Rail);
