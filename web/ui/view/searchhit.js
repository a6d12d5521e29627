// A hit of a search as a row of the grid that decisions have: the reason, beside it the tool with its
// object and one line of result, below them where and when. The words of a hit arrive in pieces, so
// marking a match needs no markup.

import { h } from '../lib/dom.js';
import { ago, cut, ms } from '../lib/format.js';
import { formatRoute } from '../state/route.js';
import { words } from './block.js';

/** @import { SearchHit, SnippetPart } from '../wire.d.ts' */

/** @type {Record<string, string>} */
const fields = {
  user_input: 'asked', narrative: 'said', thought: 'thought', stop: 'stopped', rationale: 'why',
  parameters: 'parameters', result: 'result',
  asked_by: 'asked by', asked_reason: 'why it asked', conclusion: 'conclusion', note: 'note', to: 'run by',
  response: 'answer', error: 'error', tool_name: 'tool', message: 'message', title: 'job', prompt: 'prompt',
  feedback: 'your note', approval_value: 'a person said', decision: 'decided', outcome_line: 'result',
};

/** The fields of a call that its hit shows anyway. */
const told = ['tool_name', 'object', 'rationale', 'outcome_line'];

/** @param {SearchHit} x */
export function hitRow(x) {
  const href = formatRoute(x.job_id ? { job: x.job_id, call: x.call_id }
    : { thread: x.thread_id, turn: x.turn_number, call: x.call_id });
  return h('li', null, h('a', { href, class: 'hit' }, ...(x.call_id ? callParts(x) : saidParts(x)),
    place(x)));
}

/** @param {SearchHit} x */
function callParts(x) {
  const field = fields[x.field] || x.field, bad = x.outcome === 'error' || x.outcome === 'rejected';
  const object = (x.object || []).map((p) => p.text).join('');
  const none = x.rationale_source === 'fallback' || !x.rationale;
  return [
    none ? h('span', { class: 'why none' }, 'No reason given')
      : h('span', { class: 'why', dir: 'auto' }, ...marked(x.rationale || [])),
    h('span', { class: 'act' }, h('b', null, ...marked(x.tool || [])), ' ',
      h('span', { class: 'obj', dir: 'auto', title: object }, ...marked(x.object || []))),
    x.outcome_line && h('span', { class: bad ? 'got bad' : 'got', dir: 'auto', title: x.outcome_line },
      ...(x.field === 'outcome_line' ? marked(x.snippet) : words(x.outcome_line))),
    !told.includes(x.field) && h('span', { class: 'also', dir: 'auto' }, `${field}: `, ...marked(x.snippet)),
  ];
}

/** @param {SearchHit} x */
function saidParts(x) {
  return [h('span', { class: 'why said', dir: 'auto' }, ...marked(x.snippet)),
    h('span', { class: 'act field' }, fields[x.field] || x.field)];
}

/** @param {SearchHit} x */
function place(x) {
  const turn = x.turn_number ? `turn ${x.turn_number}` : 'job', title = cut(x.participant || x.title || '', 80);
  const at = ago(ms(x.at), Date.now()), when = /[mhd]$|min$/.test(at) ? `${at} ago` : at;
  const rest = [x.step ? `${turn}, step ${x.step}` : turn, when, x.near && 'near match'].filter(Boolean).join(' · ');
  return h('span', { class: 'at' }, title && h('span', { class: 'title', dir: 'auto' }, title),
    title && '\u00a0·\u00a0', h('span', { class: 'rest' }, rest));
}

/**
 * Returns why a hit was made, as a person would quote it.
 * @param {HTMLElement} link
 */
export function whyOf(link) {
  const text = (/** @type {string} */ css) => link.querySelector(css)?.textContent?.trim() || '';
  return [text('.act'), text('.why')].filter(Boolean).join(': ');
}

/** @param {SnippetPart[]} parts */
function marked(parts) { return parts.flatMap((p) => p.match ? [h('mark', null, p.text)] : words(p.text)); }
