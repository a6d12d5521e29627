// What has to be read to its end before it is approved.

/** Knows which of some boxes were scrolled to their end, and so read. */
export class Reading {
  /** @type {Set<HTMLElement>} */
  #left;
  /** The box that has fields within it, and those of them that were not read. */
  #outer; #fields = /** @type {Set<HTMLElement>} */ (new Set());
  #changed;
  #sizes = new ResizeObserver(() => this.#look());

  /** @param {HTMLElement[]} boxes @param {(left: boolean) => void} changed */
  constructor(boxes, changed) {
    this.#left = new Set(boxes);
    this.#outer = boxes[0];
    this.#changed = changed;
    for (const b of boxes) this.#watch(b);
  }

  /** @param {HTMLElement} box */
  #watch(box) {
    box.addEventListener('scroll', () => this.#look(), { passive: true });
    this.#sizes.observe(box);
  }

  /**
   * Counts a box as read once its end and that of each field within it were in view.
   * @param {HTMLElement} box @param {HTMLElement[]} fields
   */
  within(box, fields) {
    this.#outer = box;
    this.#fields = new Set(fields);
    for (const f of fields) this.#watch(f);
    this.#look();
  }

  /** Drops the boxes whose end is in view. A box that is not laid out was not seen. */
  #look() {
    for (const all of [this.#fields, this.#left]) {
      for (const b of all) {
        const seen = b.clientHeight > 0 && b.scrollHeight - b.scrollTop - b.clientHeight < 4;
        if (seen && (b !== this.#outer || !this.#fields.size)) all.delete(b);
      }
    }
    this.#changed(this.#left.size > 0);
  }

  /** Scrolls on in the first box that was not read to its end; returns whether there is one. */
  go() {
    this.#look();
    const [first] = this.#left, [field] = first === this.#outer ? this.#fields : [], box = field || first;
    box?.scrollBy({ top: box.clientHeight - 24 });
    field?.scrollIntoView({ block: 'nearest' });
    return !!first;
  }
}
