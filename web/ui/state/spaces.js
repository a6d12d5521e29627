// The spaces of the rail: who takes part in them, and whose threads are there. All functions are pure.

import { ms } from '../lib/format.js';

/** @import { ThreadInfo } from '../wire.d.ts' */
/** @import { Group, Space } from './types.d.ts' */

/** The list of the agents that other programs run; no space has a name with a blank. */
const watched = 'Watched agents';

/**
 * Returns the spaces, each with its threads and with those who take part but have no thread yet.
 * @param {ThreadInfo[]} threads @param {Space[]} spaces @returns {Group[]}
 */
export function groups(threads, spaces) {
  /** @type {Map<string, Group>} */
  const all = new Map(spaces.map((s) => [s.name, { name: s.name, space: s, threads: [], silent: [] }]));
  for (const t of threads) {
    if (!t.origin) continue;
    const name = t.attached ? watched : t.origin.space;
    const g = all.get(name) || { name, space: null, threads: [], silent: [] };
    g.threads.push(t);
    all.set(name, g);
  }
  for (const g of all.values()) {
    const heard = new Set(g.threads.map((t) => t.origin?.participant));
    // Of watched agents the newest comes first; a participant keeps its place.
    g.threads.sort((a, b) => g.name === watched ? ms(b.updated_at) - ms(a.updated_at)
      : compare(a.origin?.participant || '', b.origin?.participant || ''));
    g.silent = g.space?.participants.filter((p) => !heard.has(p.id) && p.id !== g.space?.you) || [];
  }
  return [...all.values()].sort((a, b) => compare(a.name, b.name));
}

/** @param {string} a @param {string} b */
function compare(a, b) { return a < b ? -1 : a > b ? 1 : 0; }
