// A windowed list: of however many items, only those near the view are in the
// page. Heights are measured; what the reader looks at stays where it is when
// items above it come, go or grow; who is at the end stays at the end.

import { h } from './dom.js';

/** How far beyond the view items are kept, and how near the end counts as at it, in pixels. */
const overscan = 900, nearEnd = 60;

/** @template T */
export class WindowedList {
  pinned = true;
  /** @type {T[]} */
  #items = [];
  #top = h('div', { class: 'spacer', 'aria-hidden': 'true' });
  #bottom = h('div', { class: 'spacer', 'aria-hidden': 'true' });
  /** @type {Map<string, HTMLElement>} */
  #els = new Map();
  /** @type {Map<string, number>} */
  #heights = new Map();
  #guess = 220;
  /** @type {{ key: string, offset: number } | null} */
  #target = null;
  #scheduled = false;
  #width = 0;

  /**
   * @param {HTMLElement} scroller
   * @param {HTMLElement} holder where the items go
   * @param {{ key(item: T): string, make(item: T): HTMLElement, draw(el: HTMLElement, item: T): void, onEdge(): void, onScroll(): void }} of
   */
  constructor(scroller, holder, of) {
    this.scroller = scroller;
    this.holder = holder;
    this.of = of;
    holder.append(this.#top, this.#bottom);
    scroller.addEventListener('scroll', () => this.#scrolled(), { passive: true });
    new ResizeObserver(() => this.#resized()).observe(scroller);
    this.#sizes = new ResizeObserver((all) => this.#measured(all));
  }
  #sizes;

  /** Forgets everything, for another conversation. */
  clear() {
    for (const el of this.#els.values()) { this.#sizes.unobserve(el); el.remove(); }
    this.#els.clear();
    this.#heights.clear();
    this.#items = [];
    this.#target = null;
    this.pinned = true;
  }

  /** Shows these items, drawing anew those in view. @param {T[]} items */
  show(items) {
    this.#items = items;
    this.#sync();
  }

  /** The element of an item, if it is in the page. @param {string} key */
  element(key) { return this.#els.get(key) || null; }
  get elements() { return this.#els.values(); }

  /** Brings an item to the top of the view. @param {string} key @param {number} [offset] pixels below it */
  goTo(key, offset = 24) {
    this.pinned = false;
    this.#target = { key, offset };
    this.#sync();
  }

  /** Keeps the place through a time in which the list is hidden. */
  leave() { if (!this.pinned) this.#target = this.#anchor(); }

  /** Keeps an element where it is through the next drawing, also at the end of the list. @param {string} key */
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

  #sync() {
    if (!this.scroller.clientHeight) return; // it is not what one looks at
    const anchor = this.pinned ? null : this.#target || this.#anchor();
    const [from, to] = this.#range(anchor);
    this.#reconcile(from, to);
    this.#spacers(from, to);
    this.#measure();
    if (this.pinned) this.scroller.scrollTop = this.scroller.scrollHeight;
    else if (anchor) this.#restore(anchor);
    this.#target = null;
    if (from === 0 && !this.pinned) this.of.onEdge();
    else if (from === 0 && this.scroller.scrollHeight <= this.scroller.clientHeight + nearEnd) this.of.onEdge();
  }

  /** The first item in view. @returns {{ key: string, offset: number } | null} */
  #anchor() {
    for (const [key, el] of this.#els) {
      const offset = this.#offset(el);
      if (offset + el.offsetHeight > 0 && offset < this.scroller.clientHeight) return { key, offset };
    }
    return null;
  }

  /** @param {HTMLElement} el */
  #offset(el) { return el.getBoundingClientRect().top - this.scroller.getBoundingClientRect().top; }

  /** @param {{ key: string, offset: number }} anchor */
  #restore(anchor) {
    const el = this.#els.get(anchor.key);
    if (!el) return;
    const off = this.#offset(el) - anchor.offset;
    if (Math.abs(off) >= 1) this.scroller.scrollTop += off;
  }

  /** Whether what is in the page reaches far enough beyond the view. */
  #covers() {
    const view = this.scroller.getBoundingClientRect(), above = this.#top.getBoundingClientRect().bottom, below = this.#bottom.getBoundingClientRect().top;
    const first = this.#top.offsetHeight === 0, last = this.#bottom.offsetHeight === 0;
    return (!first && above < view.top - overscan / 2 && (last || below > view.bottom + overscan / 2)) || (first && last);
  }

  /** Which items to have in the page. @param {{ key: string, offset: number } | null} anchor @returns {[number, number]} */
  #range(anchor) {
    const n = this.#items.length, view = this.scroller.clientHeight + overscan;
    if (this.pinned) return [this.#back(n - 1, view), n];
    let at = anchor ? this.#items.findIndex((i) => this.of.key(i) === anchor.key) : -1, offset = anchor?.offset || 0;
    if (at < 0) [at, offset] = this.#byScroll();
    return [this.#back(at, overscan + Math.max(0, offset)), this.#forth(at, view - offset)];
  }

  /** The item at the scroller's place, by the heights that are known. @returns {[number, number]} */
  #byScroll() {
    let sum = this.holder.offsetTop, i = 0;
    const y = this.scroller.scrollTop;
    while (i < this.#items.length - 1 && sum + this.#height(i) <= y) sum += this.#height(i++);
    return [i, sum - y];
  }

  /** @param {number} i @param {number} room */
  #back(i, room) {
    while (i > 0 && room > 0) room -= this.#height(--i);
    return Math.max(0, i);
  }

  /** @param {number} i @param {number} room */
  #forth(i, room) {
    while (i < this.#items.length && room > 0) room -= this.#height(i++);
    return i;
  }

  /** @param {number} i */
  #height(i) { return this.#heights.get(this.of.key(this.#items[i])) ?? this.#guess; }

  /** @param {number} from @param {number} to */
  #reconcile(from, to) {
    const keep = new Set();
    /** @type {ChildNode} */
    let after = this.#top;
    for (let i = from; i < to; i++) {
      const item = this.#items[i], key = this.of.key(item);
      keep.add(key);
      let el = this.#els.get(key);
      if (!el) {
        el = this.of.make(item);
        this.#els.set(key, el);
        this.#sizes.observe(el);
      }
      if (after.nextSibling !== el) after.after(el);
      this.of.draw(el, item);
      after = el;
    }
    for (const [key, el] of this.#els) if (!keep.has(key)) this.#drop(key, el);
    // In the order of the page, which #anchor goes by.
    this.#els = new Map([...this.#els].sort(([, a], [, b]) => a.compareDocumentPosition(b) & Node.DOCUMENT_POSITION_FOLLOWING ? -1 : 1));
  }

  /** @param {string} key @param {HTMLElement} el */
  #drop(key, el) {
    // Who was in it with the keyboard goes on from the list.
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
      const el = /** @type {HTMLElement} */ (e.target);
      for (const [key, own] of this.#els) if (own === el) this.#heights.set(key, el.offsetHeight);
    }
  }

  #resized() {
    if (this.scroller.clientWidth !== this.#width) this.#heights.clear();
    this.#width = this.scroller.clientWidth;
    if (this.pinned) this.scroller.scrollTop = this.scroller.scrollHeight;
    this.#later();
  }

  #scrolled() {
    const left = this.scroller.scrollHeight - this.scroller.scrollTop - this.scroller.clientHeight;
    this.pinned = left < nearEnd;
    this.of.onScroll();
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
