// The spaces of the rail, each with its participants. Loaded once there is one.

import { fill, h, keepFocus, setText, show } from '../lib/dom.js';
import { cut } from '../lib/format.js';
import { whose } from '../state/observed.js';
import { groups } from '../state/spaces.js';
import { List, threadRow } from './raillist.js';

/** @import { ThreadInfo } from '../wire.d.ts' */
/** @import { Group, Space, State } from '../state/types.d.ts' */
/** @import { DrawList, RailRow } from './types.d.ts' */
/** @typedef {{ redraw(): void, takePart(space: string, how: 'join' | 'leave'): unknown }} Owner */

/** A space of the rail: its participants, and the button to take part or leave. */
class SpaceList extends List {
  /** @type {Space | null} */
  #space = null;
  #part = h('button', { type: 'button', class: 'quiet take-part' });
  #silent = h('ul');

  /** @param {number} n @param {string} name @param {Owner} rail */
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

export class Spaces {
  /** @type {Map<string, SpaceList>} */
  #lists = new Map();

  /** @param {HTMLElement} el where the lists are @param {Owner} rail @param {DrawList} drawList */
  constructor(el, rail, drawList) {
    this.el = el;
    this.rail = rail;
    this.drawList = drawList;
  }

  /** @param {State} s */
  draw(s) {
    const all = groups(s.threads || [], s.spaces);
    const lists = all.map((g) => {
      const list = this.#lists.get(g.name) || new SpaceList(this.#lists.size, cut(g.name, 80), this.rail);
      this.#lists.set(g.name, list);
      const here = new Set(g.space?.participants.filter((p) => p.connected).map((p) => p.id));
      const rows = g.threads.map((t) => participantRow(t, Date.now() + s.skew, here, !!g.space));
      this.drawList(list, s, rows, g.silent.length ? '' : 'Nobody yet.');
      list.update(g);
      return list.el;
    });
    const same = lists.length === this.el.children.length
      && lists.every((el, i) => this.el.children[i] === el);
    if (!same) keepFocus(() => fill(this.el, ...lists));
  }
}

/**
 * @param {ThreadInfo} t @param {number} now @param {Set<string>} here who is connected
 * @param {boolean} known whether that is known @returns {RailRow}
 */
function participantRow(t, now, here, known) {
  const row = threadRow(t, now);
  const title = t.title || t.attached?.title, program = title && t.origin?.participant;
  if (t.attached) return { ...row, title: cut(title || whose(t), 80), about: title && `, ${whose(t)}`, program };
  const name = t.origin?.participant || '', about = known && !here.has(name) ? ', away' : '';
  return { ...row, title: cut(name, 80), about };
}

/** @param {Group['silent'][number]} p */
function silentRow({ id, connected }) {
  const dot = h('i', { class: 'dot', 'aria-hidden': 'true', 'data-state': connected ? 'up' : 'away' });
  const words = h('span', { class: 'words' }, connected ? 'nothing said yet' : 'away');
  return h('li', { class: 'server' }, dot, h('span', { class: 'name', dir: 'auto' }, cut(id, 80)), words);
}
