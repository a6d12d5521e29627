// A list of the rail, and the row of a conversation.

import { h } from '../lib/dom.js';
import { cut } from '../lib/format.js';
import { goesOn } from '../state/heard.js';
import { formatRoute } from '../state/route.js';

/** @import { ThreadInfo } from '../wire.d.ts' */
/** @import { RailRow } from './types.d.ts' */

/** How many rows of a list are in the page at first, and how many more at each request. */
const firstRows = 60, moreRows = 500;

/** A list of the rail, with its elements. */
export class List {
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

/** @param {ThreadInfo} t @param {number} now the server's time @returns {RailRow} */
export function threadRow(t, now) {
  const { id, title, updated_at: at } = t, href = formatRoute({ thread: id }), live = goesOn(t, now);
  const state = live ? 'processing' : 'idle';
  return { key: id, href, title: cut(title || 'New conversation', 80), at, live, state, kind: 'thread' };
}
