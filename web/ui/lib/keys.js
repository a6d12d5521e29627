// The keyboard: one map, which the help dialog shows too.

import { pref } from './prefs.js';

/** @import { Key, KeyActions } from './types.d.ts' */

/**
 * Keys, their action, and what it does in words.
 * @type {Key[]}
 */
export const keyMap = [
  ['j', 'nextTurn', 'next turn'],
  ['k', 'prevTurn', 'turn before'],
  [']', 'nextCall', 'next decision'],
  ['[', 'prevCall', 'decision before'],
  ['o', 'toggle', 'open or close the turn or decision'],
  ['Enter', 'toggle', 'the same, where the focus is'],
  ['e', 'toggleAll', 'open or close the reasons of all turns'],
  ['c', 'copyWhy', 'copy why'],
  ['l', 'copyLink', 'copy a link to it'],
  ['y', 'approve', 'approve the call that waits for you'],
  ['a', 'always', 'always allow its tool'],
  ['d', 'deny', 'deny it'],
  ['+', 'good', 'say that the decision was good, or take it back; in the timeline, closer'],
  ['-', 'bad', 'say that it was bad; in the timeline, further away'],
  ['m', 'menu', 'menu of the turn or decision'],
  ['/', 'search', 'search'],
  ['g t', 'timeline', 'timeline'],
  ['g c', 'conversation', 'conversation'],
  ['g e', 'latest', 'latest turn'],
  ['n', 'newThread', 'new conversation'],
  ['x x', 'delete', 'delete the conversation or the job'],
  ['u', 'undo', 'take back what was deleted'],
  ['i', 'write', 'write a message'],
  ['?', 'help', 'this map'],
  ['Esc', 'escape', 'close, or leave the field'],
];

/** How long the second key of a pair may take, in ms. */
const pairTime = 1200;

/**
 * Runs the actions of the keys that are pressed. Escape works everywhere; other keys
 * are ignored while somebody types, has turned them off, or has a dialog or the search open.
 * @param {KeyActions} actions one for each action of the map
 */
export function listen(actions) {
  let first = '', since = 0;
  document.addEventListener('keydown', (e) => {
    if (e.ctrlKey || e.metaKey || e.altKey || e.isComposing || e.defaultPrevented) return;
    if (e.key === 'Escape') return void actions.escape(e);
    if (isTyping(e.target) || pref('keys') === 'off' || document.querySelector('dialog[open], .finding')) return;
    const pair = first && e.timeStamp - since < pairTime ? `${first} ${e.key}` : e.key;
    first = e.key;
    since = e.timeStamp;
    const key = keyMap.find(([keys]) => keys === pair) || keyMap.find(([keys]) => keys === e.key);
    if (!key || (pair === e.key && e.repeat && !'jk[]'.includes(e.key))) return;
    if (actions[key[1]](e) === false) return;
    e.preventDefault();
    first = ''; // a key that did something begins no pair
  });
}

/** @param {EventTarget | null} el */
function isTyping(el) {
  return el instanceof HTMLElement &&
    (el.isContentEditable || el.matches('textarea, select, input:not([type=checkbox], [type=radio])'));
}
