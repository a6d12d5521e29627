// The question to a person about a call: why it is asked, what the call would do, and the answers. The reason and the
// parameters scroll beside buttons that stay where they are, and Approve waits until both were read to their end.

import { $, attribute, h, loadStyles, setText, show } from '../lib/dom.js';
import { plural } from '../lib/format.js';
import { say, toast } from '../lib/toast.js';
import { readable } from '../state/content.js';
import { whyAsked } from '../state/sureness.js';
import { blocks } from './details.js';
import { offer } from './notify.js';

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
    placeholder: 'Why not? Sent to the model', 'aria-label': `Why not: ${c.tool}`,
    keydown: (/** @type {KeyboardEvent} */ e) => { if (e.key === 'Enter' && !e.isComposing) deny.click(); } });
  const unread = h('p', { class: 'unread-note', hidden: true }, 'Read it to the end to approve it.');
  const reading = new Reading([why, params], (left) => {
    for (const b of [approve, always]) if (b) attribute(b, 'aria-disabled', left);
    show(unread, left);
  });
  /** @type {EditField | null} */
  let edit = null;
  const changing = h('button', { type: 'button', class: 'whole', hidden: !q.editable, click: async () => {
    edit = edit ? edit.close() : (await import('./edit.js')).editField(q, c.tool, params, changing, label);
    label();
    if (edit) changing.closest('candor-decision')?.scrollIntoView({ block: 'end' }); // with the buttons
  } }, 'Edit before it runs');
  const run = (/** @type {string} */ action) => {
    if (action === 'deny') return answer(action, words.value.trim() || undefined);
    if (edit?.text()) return edit.send(action, answer);
    if (!edit?.wrong() && !reading.go()) answer(action, action === 'approve' ? value() : undefined);
  };
  const button = (/** @type {string} */ action, /** @type {string} */ label, /** @type {string} */ key) => h('button', {
    type: 'button', class: action === 'approve' ? 'primary' : '', 'data-action': action,
    'aria-label': `${label}: ${c.tool}`, 'aria-keyshortcuts': key, click: (/** @type {MouseEvent} */ e) => {
      const row = e.detail > 0 && action === 'deny' && deny.closest('candor-decision');
      run(action);
      if (row) hush(row);
    },
  }, h('span', null, label), h('kbd', { 'aria-hidden': 'true' }, key));
  const approve = button('approve', 'Approve', 'y'), always = q.always && button('always', 'Always allow', 'a');
  const deny = button('deny', 'Deny', 'd');
  const label = () => {
    const words = value() ? 'Decide this instead' : edit?.text() ? 'Approve the change' : 'Approve';
    setText(/** @type {HTMLElement} */ (approve.firstChild), words);
    attribute(approve, 'aria-label', `${words}: ${c.tool}`);
  };
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
    h('div', { class: 'ask-buttons' }, approve, always, h('span', { class: 'deny' }, words, deny)), unread,
    h('div', { class: 'ask-foot' }, clock, h('span', null, changing, tell)),
  ];
  return { parts, tick: countdown(c, q, left) };
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
 * Keeps the keys from meaning anything in a row that was denied by pointer, until the focus leaves it: whoever types
 * then means to say why.
 * @param {HTMLElement} row
 */
function hush(row) {
  const over = new AbortController(), { signal } = over;
  row.addEventListener('focusout', () => over.abort(), { signal });
  row.addEventListener('keydown', (e) => {
    if (e.key === 'Escape') return $('stream').focus({ preventScroll: true });
    if (e.key.length > 1 || e.ctrlKey || e.metaKey || e.altKey) return;
    e.preventDefault();
    toast('It is denied already. Esc and then i lead to where you can tell the agent more.');
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

/** Knows which of some boxes were scrolled to their end, and so read. */
class Reading {
  /** @type {Set<HTMLElement>} */
  #left;
  #changed;

  /** @param {HTMLElement[]} boxes @param {(left: boolean) => void} changed */
  constructor(boxes, changed) {
    this.#left = new Set(boxes);
    this.#changed = changed;
    const sizes = new ResizeObserver(() => this.#look());
    for (const b of boxes) {
      b.addEventListener('scroll', () => this.#look(), { passive: true });
      sizes.observe(b);
    }
  }

  /** Drops the boxes whose end is in view. A box that is not laid out was not seen. */
  #look() {
    for (const b of this.#left) {
      if (b.clientHeight > 0 && b.scrollHeight - b.scrollTop - b.clientHeight < 4) this.#left.delete(b);
    }
    this.#changed(this.#left.size > 0);
  }

  /** Scrolls on in the first box that was not read to its end; returns whether there is one. */
  go() {
    this.#look();
    const [first] = this.#left;
    first?.scrollBy({ top: first.clientHeight - 24 });
    return !!first;
  }
}

function field() {
  return h('textarea', { rows: '2', maxlength: maxValue, dir: 'auto' });
}

/** @param {number} n */
function hiddenCount(n) {
  return `${plural(n, 'character')} ${n === 1 ? 'is' : 'are'} hidden from you: a secret that nothing here acts on.`;
}
