// The dialog, which is loaded when somebody opens it first.

import { $, fill, h } from './dom.js';

/** @import { Child } from './types.d.ts' */

/** @param {string} title @param {...Child} content */
export function openDialog(title, ...content) {
  const el = $('dialog');
  fill(el, h('header', null, h('h2', { id: 'dialog-title' }, title),
    h('button', { type: 'button', class: 'quiet', 'aria-label': 'Close', click: () => el.close() }, '✕')), ...content);
  if (!el.open) el.showModal();
  return el;
}
