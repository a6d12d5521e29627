// The keyboard: one map, which is also what `?` shows.

import { pref } from './prefs.js';

/** @typedef {{ keys: string, words: string, run: string }} Key */

/** Keys of one letter, and pairs typed one after the other. @type {Key[]} */
export const map = [
  { keys: 'j', words: 'next turn', run: 'nextTurn' },
  { keys: 'k', words: 'turn before', run: 'prevTurn' },
  { keys: ']', words: 'next decision', run: 'nextCall' },
  { keys: '[', words: 'decision before', run: 'prevCall' },
  { keys: 'o', words: 'open or close the turn or decision', run: 'toggle' },
  { keys: 'Enter', words: 'the same, where the focus is', run: 'toggleHere' },
  { keys: 'e', words: 'open or close the reasons of all turns', run: 'toggleAll' },
  { keys: 'c', words: 'copy why', run: 'copyWhy' },
  { keys: 'l', words: 'copy a link to it', run: 'copyLink' },
  { keys: 'm', words: 'menu of the turn or decision', run: 'menu' },
  { keys: '/', words: 'search', run: 'search' },
  { keys: 'g t', words: 'timeline', run: 'timeline' },
  { keys: 'g c', words: 'conversation', run: 'conversation' },
  { keys: 'g e', words: 'latest turn', run: 'latest' },
  { keys: 'n', words: 'new conversation', run: 'newThread' },
  { keys: 'i', words: 'write a message', run: 'write' },
  { keys: '?', words: 'this map', run: 'help' },
  { keys: 'Esc', words: 'close, or leave the field', run: 'escape' },
];

/** How long the second key of a pair may take, in ms. */
const pairTime = 1200;

/** Calls what a key stands for. @param {Record<string, (e: KeyboardEvent) => unknown>} actions one for each `run`; false means that it was not used */
export function listen(actions) {
  let first = '', since = 0;
  document.addEventListener('keydown', (e) => {
    if (e.ctrlKey || e.metaKey || e.altKey || e.isComposing || e.defaultPrevented) return;
    if (e.key === 'Escape') return void actions.escape(e);
    if (isTyping(e.target) || pref('keys') === 'off' || document.querySelector('dialog[open]')) return;
    const pair = first && e.timeStamp - since < pairTime ? `${first} ${e.key}` : e.key;
    first = e.key;
    since = e.timeStamp;
    const key = map.find((k) => k.keys === pair) || map.find((k) => k.keys === e.key);
    if (!key || (pair === e.key && e.repeat && !'jk[]'.includes(e.key))) return;
    if (actions[key.run](e) !== false) e.preventDefault();
  });
}

/** @param {EventTarget | null} el */
function isTyping(el) {
  return el instanceof HTMLElement && (el.isContentEditable || el.matches('textarea, select, input:not([type=checkbox], [type=radio])'));
}
