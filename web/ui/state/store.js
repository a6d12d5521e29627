// Holds the state. Effects, such as fetching, run after every action; drawing waits for
// the next animation frame, so many changes cost one drawing.

import { initial, reduce } from './reduce.js';

/** @import { Action, State } from './types.d.ts' */

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

  /** Draws in the next frame. */
  draw() {
    if (this.#due) return;
    this.#due = true;
    requestAnimationFrame(() => {
      this.#due = false;
      for (const f of this.#drawers) f(this.state);
    });
  }

  /** @param {(s: State) => void} f called at most once per frame */
  onDraw(f) { this.#drawers.add(f); }
  /** @param {(s: State, a: Action) => void} f called after each action */
  onAction(f) { this.#effects.add(f); }
  /** Returns the server's time, or when a server that is lost was last heard: no clock goes on without it. */
  now() { return (this.state.link.heard || Date.now()) + this.state.skew; }
}
