// What menus and keys do with a turn or a decision.

import { exportFile, saveAs } from '../net/exports.js';
import * as copy from './copy.js';
import { h, loadStyles } from '../lib/dom.js';
import { keyMap } from '../lib/keys.js';
import { openMenu } from '../lib/menu.js';
import { choices, pref, setPref } from '../lib/prefs.js';
import { openDialog } from '../lib/dialog.js';
import { toast } from '../lib/toast.js';
import { formatRoute } from '../state/route.js';

/** @import { Item } from '../lib/types.d.ts' */
/** @import { Pref } from '../lib/prefs.js' */
/** @import { Call, Conversation, Turn } from '../state/types.d.ts' */
/** @import { DecisionActs, TurnActs } from './types.d.ts' */

await loadStyles('/ui/css/ondemand.css');

/** @param {string} text @param {string} what */
async function take(text, what) {
  toast(await copy.toClipboard(text) ? `${what} copied` : 'The browser does not let the page copy.');
}

/** @param {Conversation} c @param {Turn} t @param {Call | undefined} call */
export function copyLink(c, t, call) {
  const route = formatRoute({ [c.kind]: c.id, turn: t.number, call: call?.id });
  return take(location.origin + location.pathname + route, 'Link');
}

/** @param {Turn} t @param {Call | undefined} call */
export function copyWhy(t, call) {
  return take(call ? copy.why(call) : t.calls.map(copy.why).join('\n') || t.narrative, 'Why');
}

/** @param {Conversation} c @param {Turn} t @returns {Item} */
function curlItem(c, t) {
  const run = () => take(copy.asCurl(location.origin, c.id, t.number), 'Command');
  return c.kind === 'thread' && { label: 'Copy as curl', run };
}

/**
 * Returns menu items for what the user thinks of a decision. The one that is chosen withdraws it.
 * @param {Call} call @param {HTMLElement} button @param {DecisionActs} acts @returns {Item[]}
 */
function feedbackItems(call, button, { rate }) {
  if (!rate) return [];
  const now = call.feedback;
  return [{ title: 'Your feedback' }, ...(/** @type {const} */ (['good', 'bad'])).map((rating) => ({
    label: rating === 'good' ? 'Good' : 'Bad', checked: now?.rating === rating,
    run: () => rate(call, now?.rating === rating ? 'none' : rating, ''),
  })), { label: 'Say why…', run: () => button.closest('candor-decision')?.feedback('why') }];
}

/**
 * @param {Conversation} c @param {Turn} t @param {Call} call @param {HTMLElement} button @param {DecisionActs} acts
 */
export function decisionMenu(c, t, call, button, acts) {
  openMenu(button, [
    { label: 'Copy why', run: () => copyWhy(t, call) },
    { label: 'Copy link', run: () => copyLink(c, t, call) },
    { label: 'Copy as text', run: () => take(copy.callText(call), 'Decision') },
    { label: 'Copy as Markdown', run: () => take(copy.callMarkdown(call), 'Decision') },
    { label: 'Copy as JSON', run: () => take(JSON.stringify(copy.callJSON(call), null, 2) + '\n', 'Decision') },
    curlItem(c, t), ...feedbackItems(call, button, acts),
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
    { label: 'Copy link', run: () => copyLink(c, t, undefined) },
    { label: 'Copy as text', run: () => take(copy.asText(t), 'Turn') },
    { label: 'Copy as Markdown', run: () => take(copy.asMarkdown(t), 'Turn') },
    { label: 'Copy as JSON', run: () => take(copy.asJSON(t), 'Turn') },
    curlItem(c, t),
    { title: 'Look closer' },
    { label: 'Timeline of this turn', run: () => acts.timeline(t.number) },
    before && { label: 'Compare with the turn before', run: () => acts.compare(before.number) },
    { label: 'Compare with…', run: () => acts.compare(0) },
    ...(c.kind === 'thread' ? exportItems(c.id, t.number) : []),
  ]);
}

/** @param {string} thread_id @param {number} [turn] @returns {Item[]} */
export function exportItems(thread_id, turn) {
  return [{ title: turn ? 'Export this turn' : 'Export the conversation' },
    ...[['md', 'Markdown'], ['html', 'One HTML page'], ['jsonl', 'JSON lines']].map(([format, label]) =>
      ({ label, run: () => save({ thread_id, format, turn }) }))];
}

/** @param {Record<string, string | number | undefined>} query of an export */
async function save(query) {
  try {
    const { name, content } = await exportFile(query);
    saveAs(name, content);
  } catch (e) { toast(e instanceof Error ? e.message : String(e)); }
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
  const rows = keyMap.map(([keys, , words]) =>
    h('div', null, h('dt', null, ...keys.split(' ').map((one) => h('kbd', null, one))), h('dd', null, words)));
  openDialog('Keyboard', h('dl', { class: 'keys' }, ...rows),
    h('p', null, box, ' ', h('label', { for: 'keys-on' }, 'Keys of one letter are on')));
}
