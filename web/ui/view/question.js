// The question to a person about a call: why it is asked, what the call would do, and the answers. The reason and the
// parameters scroll beside buttons that stay where they are, and Approve waits until both were read to their end.

import { $, attribute, fill, h, loadStyles, setText, show } from '../lib/dom.js';
import { plural } from '../lib/format.js';
import { say, toast } from '../lib/toast.js';
import { readable } from '../state/content.js';
import { whyAsked } from '../state/sureness.js';
import { blocks } from './details.js';
import { offer } from './notify.js';
import { Reading } from './reading.js';

/** @import { Call, Request } from '../state/types.d.ts' */
/** @import { EditField } from './types.d.ts' */

await loadStyles('/ui/css/ondemand.css');

/** The longest decision that a person can write, and the longest word on a denial, in characters. */
const maxValue = 2000, maxWords = 900;

/** How long before its end a question says that it is near, in ms. */
const soon = 30_000;

/**
 * Builds the parts of the question, and returns them with a function that says at a time how long it still waits. Where
 * the call is a decision, the person can write another one.
 * @param {Call} c @param {Request} q @param {HTMLElement} why the element with the reason
 * @param {(action: string, value?: string, edited?: string) => Promise<string>} answer returns why an edit was refused
 */
export function question(c, q, why, answer) {
  const because = whyAsked(c), another = c.decides ? field() : null, value = () => another?.value.trim() || undefined;
  const would = { tabindex: '0', role: 'region', 'aria-label': `What ${c.tool} would do` };
  const shown = readable(q.params, 'parameters'), params = h('div', { class: 'ask-params', ...would },
    ...blocks(shown, c.tool));
  const known = [...shown.pairs, ...shown.blocks].some((one) => one.text === q.description);
  const words = h('input', { class: 'words', type: 'text', maxlength: maxWords, dir: 'auto', autocomplete: 'off',
    placeholder: 'Why not? The model gets your words', 'aria-label': `Why not: ${c.tool}`,
    keydown: (/** @type {KeyboardEvent} */ e) => { if (e.key === 'Enter' && !e.isComposing) deny.click(); } });
  const unread = h('p', { class: 'unread-note', hidden: true }, 'Read it to the end to approve it.');
  const reading = new Reading([why, params], (left) => {
    for (const b of [approve, always]) attribute(b, 'aria-disabled', left);
    show(unread, left);
  });
  const editor = new Editing(q, c.tool, params, reading, { approve: () => run('approve'), changed: () => label() });
  const run = (/** @type {string} */ action) => {
    if (action === 'deny') return answer(action, words.value.trim() || undefined);
    if (editor.field?.wrong() || reading.go()) return;
    if (editor.field?.count()) editor.field.send(action, answer);
    else answer(action, action === 'approve' ? value() : undefined);
  };
  const pressed = (/** @type {string} */ action, /** @type {HTMLElement | null} */ row) => {
    if (action !== 'always' || pressedTwice()) run(action);
    if (row && action === 'deny') hush(row, 'It is denied already. Esc and then i lead to where you can say more.');
  };
  const [approve, always, deny] = [['approve', 'Approve', 'y'], ['always', 'Always allow', 'a'], ['deny', 'Deny', 'd']]
    .map(([action, label, key]) => button(action, `${label} ${c.tool}`, key, pressed));
  const label = () => {
    const n = editor.field?.count() || 0, words = `Approve ${c.tool}${n ? ` with ${plural(n, 'change')}` : ''}`;
    setText(/** @type {HTMLElement} */ (approve.firstChild), value() ? 'Decide this instead' : words);
  };
  const pressedTwice = twice(always, `Press again: every ${c.tool} runs unasked`);
  another?.addEventListener('input', label);
  const left = h('b'), clock = h('p', { class: 'left', hidden: !q.expires }, left,
    c.sighted ? ', then its own program decides.' : ', then it is denied automatically.');
  const tell = offer();
  const parts = [
    because && h('p', { class: 'ask-why' }, because),
    h('p', { class: 'ask-line' }, h('strong', null, c.decides ? 'Decide it like this?' : 'May it run?'), ' ',
      !known && h('span', { dir: 'auto' }, q.description)),
    params, q.hidden > 0 && h('p', { class: 'hidden-count' }, hiddenCount(q.hidden)),
    another && h('label', { class: 'another' }, 'Another decision, to replace it', another),
    h('div', { class: 'ask-buttons' }, approve, q.always && always,
      h('span', { class: 'deny' }, words, deny)), unread,
    legend('words', ['Enter', 'denies, with or without words'], ['Esc', 'back to the keys']),
    legend('edit', ['Ctrl Enter', 'approves'], ['Tab', 'next field'], ['Esc', 'leaves it as it was']),
    h('div', { class: 'ask-foot' }, clock, h('span', null, editor.button, tell)),
  ];
  const gone = () => {
    const at = document.activeElement, row = at?.closest('candor-decision');
    if (row?.contains(params) && at?.matches('input, textarea')) {
      row.focus({ preventScroll: true });
      hush(row, 'This call waits no more. Esc leads back to the keys.');
    }
  };
  return { parts, tick: countdown(c, q, left), gone };
}

