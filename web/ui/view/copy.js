// A turn or a decision as text: plain, Markdown, JSON, curl. Everything but toClipboard
// is pure.

import { about, firstLine, plural, pretty } from '../lib/format.js';
import { answered } from '../state/confidence.js';
import { decided, sureness } from '../state/sureness.js';
import { finding, sourceOf } from '../state/outline.js';

/** @import { Call, Turn } from '../state/types.d.ts' */

/**
 * Returns a reason, marked if the sentence is not the model's.
 * @param {Call} c
 */
export function why(c) {
  const s = sourceOf(c);
  return `${c.tool}: ${c.why}${s.ours ? ` (${s.text})` : ''}`;
}

/** @param {Turn} t */
export function asText(t) {
  const out = [`Turn ${t.number}`, '', `You: ${t.input ?? ''}`, ''];
  if (t.said.length) out.push(...t.said.map((s) => `${s.agent || 'Model'}: ${s.text}`), '');
  for (const c of t.calls) out.push(`- ${why(c)}`, `  ${facts(c)}`);
  if (t.calls.length) out.push('');
  out.push(ending(t));
  return out.join('\n').trim() + '\n';
}

/** @param {Turn} t */
export function asMarkdown(t) {
  const out = [`## Turn ${t.number}`, '', ...quote(t.input ?? ''), ''];
  for (const s of t.said) out.push(s.agent ? `*${escape(s.agent)}*: ${escape(s.text)}` : escape(s.text), '');
  for (const c of t.calls) out.push(callMarkdown(c));
  out.push(t.response || escape(ending(t)));
  return out.join('\n').trim() + '\n';
}

/** @param {Call} c */
export function callMarkdown(c) {
  const s = sourceOf(c), source = s.ours ? ` *(${s.text})*` : '';
  const lines = [`- **${escape(c.tool)}** — ${escape(c.why)}${source}`, `  ${escape(facts(c))}`];
  if (c.params !== undefined) {
    const json = pretty(c.params), mark = fence(json);
    lines.push('', `  ${mark}json`, ...json.split('\n').map((l) => '  ' + l), `  ${mark}`);
  }
  return lines.join('\n') + '\n';
}

/** @param {Call} c */
export function callText(c) {
  return [why(c), facts(c), c.params === undefined ? '' : pretty(c.params)].filter(Boolean).join('\n') + '\n';
}

/**
 * Sums up a call in a line.
 * @param {Call} c
 */
function facts(c) {
  return [
    c.outcome, c.decides && words(c), c.took !== null && about(c.took, c.near), sourceOf(c).text, sureness(c)?.text,
    c.decides ? answered(c) : c.approval && `approval: ${c.approval}`,
    c.redactions.length && `redacted: ${c.redactions.map(finding).join(', ')}`, c.error && firstLine(c.error),
  ].filter(Boolean).join(' · ');
}

/** @param {Call} c */
function words(c) { const { verb, what } = decided(c); return firstLine(verb + what); }

/** @param {Turn} t */
function ending(t) {
  if (t.response) return `Answer: ${t.response}`;
  if (t.error) return `Failed: ${t.error}`;
  if (t.state === 'interrupted') return 'Stopped before an answer.';
  if (t.state === 'quiet') return 'No end was reported.';
  return t.calls.length ? `Still running: ${plural(t.calls.length, 'tool')} so far.` : 'No answer yet.';
}

/**
 * Returns the turn in the names of the API.
 * @param {Turn} t
 */
export function asJSON(t) {
  return JSON.stringify({
    turn_number: t.number, user_input: t.input, narrative: t.narrative || undefined,
    state: t.state === 'quiet' ? 'processing' : t.state,
    tool_decisions: t.calls.map(callJSON), response: t.response || null, error: t.error || undefined,
  }, null, 2) + '\n';
}

/** @param {Call} c */
export function callJSON(c) {
  return {
    call_id: c.id, tool_name: c.tool, rationale: c.why, rationale_source: c.source, outcome: c.outcome,
    parallel_group: c.group, step: c.step, agent: c.agent || undefined, duration_ms: c.near ? null : c.took,
    parameters: c.params, redactions: c.redactions.length ? c.redactions : undefined,
  };
}

/**
 * Returns the command that asks the server for a turn; the shell fills in the token.
 * @param {string} origin @param {string} thread @param {number} turn
 */
export function asCurl(origin, thread, turn) {
  const url = `${origin}/api/chat/turn?thread_id=${encodeURIComponent(thread)}&turn=${turn}`;
  return `curl -s ${shell(url)} -H "Authorization: Bearer $CANDOR_TOKEN"\n`;
}

/** @param {string} s */
function shell(s) { return `'${s.replaceAll("'", `'\\''`)}'`; }
/** @param {string} s */
function quote(s) { return s.split('\n').map((l) => `> ${l}`); }

/**
 * Escapes what would be markup in Markdown.
 * @param {string} s
 */
function escape(s) { return s.replace(/([\\`*_[\]<>#|~])/g, '\\$1'); }

/**
 * Returns a fence longer than any in the text.
 * @param {string} s
 */
function fence(s) {
  return '`'.repeat(Math.max(2, ...(s.match(/`+/g) || []).map((m) => m.length)) + 1);
}

/** @param {string} text @returns {Promise<boolean>} whether the browser allowed it */
export async function toClipboard(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch { return false; }
}
