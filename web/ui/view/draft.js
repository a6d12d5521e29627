// An answer before the server made HTML of it, as its Markdown means it: while it streams in, and until history is
// read. Elements are built one by one, and those that stay the same stay in place. Loaded with the first such answer.

import { h, place } from '../lib/dom.js';
import { markup } from '../state/markdown.js';
import { words } from './block.js';

/** @import { Mark, Markup } from '../state/types.d.ts' */

/** What blocks show. @type {WeakMap<Element, string>} */
const shown = new WeakMap();

/**
 * Shows a text.
 * @param {HTMLElement} el @param {string} text @param {boolean} open whether more of it may come
 */
export function draft(el, text, open) {
  const old = [...el.children];
  place(el, markup(text, open).map((b, i) => {
    const now = JSON.stringify(b), same = shown.get(old[i]) === now, made = same ? old[i] : block(b);
    shown.set(made, now);
    return made;
  }));
}

/** @param {Markup} b @returns {HTMLElement} */
function block(b) {
  if (b.kind === 'pre') return h('pre', null, h('code', null, ...words(b.text || '')));
  if (b.marks) return h(b.kind, null, ...b.marks.flatMap(marked));
  const all = b.blocks || [], only = b.kind === 'li' && all[0]?.kind === 'p' ? all[0].marks : null;
  // The first paragraph of an item stands beside its sign.
  return h(b.kind, null, ...(only || []).flatMap(marked), ...all.slice(only ? 1 : 0).map(block));
}

/** @param {Mark} m @returns {(string | Node)[]} */
function marked(m) {
  const inner = m.marks ? m.marks.flatMap(marked) : words(m.text || '');
  return m.kind ? [h(m.kind, null, ...inner)] : inner;
}