/**
 * Builds a button that answers.
 * @param {string} action @param {string} label @param {string} key
 * @param {(action: string, row: HTMLElement | null) => void} pressed gets the row too if it was pressed by pointer
 */
function button(action, label, key, pressed) {
  /** @type {HTMLButtonElement} */
  const el = h('button', {
    type: 'button', class: action === 'approve' ? 'primary' : '', 'data-action': action, 'aria-keyshortcuts': key,
    keydown: (/** @type {KeyboardEvent} */ e) => { if (e.repeat) e.preventDefault(); }, mousedown: stayInField,
    click: (/** @type {MouseEvent} */ e) => pressed(action, e.detail > 0 ? el.closest('candor-decision') : null),
  }, h('span', null, label), h('kbd', { 'aria-hidden': 'true' }, key));
  return el;
}

/**
 * Leaves the focus in the field where somebody types: what the page shows beside it would go away, and the button that
 * is pressed would move from under the pointer.
 * @param {MouseEvent} e
 */
function stayInField(e) {
  if (document.activeElement?.matches('input, textarea')) e.preventDefault();
}

/** The fields of the parameters, while they are open, and the button that opens and closes them. */
class Editing {
  /** @type {EditField | null} */
  field = null;
  /** What stood in the fields before they were closed. @type {string[]} */
  #written = [];

