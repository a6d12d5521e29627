// A windowed list: only items near the view are in the page. Heights are measured. What
// the reader looks at, an item or a part of one, keeps its position when something above
// it changes; a reader at the end stays at the end.

import { h } from './dom.js';

/** @import { Anchor, ListOwner } from './types.d.ts' */

/** How far beyond the view items are kept, and how near the end counts as the end, in pixels. */
const overscan = 900, nearEnd = 60;

/** @template T @template {HTMLElement} E */
export class WindowedList {
  /** Whether the list follows its end. */
  pinned = true;
  /** @type {T[]} */
  #items = [];
  #top = h('div', { class: 'spacer', 'aria-hidden': 'true' });
  #bottom = h('div', { class: 'spacer', 'aria-hidden': 'true' });
  /** @type {Map<string, E>} */
  #els = new Map();
  /** @type {Map<string, number>} */
  #heights = new Map();
  /** The height of an item that was never measured. */
  #guess = 220;
  /** @type {Anchor | null} */
  #target = null;
  #scheduled = false;
  /** The scroll position that the list took itself, at its end. */
  #own = -1;
  #width = 0;
  #sizes = new ResizeObserver((all) => this.#measured(all));

  /** @param {HTMLElement} scroller @param {HTMLElement} holder of the items @param {ListOwner<T, E>} owner */
  constructor(scroller, holder, owner) {
    this.scroller = scroller;
    this.holder = holder;
    this.owner = owner;
    holder.append(this.#top, this.#bottom);
    scroller.addEventListener('scroll', () => this.#scrolled(), { passive: true });
    new ResizeObserver(() => this.#resized()).observe(scroller);
  }

  /** Forgets everything, for another conversation. */
  clear() {
    for (const el of this.#els.values()) { this.#sizes.unobserve(el); el.remove(); }
    this.#els.clear();
    this.#heights.clear();
    this.#items = [];
    this.#target = null;
    this.pinned = true;
    this.scroller.scrollTop = 0;
  }

  /** @param {T[]} items */
  show(items) {
    this.#items = items;
    this.#sync();
  }

  /** @param {string} key */
  element(key) { return this.#els.get(key) || null; }
  get elements() { return this.#els.values(); }

  /**
   * Scrolls an item to the top of the view.
   * @param {string} key @param {number} [offset] pixels below the top
   */
  goTo(key, offset = 24) {
    this.pinned = false;
    this.#target = { key, offset };
    this.#sync();
  }

  /** Remembers the position before the list is hidden. */
  leave() { if (!this.pinned) this.#target = this.#anchor(); }

  /**
   * Keeps an element in its position through the next drawing, even at the end.
   * @param {string} key
   */
  hold(key) {
    const el = this.#els.get(key);
    if (!el) return;
    this.pinned = false;
    this.#target = { key, offset: this.#offset(el) };
  }

  toEnd() {
    this.pinned = true;
    this.#target = null;
    this.#sync();
  }

  /** Scrolls to the end, if the list follows it. */
  #follow() {
    if (!this.pinned || !this.#items.length) return;
    this.scroller.scrollTop = this.scroller.scrollHeight;
    this.#own = this.scroller.scrollTop;
  }

  #sync() {
    if (!this.scroller.clientHeight) return; // the list is hidden
    const anchor = this.pinned ? null : this.#target || this.#anchor();
    const [from, to] = this.#range(anchor);
    this.#reconcile(from, to);
    this.#spacers(from, to);
    this.#measure();
    if (this.pinned) this.#follow();
    else if (anchor) this.#restore(anchor);
    this.#target = null;
    if (from === 0 && !this.pinned) this.owner.onEdge();
    else if (from === 0 && this.scroller.scrollHeight <= this.scroller.clientHeight + nearEnd) this.owner.onEdge();
  }

  /**
   * Returns the first item in view, with its first part there.
   */
  #anchor() {
    for (const [key, el] of this.#els) {
      const offset = this.#offset(el);
      if (offset + el.offsetHeight <= 0 || offset >= this.scroller.clientHeight) continue;
      for (const part of this.owner.parts(el)) {
        const at = this.#offset(part), seen = part.offsetHeight > 0 && at + part.offsetHeight > 40;
        if (seen) return { key, offset, part: { el: part, offset: at } };
      }
      return { key, offset };
    }
    return null;
  }

  /** @param {HTMLElement} el */
  #offset(el) { return el.getBoundingClientRect().top - this.scroller.getBoundingClientRect().top; }

  /** @param {Anchor} anchor */
  #restore(anchor) {
    const el = this.#els.get(anchor.key);
    if (!el) return;
    const { part } = anchor, kept = part?.el.offsetHeight ? part : { el, offset: anchor.offset };
    const off = this.#offset(kept.el) - kept.offset;
    if (Math.abs(off) >= 1) this.scroller.scrollTop += off;
  }

  /** Reports whether the items in the page reach far enough beyond the view. */
  #covers() {
    const view = this.scroller.getBoundingClientRect(), margin = overscan / 2;
    const above = this.#top.getBoundingClientRect().bottom < view.top - margin;
    const below = this.#bottom.getBoundingClientRect().top > view.bottom + margin;
    const first = this.#top.offsetHeight === 0, last = this.#bottom.offsetHeight === 0;
    return first ? last : above && (last || below);
  }

  /**
   * Returns which items to have in the page.
   * @param {Anchor | null} anchor
   */
  #range(anchor) {
    const n = this.#items.length, view = this.scroller.clientHeight + overscan;
    if (this.pinned) return [this.#back(n - 1, view), n];
    let at = anchor ? this.#items.findIndex((i) => this.owner.key(i) === anchor.key) : -1;
    let offset = anchor?.offset || 0;
    if (at < 0) [at, offset] = this.#byScroll();
    return [this.#back(at, overscan + Math.max(0, offset)), this.#forth(at, view - offset)];
  }

  /**
   * Returns the item at the scroll position, by the known heights, and its offset.
   */
  #byScroll() {
    let sum = this.holder.offsetTop, i = 0;
    const y = this.scroller.scrollTop;
    while (i < this.#items.length - 1 && sum + this.#height(i) <= y) sum += this.#height(i++);
    return [i, sum - y];
  }

  /** @param {number} i @param {number} space */
  #back(i, space) {
    while (i > 0 && space > 0) space -= this.#height(--i);
    return Math.max(0, i);
  }

  /** @param {number} i @param {number} space */
  #forth(i, space) {
    while (i < this.#items.length && space > 0) space -= this.#height(i++);
    return i;
  }

  /** @param {number} i */
  #height(i) { return this.#heights.get(this.owner.key(this.#items[i])) ?? this.#guess; }

  /** @param {number} from @param {number} to */
  #reconcile(from, to) {
    const keep = new Set();
    /** @type {ChildNode} */
    let after = this.#top;
    for (let i = from; i < to; i++) {
      const item = this.#items[i], key = this.owner.key(item);
      keep.add(key);
      let el = this.#els.get(key);
      if (!el) {
        el = this.owner.make(item);
        this.#els.set(key, el);
        this.#sizes.observe(el);
      }
      if (after.nextSibling !== el) after.after(el);
      this.owner.draw(el, item);
      after = el;
    }
    for (const [key, el] of this.#els) if (!keep.has(key)) this.#drop(key, el);
    // #anchor reads the elements in document order.
    this.#els = new Map([...this.#els].sort(([, a], [, b]) =>
      a.compareDocumentPosition(b) & Node.DOCUMENT_POSITION_FOLLOWING ? -1 : 1));
  }

  /** @param {string} key @param {E} el */
  #drop(key, el) {
    // A focus inside the element moves to the list.
    if (el.contains(document.activeElement)) this.scroller.focus({ preventScroll: true });
    this.#sizes.unobserve(el);
    el.remove();
    this.#els.delete(key);
  }

