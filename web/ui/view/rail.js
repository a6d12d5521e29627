// <candor-rail>: conversations, spaces with their participants, and jobs, each with its state, the MCP servers, and
// below them the account and the settings of the page.

import { $, attribute, fill, h, keepFocus, setText, show } from '../lib/dom.js';
import { ago, cut, ms, plural } from '../lib/format.js';
import { groups } from '../state/observed.js';
import { formatRoute } from '../state/route.js';

/** @import { MCPServer, ThreadInfo } from '../wire.d.ts' */
/** @import { Group, Job, Kind, Space, State } from '../state/types.d.ts' */
/** @import { RailRow } from './types.d.ts' */

/** How many rows of a list are in the page at first, and how many more at each request. */
const firstRows = 60, moreRows = 500;

/** A list of the rail, with its elements. */
class List {
  limit = firstRows;
  ul; empty = h('p', { class: 'note' }); el; more;

  /** @param {string} id @param {string} title @param {() => void} redraw */
  constructor(id, title, redraw) {
    const heading = h('h2', { id: `${id}-title` }, title), grow = () => { this.limit += moreRows; redraw(); };
    this.ul = h('ul', { id });
    this.more = h('button', { type: 'button', class: 'quiet', hidden: true, click: grow }, 'Show more');
    this.el = h('section', { 'aria-labelledby': heading.id }, heading, this.ul, this.empty, this.more);
  }
}

/** A space of the rail: its participants, and the button to take part or leave. */
class SpaceList extends List {
  /** @type {Space | null} */
  #space = null;
  #part = h('button', { type: 'button', class: 'quiet take-part' });
  #silent = h('ul');

  /** @param {number} n @param {string} name @param {Rail} rail */
  constructor(n, name, rail) {
    super(`space-${n}`, name, () => rail.redraw());
    this.#part.addEventListener('click', () => {
      if (this.#space) rail.takePart(this.#space.name, this.#space.joined ? 'leave' : 'join');
    });
    this.ul.after(this.#silent, this.#part);
  }

