// What only the turns of other agents show: who asked and why, what others said within the
// turn, its conclusion, and what came after its end. Few visits need it, so it is loaded then.

import { attribute, fill, h, loadStyles, show } from '../lib/dom.js';
import { clock } from '../lib/format.js';
import { did, placed } from '../state/notes.js';
import { formatRoute } from '../state/route.js';

/** @import { Note, Step, Turn } from '../state/types.d.ts' */

await loadStyles('/ui/css/ondemand.css');

/**
 * Says above the message who asked, with a link to where, and below it why.
 * @param {HTMLElement} asker @param {HTMLElement} because @param {Turn} t @param {string} participant
 */
export function drawAsked(asker, because, t, participant) {
  const a = t.asked;
  show(asker, true);
  show(because, !!a?.why);
  if (a?.by) {
    const name = h('bdi', null, a.by), href = formatRoute({ thread: a.thread, turn: a.turn, call: a.call });
    fill(asker, a.thread ? h('a', { href, title: 'Go to where it asked' }, name) : name, ' asked');
  } else fill(asker, ...began(t, participant));
  if (!a?.why) return;
  const whose = a.source === 'thought' ? 'the thought before it' : 'the reason of its call';
  const ours = (/** @type {string} */ text) => h('span', { class: 'source' }, text);
  fill(because, ours('Why: '), h('bdi', null, a.why), ours(` (${whose})`));
}

/** @param {Turn} t @param {string} participant */
function began(t, participant) {
  if (t.asked?.unseen) return ['The beginning of this reasoning was not seen.'];
  if (t.input === null) return ['…'];
  const alone = !t.input && !t.calls.length && !t.said.length && !t.conclusion && t.response;
  return [h('bdi', null, participant), alone ? ' said, without being asked' : ' began by itself'];
}

/**
 * Shows what the agent made of its reasoning.
 * @param {HTMLElement} el @param {Turn} t
 */
export function drawConclusion(el, t) {
  show(el, !!t.conclusion);
  if (t.conclusion) fill(el, h('h3', null, 'Conclusion'), h('p', { dir: 'auto' }, t.conclusion));
}

/**
 * Shows the notes that came after the turn's end, under a line that says so.
 * @param {HTMLElement} el @param {Turn} t @param {number} now
 */
export function drawLate(el, t, now) {
  const late = t.notes.filter((n) => n.late);
  show(el, late.length > 0);
  fill(el, late.length > 0 && h('h3', null, 'After the end'), ...late.map((n) => note(n, now)));
}

/**
 * Puts notes in their places among the elements of the steps, and marks the steps that came after the turn's end.
 * @param {Turn} t @param {Step[]} steps @param {HTMLElement[]} elements @param {number} now
 */
export function amongSteps(t, steps, elements, now) {
  steps.forEach(({ agent, step }, i) => elements[i].classList.toggle('late', !agent && t.lateSteps.includes(step)));
  const notes = placed(t, steps), all = /** @type {HTMLElement[]} */ ([]);
  for (let at = 0; at <= elements.length; at++) {
    for (const p of notes) if (p.before === at) all.push(note(p.note, now));
    if (at < elements.length) all.push(elements[at]);
  }
  return all;
}

/** @param {Note} n @param {number} now */
function note(n, now) {
  const time = h('time', { datetime: new Date(n.at).toISOString() }, clock(n.at, now));
  const to = n.to ? [' to ', h('bdi', null, n.to)] : [];
  const who = h('span', { class: 'who' }, h('bdi', null, n.from), ` ${did[n.kind] || 'sent'}`, ...to, ' ', time);
  const el = h('p', { class: 'aside', dir: 'auto' }, who, n.text);
  attribute(el, 'data-kind', n.kind);
  return el;
}
