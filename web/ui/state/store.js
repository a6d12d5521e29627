// Holds the state. What is drawn follows in animation frames, so that many
// changes cost one drawing; effects, such as fetching, follow each change.

import { initial, reduce } from './reduce.js';

/** @import { State } from './types.d.ts' */

/** @typedef {import('./reduce.js').Action} Action */

export class Store {
  state = initial();
  /** @type {Set<(s: State) => void>} */
  #drawers = new Set();
  /** @type {Set<(s: State, a: Action) => void>} */
  #effects = new Set();
  #due = false;

  /** @param {Action} a */
  dispatch(a) {
    const before = this.state;
    this.state = reduce(before, a);
    for (const f of this.#effects) f(this.state, a);
    if (this.state !== before) this.draw();
  }

  /** Draws in the next frame, also where only what is beside the state has changed. */
  draw() {
    if (this.#due) return;
    this.#due = true;
    requestAnimationFrame(() => {
      this.#due = false;
      for (const f of this.#drawers) f(this.state);
    });
  }

  /** @param {(s: State) => void} f called once a frame at most */
  onDraw(f) { this.#drawers.add(f); }
  /** @param {(s: State, a: Action) => void} f called after each action */
  onAction(f) { this.#effects.add(f); }
  /** The server's time. */
  now() { return Date.now() + this.state.skew; }
}
