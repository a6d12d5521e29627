// What menus and keys do with a turn or a decision.

import * as copy from './copy.js';
import { h, loadStyles } from '../lib/dom.js';
import { keyGroups } from '../lib/keywords.js';
import { openMenu } from '../lib/menu.js';
import { choices, pref, setPref } from '../lib/prefs.js';
import { openDialog } from '../lib/dialog.js';
import { toast } from '../lib/toast.js';
import { formatRoute } from '../state/route.js';

/** @import { Item } from '../lib/types.d.ts' */
/** @import { Pref } from '../lib/prefs.js' */
/** @import { Call, Conversation, Kind, Turn } from '../state/types.d.ts' */
/** @import { DecisionActs, TurnActs } from './types.d.ts' */

await loadStyles('/ui/css/ondemand.css');

/** @param {string} text @param {string} what @param {string} [more] what is to be known of it */
async function take(text, what, more = '') {
  toast(await copy.toClipboard(text) ? `${what} copied${more}` : 'The browser does not allow copying.');
}

/** @param {Conversation} c @param {Turn} t @param {Call | undefined} call */
export function copyLink(c, t, call) {
  const route = formatRoute({ [c.kind]: c.id, turn: t.number, call: call?.id });
  return take(location.origin + location.pathname + route, 'Link',
    '. It only works when signed in as you; to share, send an export');
}

/** @param {Turn} t @param {Call | undefined} call */
export function copyWhy(t, call) {
  return take(call ? copy.why(call) : t.calls.map(copy.why).join('\n') || t.narrative, 'Why');
}

/**
 * Returns the menu of the forms in which something is copied.
 * @param {Conversation} c @param {Turn} t @param {string} what
 * @param {{ text: () => string, markdown: () => string, json: () => string }} forms @returns {Item}
 */
function copyItems(c, t, what, { text, markdown, json }) {
  const item = (/** @type {string} */ label, /** @type {() => string} */ form) =>
    ({ label, run: () => take(form(), what) });
  const curl = () => take(copy.asCurl(location.origin, c.id, t.number), 'Command');
  return { label: 'Copy as', items: [item('Text', text), item('Markdown', markdown), item('JSON', json),
    c.kind === 'thread' && { label: 'A curl command', run: curl }] };
}

/**
 * Returns menu items for what the user thinks of a decision. The one that is chosen withdraws it.
 * @param {Call} call @param {HTMLElement} button @param {DecisionActs} acts @returns {Item[]}
 */
function feedbackItems(call, button, { rate }) {
  if (!rate) return [];
  const now = call.feedback, row = button.closest('candor-decision');
  return [{ title: 'Your feedback' }, ...(/** @type {const} */ (['good', 'bad'])).map((rating) => ({
    label: rating === 'good' ? 'Good' : 'Bad', checked: now?.rating === rating,
    run: () => row?.feedback(rating),
  })), { label: 'Say why…', run: () => row?.feedback('why') }];
}

/**
 * @param {Conversation} c @param {Turn} t @param {Call} call @param {HTMLElement} button @param {DecisionActs} acts
 */
export function decisionMenu(c, t, call, button, acts) {
  openMenu(button, [
    { label: 'Copy why', run: () => copyWhy(t, call) },
    { label: 'Copy a link', run: () => copyLink(c, t, call) },
    copyItems(c, t, 'Decision', { text: () => copy.callText(call), markdown: () => copy.callMarkdown(call),
      json: () => JSON.stringify(copy.callJSON(call), null, 2) + '\n' }),
    ...feedbackItems(call, button, acts),
  ]);
}

/**
 * Shows what the server answered to a command such as /reasoning.
 * @param {string} text
 */
export function showAnswer(text) {
  openDialog('Reasoning', h('pre', { class: 'answered', tabindex: '0', 'aria-label': 'The answer' }, text));
}

/** @param {Conversation} c @param {Turn} t @param {HTMLElement} button @param {TurnActs} acts */
export function turnMenu(c, t, button, acts) {
  const before = c.turns.findLast((o) => o.number < t.number);
  openMenu(button, [
    t.calls.length > 0 && { label: 'Copy why', run: () => copyWhy(t, undefined) },
    { label: 'Copy a link', run: () => copyLink(c, t, undefined) },
    copyItems(c, t, 'Turn',
      { text: () => copy.asText(t), markdown: () => copy.asMarkdown(t), json: () => copy.asJSON(t) }),
    c.kind === 'thread' && { label: 'Export…', run: () => exportDialog(c.kind, c.id, t.number) },
    { title: 'Look closer' },
    { label: 'Timeline of this turn', run: () => acts.timeline(t.number) },
    before && { label: 'Compare with the turn before', run: () => acts.compare(before.number) },
    { label: 'Compare with…', run: () => acts.compare(0) },
  ]);
}

/**
 * Asks in which form a conversation, a turn of it, or a job is exported, and with what in it.
 * @param {Kind} kind @param {string} id @param {number} [turn]
 */
export async function exportDialog(kind, id, turn) {
  (await import('./exporting.js')).openExport(kind, id, turn);
}

/**
 * Returns menu items for how the page looks.
 * @param {(key: Pref, value: string) => void} choose @returns {Item[]}
 */
export function viewItems(choose) {
  const group = (/** @type {Pref} */ key, /** @type {string} */ title) => [{ title },
    ...choices[key].map(([value, label]) => ({ label, checked: pref(key) === value, run: () => choose(key, value) }))];
  return [...group('theme', 'Colours'), ...group('reasoning', 'Reasoning shown for'), ...group('density', 'Density')];
}

/** Shows the keyboard map, and a switch for people who need single letters otherwise. */
export function help() {
  /** @type {HTMLInputElement} */
  const box = h('input', {
    type: 'checkbox', id: 'keys-on', change: () => setPref('keys', box.checked ? 'on' : 'off'),
  });
  box.checked = pref('keys') === 'on';
  const groups = keyGroups.map(([title, keys]) => h('section', null, h('h3', null, title),
    h('dl', { class: 'keys' }, ...keys.map(([key, words]) =>
      h('div', null, h('dt', null, ...key.split(' ').map((one) => h('kbd', null, one))), h('dd', null, words))))));
  openDialog('Keyboard', h('div', { class: 'key-groups' }, ...groups),
    h('p', null, box, ' ', h('label', { for: 'keys-on' }, 'Single-key shortcuts')));
}
