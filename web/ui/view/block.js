// Parameters and results on the page: short ones by name, long ones in a block of their own with its size and a
// button that copies it. A patch has the colours of its lines.

import { h, setText } from '../lib/dom.js';
import { plural, size } from '../lib/format.js';
import { chipped } from '../state/summary.js';
import { patchLines } from '../state/content.js';

/** @import { Block, Readable } from '../state/types.d.ts' */

/** A text of up to this many lines wraps; a longer one is scrolled sideways, as logs are read. */
const flowing = 3;

/**
 * Builds what shows a value.
 * @param {Readable} value @param {string} of what the value is of, for screen readers
 */
export function blocks({ pairs, blocks: all }, of) {
  return [
    pairs.length > 0 && h('dl', { class: 'pairs' }, ...pairs.map(({ name, text }) =>
      h('div', null, h('dt', { dir: 'auto' }, name), h('dd', { dir: 'auto' }, text)))),
    ...all.map((b) => block(b, of)),
  ];
}

/** @param {Block} b @param {string} of */
function block(b, of) {
  const copy = h('button', { type: 'button', class: 'quiet', 'aria-label': `Copy ${b.name}`, click: async () => {
    const { toClipboard } = await import('./copy.js');
    setText(copy, await toClipboard(b.text) ? 'Copied' : 'Not copied');
  } }, 'Copy');
  const lines = b.kind === 'patch' ? patchLines(b.text) : [];
  const flow = b.kind !== 'patch' && b.text.split('\n').length <= flowing;
  return h('section', { class: 'block' },
    h('header', null, h('b', { dir: 'auto' }, b.name), h('span', null, about(b, lines)), copy),
    h('pre', { tabindex: '0', role: 'region', 'aria-label': `${b.name} of ${of}`, class: flow ? 'code flow' : 'code' },
      ...(lines.length ? lines.map((l) => h('span', { class: l.kind }, l.text + '\n')) : [b.text])));
}

/** @param {Block} b @param {ReturnType<typeof patchLines>} lines */
function about(b, lines) {
  const n = (/** @type {string} */ kind) => lines.filter((l) => l.kind === kind).length;
  if (lines.length) return `+${n('added')} −${n('removed')}`;
  const count = b.text.split('\n').length;
  return count > 1 ? plural(count, 'line') : b.text.length > 200 ? size(b.text.length) : '';
}

/**
 * Returns the words of others, with what was taken out of them as chips.
 * @param {string} text
 */
export function words(text) {
  if (!text.includes('[REDACTED')) return [text];
  return chipped(text).map(({ rule, text: part }) =>
    rule ? h('span', { class: 'chip', title: `Masked by the rule ${rule}` }, part) : part);
}