  /** @param {Group} g */
  update({ space, silent }) {
    this.#space = space;
    show(this.#part, !!space);
    setText(this.#part, space ? `${space.joined ? 'Leave' : 'Join'} ${cut(space.name, 40)}` : '');
    fill(this.#silent, ...silent.map(silentRow));
  }
}

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
  /** @type {Map<string, SpaceList>} */
  #spaces = new Map();
  #spaceLists = h('div', { id: 'spaces' });
  /** @type {Map<string, ReturnType<typeof rowElements>>} */
  #rows = new Map();
  #threads = new List('threads', 'Conversations', () => this.#drawAll());
  #jobs = new List('jobs', 'Jobs', () => this.#drawAll());
  #servers = h('ul', { id: 'servers' });
  #serverList = h('section', { 'aria-labelledby': 'servers-title', hidden: true },
    h('h2', { id: 'servers-title' }, 'MCP servers'), this.#servers);
  #serversShown = '';
  /** @type {State | null} */
  #state = null;

  /** The conversations that are known to wait for a person. */
  #asks = '';

  /** @param {State} s */
  draw(s) {
    const old = this.#state;
    const same = s.threads === old?.threads && s.jobs === old?.jobs && s.active === old?.active
      && s.seen === old?.seen && s.spaces === old?.spaces && s.hidden === old?.hidden;
    const asks = asking(s);
    if (same && old && asks === this.#asks) return;
    this.#asks = asks;
    this.#state = s;
    this.#drawAll();
  }

  /** Draws the lists again. */
  redraw() { this.#drawAll(); }

  #drawAll() {
    const s = this.#state;
    if (!s) return;
    if (!this.#threads.el.isConnected) {
      $('lists').append(this.#threads.el, this.#spaceLists, this.#jobs.el, this.#serverList);
    }
    const noThreads = s.threads ? 'None yet. Ask something, and it begins.' : 'Reading…';
    this.#draw(this.#threads, s, s.threads?.filter((t) => !t.origin).map(threadRow) || [], noThreads);
    this.#drawSpaces(s);
    const noJobs = s.jobs ? 'None yet. Work in other processes shows up here.' : '';
    this.#draw(this.#jobs, s, s.jobs?.map(jobRow) || [], noJobs);
  }

  /** @param {State} s */
  #drawSpaces(s) {
    const all = groups(s.threads || [], s.spaces);
    const lists = all.map((g) => {
      const list = this.#spaces.get(g.name) || new SpaceList(this.#spaces.size, cut(g.name, 80), this);
      this.#spaces.set(g.name, list);
      const here = new Set(g.space?.participants.filter((p) => p.connected).map((p) => p.id));
      const rows = g.threads.map((t) => participantRow(t, here, !!g.space));
      this.#draw(list, s, rows, g.silent.length ? '' : 'Nobody yet.');
      list.update(g);
      return list.el;
    });
    const same = lists.length === this.#spaceLists.children.length
      && lists.every((el, i) => this.#spaceLists.children[i] === el);
    if (!same) keepFocus(() => fill(this.#spaceLists, ...lists));
  }

  /** @param {MCPServer[]} all */
  drawServers(all) {
    const shown = JSON.stringify(all);
    if (shown === this.#serversShown) return;
    this.#serversShown = shown;
    show(this.#serverList, all.length > 0);
    fill(this.#servers, ...all.map(serverRow));
  }

  /** Updates the times, which are relative to now. */
  tick() {
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
    const { li, link, dot, name, words, time, dots } = row;
    this.#rows.set(r.key, row);
    attribute(dots, 'aria-label', `Menu of ${r.title}`);
    const active = s.active.id === r.key, last = s.seen[r.key];
    const unread = !active && !!r.at && last !== r.at && ms(r.at) > ms(last);
    attribute(link, 'aria-current', active ? 'page' : null);
    attribute(li, 'class', [r.live ? 'live' : '', unread ? 'unread' : ''].join(' ').trim() || null);
    const asks = this.#asks.split(' ').includes(r.key);
    attribute(dot, 'data-state', asks ? 'asks' : r.state);
    setText(name, r.title);
    const state = asks ? ', waits for you' : r.live ? ', running' : r.kind === 'job' ? `, ${r.state}` : '';
    setText(words, (r.about || '') + state + (unread ? ', unread' : ''));
    attribute(time, 'datetime', r.at);
    setText(time, r.at ? ago(ms(r.at), Date.now()) : '');
    return li;
  }
}

/**
 * Returns the ids of the conversations that were read and wait for a person.
 * @param {State} s
 */
function asking(s) {
  const all = Object.values(s.conversations).filter((c) => c.turns.some((t) => t.calls.some((x) => x.request)));
  return all.map((c) => c.id).join(' ');
}

/** @param {string} href @param {(button: HTMLElement) => unknown} menu */
function rowElements(href, menu) {
  const dot = h('i', { class: 'dot', 'aria-hidden': 'true' }), name = h('span', { class: 'name', dir: 'auto' });
  const words = h('span', { class: 'sr' }), time = h('time'), link = h('a', { href }, dot, name, words, time);
  /** @type {HTMLElement} */
  const dots = h('button', {
    type: 'button', class: 'row-menu', 'aria-haspopup': 'menu', 'aria-expanded': 'false', click: () => menu(dots),
  }, '⋯');
  return { li: h('li', null, link, dots), link, dot, name, words, time, dots };
}

/** @param {MCPServer} s */
function serverRow({ name, state, tools }) {
  const dot = h('i', { class: 'dot', 'aria-hidden': 'true', 'data-state': state === 'down' ? 'failed' : state });
  const words = h('span', { class: 'words' }, state === 'up' ? plural(tools, 'tool') : state);
  return h('li', { class: state === 'starting' ? 'server live' : 'server' },
    dot, h('span', { class: 'name', dir: 'auto' }, cut(name, 80)), words);
}

/** @param {ThreadInfo} t @returns {RailRow} */
function threadRow({ id, state, title, updated_at: at }) {
  const href = formatRoute({ thread: id }), live = state === 'processing';
  return { key: id, href, title: cut(title || 'New conversation', 80), at, live, state, kind: 'thread' };
}

/**
 * @param {ThreadInfo} t @param {Set<string>} here who is connected @param {boolean} known whether that is known
 * @returns {RailRow}
 */
function participantRow(t, here, known) {
  const name = t.origin?.participant || '', about = known && !here.has(name) ? ', away' : '';
  return { ...threadRow(t), title: cut(name, 80), about };
}

/** @param {Group['silent'][number]} p */
function silentRow({ id, connected }) {
  const dot = h('i', { class: 'dot', 'aria-hidden': 'true', 'data-state': connected ? 'up' : 'away' });
  const words = h('span', { class: 'words' }, connected ? 'nothing said yet' : 'away');
  return h('li', { class: 'server' }, dot, h('span', { class: 'name', dir: 'auto' }, cut(id, 80)), words);
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
  attribute($('rail-open'), 'aria-expanded', String(open));
  if (open) $('rail-close').focus();
}

customElements.define('candor-rail', Rail);
