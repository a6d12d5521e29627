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

/**
 * Draws a row's feedback, after the user has said it if there is something new: the rating that stands is
 * withdrawn by saying it again, and beside any other one can say why.
 * @param {Decision} row @param {HTMLElement} el @param {DecisionActs} acts @param {'good' | 'bad' | 'why'} [now]
 */
export async function draw(row, el, { rate }, now) {
  const c = row.call;
  if (!c || !rate) return;
  drawFeedback(el, c, (rating, note) => row.call && rate(row.call, rating, note));
  if (!now) return;
  const withdrawn = now === c.feedback?.rating;
  if (now !== 'why') await rate(c, withdrawn ? 'none' : now, '');
  if (withdrawn) return;
  row.reveal();
  row.toggle(true);
  focusNote(el);
}

/**
 * Draws the two buttons and, once the decision is rated, the field for the note. What is being typed stays.
 * @param {HTMLElement} el @param {Call} c @param {(rating: Rating, note: string) => unknown} rate
 */
function drawFeedback(el, c, rate) {
  const now = c.feedback, before = el.dataset.rating;
  if (el.dataset.call !== c.id) {
    el.dataset.call = c.id;
    const choices = /** @type {const} */ (['good', 'bad']).map((rating) => h('button', {
      type: 'button', 'data-rating': rating, 'aria-label': `Rate this decision ${rating}: ${c.tool}`,
    }, rating === 'good' ? 'Good' : 'Bad'));
    attribute(el, 'role', 'group');
    attribute(el, 'aria-label', 'Your feedback');
    fill(el, h('span', null, 'Was this decision right?'), ...choices, h('input', {
      type: 'text', maxlength: maxNote, dir: 'auto', autocomplete: 'off', hidden: true,
      placeholder: 'Say why, if you like', 'aria-label': `Why: ${c.tool}`,
      keydown: (/** @type {KeyboardEvent} */ e) => { if (e.key === 'Enter' && !e.isComposing) field(el)?.blur(); },
    }));
  }
  for (const b of el.querySelectorAll('button')) {
    const rating = /** @type {Rating} */ (b.dataset.rating), on = now?.rating === rating;
    attribute(b, 'aria-pressed', String(on));
    b.onclick = () => rate(on ? 'none' : rating, on ? '' : field(el)?.value.trim() || '');
  }
  const note = field(el);
  if (!note) return;
  el.dataset.rating = now?.rating || '';
  if (note !== document.activeElement && (now || before)) note.value = now?.note || '';
  show(note, !!now || !!note.value || note === document.activeElement);
  note.onchange = () => { if (now && note.value.trim() !== now.note) rate(now.rating, note.value.trim()); };
}

/**
 * Returns the field for the note, once it is there.
 * @param {HTMLElement} el
 */
function field(el) { return el.querySelector('input'); }

/**
 * Goes to the field for the note, which may come before the rating.
 * @param {HTMLElement} el
 */
function focusNote(el) {
  const note = field(el);
  if (note) show(note, true);
  note?.focus();
}
