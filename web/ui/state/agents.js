// The names of the agents of a turn. All functions are pure.

/** @import { Handoff } from './types.d.ts' */

/**
 * Returns what people call an agent of a turn: its name, with a number behind it if it is not the first of that name,
 * or its id if it has none.
 * @param {Handoff[]} handoffs @param {string} id
 */
export function nameOf(handoffs, id) {
  if (!id) return 'Main agent';
  const name = handoffs.find((h) => h.to === id && h.name)?.name;
  if (!name) return id;
  const at = [...new Set(handoffs.filter((h) => h.name === name).map((h) => h.to))].indexOf(id);
  return at ? `${name} ${at + 1}` : name;
}
