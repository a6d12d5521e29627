// What is said aside: the one polite live region, for changes of state only, and
// the dialog.

import { $, fill, h, setText } from './dom.js';

let clear = 0;

/** Says a sentence to who listens, and shows it for a moment. @param {string} text */
export function say(text) {
  const el = $('status');
  clearTimeout(clear);
  setText(el, '');
  requestAnimationFrame(() => setText(el, text));
  clear = window.setTimeout(() => { setText(el, ''); el.classList.remove('shown'); }, 4000);
}

/** The same, also for who sees. @param {string} text */
export function toast(text) {
  $('status').classList.add('shown');
  say(text);
}

/** @param {string} title @param {...(Node | string | null)} content @returns {HTMLDialogElement} */
export function openDialog(title, ...content) {
  const dialog = /** @type {HTMLDialogElement} */ ($('dialog'));
  fill(dialog, h('header', null, h('h2', { id: 'dialog-title' }, title),
    h('button', { type: 'button', class: 'quiet', 'aria-label': 'Close', click: () => dialog.close() }, '✕')), ...content);
  if (!dialog.open) dialog.showModal();
  return dialog;
}

/** Closes the dialog, if it is open. */
export function closeDialog() { /** @type {HTMLDialogElement} */ ($('dialog')).close(); }
