// Messages beside the content: the one polite live region, and the dialog.

import { $, fill, h, setText } from './dom.js';

/** @import { Child } from './types.d.ts' */

let timer = 0;

/**
 * Announces a sentence to screen readers.
 * @param {string} text
 */
export function say(text) {
  const el = $('status');
  clearTimeout(timer);
  setText(el, '');
  requestAnimationFrame(() => setText(el, text));
  timer = window.setTimeout(() => { setText(el, ''); el.classList.remove('shown'); }, 4000);
}

/**
 * Announces a sentence and shows it for a moment.
 * @param {string} text
 */
export function toast(text) {
  $('status').classList.add('shown');
  say(text);
}

/** @param {string} title @param {...Child} content */
export function openDialog(title, ...content) {
  const el = $('dialog');
  fill(el, h('header', null, h('h2', { id: 'dialog-title' }, title),
    h('button', { type: 'button', class: 'quiet', 'aria-label': 'Close', click: () => el.close() }, '✕')), ...content);
  if (!el.open) el.showModal();
  return el;
}

export function closeDialog() { $('dialog').close(); }
