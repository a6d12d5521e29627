// Parameters and results on the page: short ones by name, long ones in a block of their own with its size, a button
// that copies it and one that shows all of its lines. Patches, JSON and paths have colours. Loaded with the first row
// that opens.

import { fill, h, loadStyles, setText } from '../lib/dom.js';
import { plural, size } from '../lib/format.js';
import { readResult, readable } from '../state/content.js';
import { coloured, patchLines } from '../state/colours.js';
import { copyButton } from './code.js';

/** @import { Block, Call, Readable } from '../state/types.d.ts' */

await loadStyles('/ui/css/block.css');

/** A text of up to this many lines wraps; a longer one is scrolled sideways, as logs are read. */
const flowing = 3;

/** How many lines of a block are in view before all of them are asked for. */
const inView = 16;

/**
 * Shows the parameters and the result of a call, and what a person changed of the parameters, in their place.
 * @param {HTMLElement} el @param {Call} c @param {string} drawn what was drawn
 * @param {() => Call | null} latest the call as it is then @param {() => unknown} whole asks for the whole result
 */
export function draw(el, c, drawn, latest, whole) {
  const key = JSON.stringify([c.params, c.edited, c.preview, c.outcome, c.size]), by = c.sighted;
  if (key === drawn) return key;
  fill(el, ...parameters(c), ...result(c, whole));
  if (by) import('./attached.js').then(({ provenance }) => el.append(provenance(c, by)));
  if (c.edited !== undefined) {
    import('./edit.js').then(({ changes }) => {
      if (latest() === c && el.firstElementChild) el.prepend(...changes(c));
    });
  }
  return key;
}

/**
 * Shows the parameters of a call.
 * @param {Call} c
 */
function parameters(c) {
  if (c.params === undefined) return [note('Fetching the parameters…')];
  if (c.params === null || JSON.stringify(c.params) === '{}') return [note('Called without parameters.')];
  const { pairs, blocks: long } = readable(c.params, 'parameters');
  // The open row has all of what the tool was used on.
  return blocks({ pairs: pairs.filter(({ text }) => text !== c.object), blocks: long }, c.tool);
}

/**
 * Shows the result of a call, and what shows the whole of it if it was cut.
 * @param {Call} c @param {() => unknown} whole
 */
function result(c, whole) {
  if (!c.preview) return [note(noResult[c.outcome] || 'It gave no result.')];
  const { pairs, blocks: long } = readResult(c.preview);
  return [
    ...blocks({ pairs, blocks: long }, c.tool, 'result'),
    c.preview.endsWith('…') && h('button', { type: 'button', class: 'whole', click: whole },
      'Show the whole result', c.size > 0 && ` (${size(c.size)})`),
  ];
}

/** @type {Record<string, string | undefined>} */
const noResult = {
  pending: 'No result yet.', rejected: 'It did not run, so there is no result.',
  cancelled: 'It was stopped before it had a result.', unknown: 'The turn ended without a known result.',
};

/** @param {string} text */
function note(text) { return h('p', { class: 'note' }, text); }

/**
 * Builds what shows a value.
 * @param {Readable} value @param {string} of what the value is of, for screen readers
 * @param {string} [title] what stands before short ones, if they need it
 */
export function blocks({ pairs, blocks: all }, of, title = '') {
  return [
    pairs.length > 0 && h('dl', { class: 'pairs' }, title && h('div', { class: 'of' }, h('dt', null, `→ ${title}`)),
      ...pairs.map(({ name, text }) => h('div', null, h('dt', { dir: 'auto' }, name), h('dd', { dir: 'auto' },
        ...spans('text', text))))),
    ...all.map((b) => block(b, of)),
  ];
}

/** @param {Block} b @param {string} of */
function block(b, of) {
  const lines = b.kind === 'patch' ? patchLines(b.text) : [], count = b.text.replace(/\n$/, '').split('\n').length;
  const flow = b.kind !== 'patch' && count <= flowing;
  const code = h('pre', { tabindex: '0', role: 'region', 'aria-label': `${b.name} of ${of}`,
    class: flow ? 'code flow' : 'code' }, ...(lines.length ? lines.map((l) => h('span', { class: l.kind },
    ...spans('text', l.text + '\n'))) : spans(b.kind, b.text)));
  return h('section', { class: 'block' },
    h('header', null, h('b', { dir: 'auto' }, b.name), h('span', null, about(b, lines)), copyButton(b.name, b.text)),
    code, count > inView && more(code, count));
}

/**
 * Says how many lines are out of view, and shows them.
 * @param {HTMLElement} code @param {number} count of lines
 */
function more(code, count) {
  /** @type {HTMLElement} */
  const button = h('button', { type: 'button', class: 'whole rest', 'aria-expanded': 'false', click: () => {
    const all = code.classList.toggle('all');
    button.ariaExpanded = String(all);
    setText(button, all ? 'Fewer lines' : said);
  } });
  const said = `${plural(count - inView, 'more line')}`;
  setText(button, said);
  return button;
}

/** @param {Block} b @param {ReturnType<typeof patchLines>} lines */
function about(b, lines) {
  const n = (/** @type {string} */ kind) => lines.filter((l) => l.kind === kind).length;
  if (lines.length) return `+${n('added')} −${n('removed')}`;
  const count = b.text.replace(/\n$/, '').split('\n').length;
  return count > 1 ? plural(count, 'line') : b.text.length > 200 ? size(b.text.length) : '';
}

/** @param {Block['kind']} kind @param {string} text */
function spans(kind, text) {
  return coloured(kind, text).map(({ as, text: part }) => as ? h('span', { class: as }, part) : part);
}