  /**
   * @param {Request} q @param {string} tool @param {HTMLElement} params shows the parameters @param {Reading} reading
   * @param {{ approve(): void, changed(): void }} acts
   */
  constructor(q, tool, params, reading, acts) {
    const open = 'Edit before it runs';
    /** @type {AbortController | null} of the keys, while the fields are open */
    let keys = null;
    this.button = h('button', { type: 'button', class: 'whole', hidden: !q.editable, click: () => toggle() }, open);
    const toggle = async () => {
      const row = params.closest('candor-decision');
      if (this.field) {
        this.#written = this.field.close();
        this.field = null;
        keys?.abort();
        row?.focus({ preventScroll: true });
      } else {
        const { editField } = await import('./edit.js');
        if (this.field) return;
        this.field = editField(q, tool, params, this.#written, acts.changed);
        keys = new AbortController();
        row?.addEventListener('keydown', pressed, { signal: keys.signal });
        row?.scrollIntoView({ block: 'end' }); // with the buttons
      }
      reading.within(params, this.field?.areas || []);
      fill(this.button, ...this.field ? ['Leave it as it was', h('kbd', null, 'Esc')] : [open]);
      acts.changed();
    };
    const pressed = (/** @type {KeyboardEvent} */ e) => {
      const elsewhere = e.target instanceof Element && e.target.matches('.words, .another *');
      if (elsewhere || e.isComposing) return;
      if (e.key === 'Escape') toggle();
      else if (e.key === 'Enter' && (e.ctrlKey || e.metaKey)) acts.approve();
      else return;
      e.preventDefault();
    };
  }
}

/**
 * Builds what says which keys mean something while somebody types.
 * @param {string} where the class of the field @param {...[key: string, does: string]} keys
 */
function legend(where, ...keys) {
  return h('p', { class: 'typing', 'data-in': where }, 'You are typing, so single keys are off.',
    ...keys.map(([key, does]) => h('span', null, h('kbd', null, key), ` ${does}`)));
}

/**
 * Returns a function that reports whether a button is pressed the second time, with nothing else done in between.
 * @param {HTMLElement} button @param {string} again what the button says after the first press
 */
function twice(button, again) {
  const label = /** @type {HTMLElement} */ (button.firstChild), first = label.textContent || '';
  /** @type {AbortController | null} */
  let waits = null;
  const done = () => {
    waits?.abort();
    waits = null;
    setText(label, first);
  };
  return () => {
    if (waits) return done(), true;
    const { signal } = waits = new AbortController(), how = { signal, capture: true };
    setText(label, again);
    say(`${again}.`);
    document.addEventListener('keydown', (e) => { if (!['a', 'Enter', ' '].includes(e.key)) done(); }, how);
    document.addEventListener('pointerdown', (e) => {
      if (!(e.target instanceof Node && button.contains(e.target))) done();
    }, how);
    return false;
  };
}

/**
 * Returns a function that answers the question of a row, which takes no other answer meanwhile.
 * @param {HTMLElement} row @param {HTMLElement} ask
 * @param {(action: string, value?: string, edited?: string) => unknown} answer says why an edit was refused
 */
export function answering(row, ask, answer) {
  return async (/** @type {[string, string?, string?]} */ ...how) => {
    /** @type {NodeListOf<HTMLButtonElement | HTMLTextAreaElement>} */
    const all = ask.querySelectorAll('button, textarea, input');
    row.focus({ preventScroll: true }); // a disabled button would lose it
    for (const b of all) b.disabled = true;
    const refused = await answer(...how);
    for (const b of all) b.disabled = false;
    return String(refused || '');
  };
}

/**
 * Keeps the keys from meaning anything in a row whose question is gone, until the focus leaves it: whoever types
 * then means to say something.
 * @param {HTMLElement} row @param {string} why
 */
function hush(row, why) {
  const over = new AbortController(), { signal } = over;
  row.addEventListener('focusout', () => over.abort(), { signal });
  row.addEventListener('keydown', (e) => {
    if (e.key === 'Escape') return $('stream').focus({ preventScroll: true });
    if (e.key.length > 1 || e.ctrlKey || e.metaKey || e.altKey) return;
    e.preventDefault();
    toast(why);
  }, { signal });
}

/**
 * Returns a function that draws how long a question still waits. What reads the page aloud is told once, near the end.
 * @param {Call} c @param {Request} q @param {HTMLElement} el @returns {(now: number) => void}
 */
function countdown(c, q, el) {
  let told = false;
  return (now) => {
    if (!q.expires || !now) return;
    const ms = Math.max(0, q.expires - now);
    setText(el, `${minutes(ms)} left`);
    attribute(/** @type {HTMLElement} */ (el.parentElement), 'data-soon', ms <= soon);
    if (ms > soon || told) return;
    told = true;
    say(`${plural(Math.ceil(ms / 1000), 'second')} left to answer ${c.tool}.`);
  };
}

/** @param {number} ms */
function minutes(ms) {
  const s = Math.ceil(ms / 1000), two = (/** @type {number} */ n) => String(n).padStart(2, '0');
  const long = s >= 3600 ? `${Math.floor(s / 3600)}:${two(Math.floor(s / 60) % 60)}` : String(Math.floor(s / 60));
  return `${long}:${two(s % 60)}`;
}

function field() {
  return h('textarea', { rows: '2', maxlength: maxValue, dir: 'auto' });
}

/** @param {number} n */
function hiddenCount(n) {
  return `${plural(n, 'character')} ${n === 1 ? 'is' : 'are'} hidden from you: a secret that nothing here acts on.`;
}