  /** @param {number} from @param {number} to */
  #spacers(from, to) {
    let above = 0, below = 0;
    for (let i = 0; i < from; i++) above += this.#height(i);
    for (let i = to; i < this.#items.length; i++) below += this.#height(i);
    this.#top.style.height = `${above}px`;
    this.#bottom.style.height = `${below}px`;
  }

  #measure() {
    let sum = 0;
    for (const [key, el] of this.#els) {
      this.#heights.set(key, el.offsetHeight);
      sum += el.offsetHeight;
    }
    if (this.#els.size > 3) this.#guess = sum / this.#els.size;
  }

  /** @param {ResizeObserverEntry[]} all */
  #measured(all) {
    for (const e of all) {
      for (const [key, el] of this.#els) if (el === e.target) this.#heights.set(key, el.offsetHeight);
    }
    this.#follow();
  }

  #resized() {
    if (this.scroller.clientWidth !== this.#width) this.#heights.clear();
    this.#width = this.scroller.clientWidth;
    this.#follow();
    this.#later();
  }

  /** Whether the end is in view, or nearly. */
  get atEnd() { return this.scroller.scrollHeight - this.scroller.scrollTop - this.scroller.clientHeight < nearEnd; }

  #scrolled() {
    const own = this.pinned && this.scroller.scrollTop === this.#own; // it may have grown since
    this.pinned = !this.#items.length || this.atEnd || own; // what stands there without items has no end to follow
    this.owner.onScroll();
    this.#later();
  }

  #later() {
    if (this.#scheduled) return;
    this.#scheduled = true;
    requestAnimationFrame(() => {
      this.#scheduled = false;
      if (!this.pinned && !this.#covers()) this.#sync();
    });
  }
}
