// What menus and keys do with a turn or a decision.

import * as api from '../net/api.js';
import * as copy from './copy.js';
import { h, loadStyles } from '../lib/dom.js';
import { map } from '../lib/keys.js';
import { openMenu } from '../lib/menu.js';
import { choices, pref, setPref } from '../lib/prefs.js';
import { formatRoute } from '../state/route.js';
import { openDialog, toast } from '../lib/toast.js';

await loadStyles('/ui/css/ondemand.css');

/** @import { Call, Conversation, Turn } from '../state/types.d.ts' */

/** @param {string} text @param {string} what */
async function take(text, what) {
  toast(await copy.toClipboard(text) ? `${what} copied` : 'The browser does not let the page copy.');
}

/** @param {Conversation} c @param {number} turn @param {string} [call] */
function link(c, turn, call) {
  return location.origin + location.pathname + formatRoute({ [c.kind]: c.id, turn, call });
}

/** @param {Conversation} c @param {Turn} t @param {Call | undefined} call */
export const copyLink = (c, t, call) => take(link(c, t.number, call?.id), 'Link');

/** @param {Turn} t @param {Call | undefined} call */
export const copyWhy = (t, call) => take(call ? copy.why(call) : t.calls.map(copy.why).join('\n') || t.narrative, 'Why');

/** @param {Conversation} c @param {Turn} t @param {Call} call @param {HTMLElement} button */
export function decisionMenu(c, t, call, button) {
  openMenu(button, [
    { label: 'Copy why', run: () => copyWhy(t, call) },
    { label: 'Copy link', run: () => copyLink(c, t, call) },
    { label: 'Copy as text', run: () => take(copy.callText(call), 'Decision') },
    { label: 'Copy as Markdown', run: () => take(copy.callMarkdown(call), 'Decision') },
    { label: 'Copy as JSON', run: () => take(JSON.stringify(copy.callJSON(call), null, 2) + '\n', 'Decision') },
    c.kind === 'thread' && { label: 'Copy as curl', run: () => take(copy.asCurl(location.origin, c.id, t.number), 'Command') },
  ]);
}

/** @param {Conversation} c @param {Turn} t @param {HTMLElement} button @param {{ compare(turn: number): void, timeline(turn: number): void }} page */
export function turnMenu(c, t, button, page) {
  const thread = c.kind === 'thread', before = c.turns.findLast((o) => o.number < t.number);
  openMenu(button, [
    t.calls.length > 0 && { label: 'Copy why', run: () => copyWhy(t, undefined) },
    { label: 'Copy link', run: () => copyLink(c, t, undefined) },
    { label: 'Copy as text', run: () => take(copy.asText(t), 'Turn') },
    { label: 'Copy as Markdown', run: () => take(copy.asMarkdown(t), 'Turn') },
    { label: 'Copy as JSON', run: () => take(copy.asJSON(t), 'Turn') },
    thread && { label: 'Copy as curl', run: () => take(copy.asCurl(location.origin, c.id, t.number), 'Command') },
    { title: 'Look closer' },
    { label: 'Timeline of this turn', run: () => page.timeline(t.number) },
    before && { label: 'Compare with the turn before', run: () => page.compare(before.number) },
    c.turns.length > 1 && { label: 'Compare with another turn…', run: () => chooseTurn(c, t, page.compare) },
    ...(thread ? exportItems(c.id, t.number) : []),
  ]);
}

/** @param {string} thread @param {number} [turn] @returns {import('../lib/menu.js').Item[]} */
export function exportItems(thread, turn) {
  return [{ title: turn ? 'Export this turn' : 'Export the conversation' },
    ...[['md', 'Markdown'], ['html', 'One HTML page'], ['jsonl', 'JSON lines']].map(([format, label]) =>
      ({ label, href: api.exportURL(thread, format, turn), download: true }))];
}

/** @param {Conversation} c @param {Turn} t @param {(turn: number) => void} compare */
function chooseTurn(c, t, compare) {
  const dialog = openDialog(`Compare turn ${t.number} with`, h('ul', { class: 'choose' }, ...c.turns.filter((o) => o.number !== t.number).slice(-200).reverse().map((o) =>
    h('li', null, h('button', { type: 'button', click: () => { dialog.close(); compare(o.number); } }, h('b', null, o.number), ' ', h('span', null, o.input || ''))))));
}

/** The choices of how the page looks, as items of a menu. @param {(key: import('../lib/prefs.js').Pref, value: string) => void} choose @returns {import('../lib/menu.js').Item[]} */
export function lookItems(choose) {
  const group = (/** @type {import('../lib/prefs.js').Pref} */ key, /** @type {string} */ title) => [{ title },
    ...choices[key].map(([value, label]) => ({ label, checked: pref(key) === value, run: () => choose(key, value) }))];
  return [...group('theme', 'Colours'), ...group('reasoning', 'Reasoning shown for'), ...group('density', 'Density')];
}

/** The keyboard's map, with a way to turn it off for who needs single letters otherwise. */
export function help() {
  const box = h('input', { type: 'checkbox', id: 'keys-on', change: () => setPref('keys', box.checked ? 'on' : 'off') });
  box.checked = pref('keys') === 'on';
  openDialog('Keyboard', h('dl', { class: 'keys' }, ...map.map((k) =>
    h('div', null, h('dt', null, ...k.keys.split(' ').map((one) => h('kbd', null, one))), h('dd', null, k.words)))),
    h('p', null, box, ' ', h('label', { for: 'keys-on' }, 'Keys of one letter are on')));
}

