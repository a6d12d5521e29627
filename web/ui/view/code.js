// Code in what the model wrote: a button that copies it, and a stop for the keyboard where it is wider than the page.
// Loaded with the first code.

import { attribute, h } from '../lib/dom.js';

/**
 * Builds a button that copies a text. Its word is drawn by the styles, so that it is no part of what stands around it.
 * @param {string} name of the text @param {string} text
 */
export function copyButton(name, text) {
  /** @type {HTMLElement} */
  const button = h('button', { type: 'button', class: 'quiet copy', 'aria-label': `Copy ${name}`, 'data-said': 'Copy',
    click: async () => {
      const { toClipboard } = await import('./copy.js');
      attribute(button, 'data-said', await toClipboard(text) ? 'Copied' : 'Not copied');
    } });
  return button;
}

/**
 * Gives each block of code below an element a button, and tables and code a stop where they scroll.
 * @param {HTMLElement} el
 */
export function dress(el) {
  for (const pre of el.querySelectorAll('pre')) {
    if (pre.parentElement?.className === 'copied-code') continue;
    const text = (pre.textContent || '').replace(/\n$/, ''), box = h('div', { class: 'copied-code' });
    pre.before(box);
    box.append(pre, copyButton('this code', text));
  }
  for (const wide of el.querySelectorAll('pre, table')) {
    attribute(wide, 'tabindex', '0');
    if (wide.tagName === 'PRE') { attribute(wide, 'role', 'region'); attribute(wide, 'aria-label', 'Code'); }
  }
}
