// What a person says of a decision: good or bad, and why. It stands in the opened row, and is loaded with the first.

import { ask } from '../net/api.js';
import { attribute, fill, h, loadStyles, show } from '../lib/dom.js';

/** @import { Call } from '../state/types.d.ts' */
/** @import { DecisionActs } from './types.d.ts' */
/** @import { Decision } from './decision.js' */
/** @typedef {'good' | 'bad' | 'none'} Rating */

await loadStyles('/ui/css/ondemand.css');

/** The longest note that the server takes, in characters. */
const maxNote = 500;

/**
 * Records a rating of a call. The stream then brings it to all pages.
 * @param {string} thread_id @param {number} turn_number @param {string} call_id @param {Rating} rating
 * @param {string} note
 */
export function send(thread_id, turn_number, call_id, rating, note) {
  return ask('POST', '/api/chat/feedback', { thread_id, turn_number, call_id, rating, note });
}

/** What is being recorded, one after the other. @type {Promise<unknown>} */
let last = Promise.resolve();

/**
 * Draws a row's feedback, after the user has said it if there is something new: the rating that stands is
 * withdrawn by saying it again, and beside any other one can say why.
 * @param {Decision} row @param {HTMLElement} el @param {DecisionActs} acts @param {'good' | 'bad' | 'why'} [now]
 */
export async function draw(row, el, { rate }, now) {
  const c = row.call;
  if (!c || !rate) return;
  const field = drawFeedback(row, el, c, (rating, note) => {
    last = last.then(() => row.call && rate(row.call, rating, note));
  });
  if (now === 'why') return focusNote(row, el, field);
  el.querySelector(`[data-rating=${now}]`)?.dispatchEvent(new Event('click'));
}

/**
 * Draws the two buttons and, once the decision is rated, the field for the note. What is being typed stays.
 * @param {Decision} row @param {HTMLElement} el @param {Call} c @param {(rating: Rating, note: string) => void} rate
 */
function drawFeedback(row, el, c, rate) {
  const now = c.feedback, note = el.querySelector('input') || build(row, el, c), before = el.dataset.rating;
  for (const b of el.querySelectorAll('button')) {
    const rating = /** @type {Rating} */ (b.dataset.rating), on = now?.rating === rating;
    attribute(b, 'aria-pressed', String(on));
    b.onclick = () => {
      el.dataset.said = on ? '' : rating;
      rate(on ? 'none' : rating, on ? '' : note.value.trim());
      if (!on) focusNote(row, el, note); // at once: what is typed next is why
    };
  }
  if (el.dataset.said === now?.rating) el.dataset.said = '';
  el.dataset.rating = now?.rating || '';
  if (note !== document.activeElement && !el.dataset.said && (now || before)) note.value = now?.note || '';
  show(note, !!now || !!note.value || note === document.activeElement);
  note.onchange = () => {
    const rating = /** @type {Rating} */ (el.dataset.said || now?.rating), text = note.value.trim();
    if (rating && text !== now?.note) rate(rating, text);
  };
  return note;
}

/**
 * Builds the buttons and the field, which Enter leaves for the row.
 * @param {Decision} row @param {HTMLElement} el @param {Call} c
 */
function build(row, el, c) {
  const choices = /** @type {const} */ (['good', 'bad']).map((rating) => h('button', {
    type: 'button', 'data-rating': rating, 'aria-label': `Rate this decision ${rating}: ${c.tool}`,
  }, rating === 'good' ? 'Good' : 'Bad'));
  const note = h('input', {
    type: 'text', maxlength: maxNote, dir: 'auto', autocomplete: 'off', hidden: true,
    placeholder: 'Say why, if you like', 'aria-label': `Why: ${c.tool}`,
    keydown: (/** @type {KeyboardEvent} */ e) => {
      if (e.key !== 'Enter' || e.isComposing) return;
      e.preventDefault();
      row.focus({ preventScroll: true });
    },
  });
  attribute(el, 'role', 'group');
  attribute(el, 'aria-label', 'Your feedback');
  fill(el, h('span', null, 'Was this decision right?'), ...choices, note);
  return note;
}

/**
 * Goes to the field for the note, which may come before the rating, and stays in view as the row opens.
 * @param {Decision} row @param {HTMLElement} el @param {HTMLInputElement} note
 */
async function focusNote(row, el, note) {
  row.reveal();
  if (!row.open) row.toggle(true);
  show(el, true);
  show(note, true);
  note.focus({ preventScroll: true });
  note.scrollIntoView({ block: 'nearest' });
  await import('./details.js');
  requestAnimationFrame(() => { if (note === document.activeElement) note.scrollIntoView({ block: 'nearest' }); });
}
