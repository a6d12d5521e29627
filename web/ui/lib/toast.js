// Messages beside the content: the one polite live region.

import { $, setText } from './dom.js';

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
