// The words of others on the page, with what was taken out of them as chips, also within what the server made of
// Markdown. The blocks of parameters and results are built by details.js.

import { h, html } from '../lib/dom.js';
import { chipped } from '../state/summary.js';

/**
 * Returns the words of others, with what was taken out of them as chips.
 * @param {string} text
 */
export function words(text) {
  if (!text.includes('[REDACTED')) return [text];
  return chipped(text).map(({ rule, text: part }) =>
    rule ? h('span', { class: 'chip', title: `Masked by the rule ${rule}` }, part) : part);
}

/**
 * Shows HTML that the server made of Markdown. Its code gets buttons that copy it; the module for that is loaded with
 * the first code.
 * @param {HTMLElement} el @param {string} sanitized
 */
export function prose(el, sanitized) {
  html(el, sanitized);
  chips(el);
  if (el.querySelector('pre, table')) import('./code.js').then(({ dress }) => dress(el));
}

/**
 * Puts chips where something was taken out of the texts below an element.
 * @param {HTMLElement} el
 */
export function chips(el) {
  if (!el.textContent?.includes('[REDACTED')) return;
  const walker = document.createTreeWalker(el, NodeFilter.SHOW_TEXT);
  /** @type {Text[]} */
  const texts = [];
  while (walker.nextNode()) texts.push(/** @type {Text} */ (walker.currentNode));
  for (const t of texts) if (t.data.includes('[REDACTED')) t.replaceWith(...words(t.data));
}
