// <candor-rail>: conversations and jobs, with what goes on in them, and below
// who one is and how the page looks.

import { $, attribute, fill, h, setText, show } from '../lib/dom.js';
import { ago, cut, ms } from '../lib/format.js';
import { formatRoute } from '../state/route.js';

/** @import { JobInfo, State, ThreadInfo } from '../state/types.d.ts' */

/** @typedef {{ key: string, href: string, title: string, at: string, live: boolean, state: string, kind: 'thread' | 'job' }} Row */

/** How many rows of a list are in the page before somebody asks for more. */
const firstRows = 60;

export class Rail extends HTMLElement {
  /** @type {Map<string, HTMLElement>} */
  #rows = new Map();
  #threads = this.#list('Conversations', 'threads');
  #jobs = this.#list('Jobs', 'jobs');
  #limits = { threads: firstRows, jobs: firstRows };
  #drawn = '';

  /** @param {string} title @param {'threads' | 'jobs'} name */
  #list(title, name) {
    const list = h('ul', { id: name }), empty = h('p', { class: 'note' });
    const more = h('button', { type: 'button', class: 'quiet', hidden: true, click: () => this.#more(name) }, 'Show more');
    return { title, list, empty, more, el: h('section', { 'aria-labelledby': `${name}-title` }, h('h2', { id: `${name}-title` }, title), list, empty, more) };
  }

  /** @param {'threads' | 'jobs'} name */
  #more(name) {
    this.#limits[name] += 500;
    this.#drawn = '';
    if (this.#state) this.draw(this.#state);
  }
  /** @type {State | null} */
  #state = null;

  /** @param {State} s */
  draw(s) {
    if (s.threads === this.#state?.threads && s.jobs === this.#state?.jobs && s.active === this.#state?.active && s.seen === this.#state?.seen && this.#drawn) return;
    this.#state = s;
    this.#drawn = 'yes';
    if (!this.#threads.el.isConnected) $('lists').append(this.#threads.el, this.#jobs.el);
    this.#draw('threads', s, (s.threads || []).map(threadRow), s.threads ? 'None yet. Ask something, and it begins.' : 'Reading…');
    this.#draw('jobs', s, (s.jobs || []).map(jobRow), s.jobs ? 'None yet. Work in other processes shows up here.' : '');
  }

  /** Times grow old by themselves. */
  tick() {
    for (const el of this.#rows.values()) {
      const time = el.querySelector('time');
      if (time) setText(time, ago(ms(time.dateTime), Date.now()));
    }
  }

  /** @param {'threads' | 'jobs'} name @param {State} s @param {Row[]} rows @param {string} none */
  #draw(name, s, rows, none) {
    const part = name === 'threads' ? this.#threads : this.#jobs, shown = rows.slice(0, this.#limits[name]);
    setText(part.empty, none);
    show(part.empty, rows.length === 0);
    show(part.more, rows.length > shown.length);
    const items = shown.map((r) => this.#row(r, s));
    if (items.length !== part.list.children.length || items.some((el, i) => part.list.children[i] !== el)) {
      const had = document.activeElement;
      fill(part.list, ...items);
      if (had instanceof HTMLElement && had.isConnected && had !== document.activeElement) had.focus({ preventScroll: true });
    }
  }

  /** @param {Row} r @param {State} s */
  #row(r, s) {
    let el = this.#rows.get(r.key);
    if (!el) {
      el = h('li', null, h('a', { href: r.href }, h('i', { class: 'dot', 'aria-hidden': 'true' }), h('span', { class: 'name', dir: 'auto' }), h('span', { class: 'sr' }), h('time')));
      this.#rows.set(r.key, el);
    }
    const active = s.active.id === r.key, unread = !active && !!r.at && s.seen[r.key] !== r.at && ms(r.at) > ms(s.seen[r.key]);
    const [dot, name, words, time] = /** @type {HTMLElement[]} */ ([.../** @type {Element} */ (el.firstElementChild).children]);
    attribute(/** @type {HTMLElement} */(el.firstElementChild), 'aria-current', active ? 'page' : null);
    attribute(el, 'class', [r.live ? 'live' : '', unread ? 'unread' : ''].join(' ').trim() || null);
    attribute(dot, 'data-state', r.state);
    setText(name, r.title);
    setText(words, [r.live ? ', running' : r.kind === 'job' ? `, ${r.state}` : '', unread ? ', unread' : ''].join(''));
    attribute(time, 'datetime', r.at);
    setText(time, r.at ? ago(ms(r.at), Date.now()) : '');
    return el;
  }
}

/** @param {ThreadInfo} t @returns {Row} */
function threadRow(t) {
  return {
    key: t.id, href: formatRoute({ thread: t.id }), title: cut(t.title || 'New conversation', 80), at: t.updated_at,
    live: t.state === 'processing', state: t.state, kind: 'thread',
  };
}

/** @param {JobInfo} j @returns {Row} */
function jobRow(j) {
  return {
    key: j.job_id, href: formatRoute({ job: j.job_id }), title: cut(j.title || 'Untitled job', 80), at: j.updated_at,
    live: j.state === 'running', state: j.state, kind: 'job',
  };
}

/** Opens and closes the rail where the page is narrow. @param {boolean} open */
export function drawer(open) {
  $('app').classList.toggle('rail-shown', open);
  attribute($('rail-open'), 'aria-expanded', String(open));
  if (open) $('rail-close').focus();
}

customElements.define('candor-rail', Rail);
