// The keyboard: one map. What each key does in words is in lib/keywords.js.

import { pref } from './prefs.js';

/** @import { Key, KeyActions } from './types.d.ts' */

/**
 * Keys and their action.
 * @type {Key[]}
 */
export const keyMap = [
  ['j', 'nextTurn'], ['k', 'prevTurn'], [']', 'nextCall'], ['[', 'prevCall'], ['g e', 'latest'],
  ['o', 'toggle'], ['Enter', 'toggle'], ['e', 'toggleAll'], ['m', 'menu'], ['g t', 'timeline'], ['g c', 'conversation'],
  ['/', 'search'], ['c', 'copyWhy'], ['l', 'copyLink'],
  ['y', 'approve'], ['a', 'always'], ['d', 'deny'], ['+', 'good'], ['-', 'bad'],
  ['i', 'write'], ['n', 'newThread'], ['x x', 'delete'], ['u', 'undo'], ['?', 'help'], ['Esc', 'escape'],
];

/** How long the second key of a pair may take, in ms. */
const pairTime = 1200;


/**
 * Runs the actions of the keys that are pressed. Escape works everywhere; other keys
 * are ignored while somebody types, has turned them off, or has a dialog or the search open.
 * @param {KeyActions} actions one for each action of the map
 */
export function listen(actions) {
  let first = '', since = 0, held = false;
  document.addEventListener('keydown', (e) => {
    if (e.ctrlKey || e.metaKey || e.altKey || e.isComposing || e.defaultPrevented) return;
    held &&= e.key !== 'Escape' && !isTyping(e.target);
    if (e.key === 'Escape') return void actions.escape(e);
    if (held && (e.key.length === 1 || e.key === 'Enter')) {
      held = e.key !== 'Enter';
      return e.preventDefault();
    }
    if (isTyping(e.target) || pref('keys') === 'off' || document.querySelector('dialog[open], .finding')) return;
    const pair = first && e.timeStamp - since < pairTime ? `${first} ${e.key}` : e.key;
    first = e.key;
    since = e.timeStamp;
    const key = keyMap.find(([keys]) => keys === pair) || keyMap.find(([keys]) => keys === e.key);
    if (!key || (pair === e.key && e.repeat && !'jk[]'.includes(e.key))) return;
    if (actions[key[1]](e) === false) return;
    // It leads to a field: until that has the focus, letters are no keys.
    held = key[1] === 'deny' && !isTyping(document.activeElement);
    e.preventDefault();
    first = ''; // a key that did something begins no pair
  });
}

/** @param {EventTarget | null} el */
function isTyping(el) {
  return el instanceof HTMLElement &&
    (el.isContentEditable || el.matches('textarea, select, input:not([type=checkbox], [type=radio])'));
}
