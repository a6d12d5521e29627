// The page's context: its parts and what is open, built once and passed to whoever
// needs several of them.

/** @import { Context, Parts } from './types.d.ts' */

/** @param {Parts} parts @returns {Context} */
export function createContext(parts) {
  const { store } = parts, active = () => store.state.conversations[store.state.active.id];
  return Object.freeze({
    ...parts, active, turn: (/** @type {number} */ number) => active()?.turns.find((t) => t.number === number),
  });
}
