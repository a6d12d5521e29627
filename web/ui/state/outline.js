// The outline of a turn: its steps, the calls of each, those that ran together,
// and below a call what the agent did that it handed its task to. Pure.

import { plural, span, counter } from '../lib/format.js';

/** @import { Call, Handoff, Said, Turn } from './types.d.ts' */

/** @typedef {{ call: Call, sub: Agent | null }} Node */
/** @typedef {{ group: number | null, nodes: Node[] }} Batch */
/** @typedef {{ step: number, said: Said | null, batches: Batch[] }} Step */
/** @typedef {{ name: string, task: Handoff | null, answer: Handoff | null, steps: Step[] }} Agent */

/** What the agent that the user speaks to did. @param {Turn} t @returns {Step[]} */
export function outline(t) { return stepsOf(t, '', 0); }

/** The deepest nesting that is drawn; an agent that hires itself for ever is cut off there. */
const maxDepth = 6;

/** @param {Turn} t @param {string} agent @param {number} depth @returns {Step[]} */
function stepsOf(t, agent, depth) {
  const calls = t.calls.filter((c) => c.agent === agent), said = t.said.filter((s) => s.agent === agent);
  const numbers = [...new Set([...calls.map((c) => c.step), ...said.map((s) => s.step)])].sort((a, b) => a - b);
  return numbers.map((step) => ({
    step, said: said.find((s) => s.step === step) || null,
    batches: batches(t, calls.filter((c) => c.step === step), depth),
  }));
}

/** @param {Turn} t @param {Call[]} calls @param {number} depth @returns {Batch[]} */
function batches(t, calls, depth) {
  /** @type {Batch[]} */
  const out = [];
  for (const call of calls) {
    const node = { call, sub: hired(t, call, depth) }, last = out[out.length - 1];
    if (last && call.group !== null && last.group === call.group) last.nodes.push(node);
    else out.push({ group: call.group, nodes: [node] });
  }
  return out;
}

/** The agent that a call handed its task to. @param {Turn} t @param {Call} call @param {number} depth @returns {Agent | null} */
function hired(t, call, depth) {
  const task = t.handoffs.find((h) => h.call === call.id && h.from === call.agent && h.to);
  if (!task || depth >= maxDepth) return null;
  const answer = t.handoffs.find((h) => h.call === call.id && h.from === task.to) || null;
  return { name: task.to, task, answer, steps: stepsOf(t, task.to, depth + 1) };
}

/** How long calls took side by side, and how long they would have one after another. @param {Call[]} calls @param {number} now server's time */
export function together(calls, now) {
  const from = Math.min(...calls.map((c) => c.startedAt || Infinity));
  const ends = calls.map((c) => c.took === null ? now : (c.startedAt || from) + c.took);
  const sum = calls.reduce((n, c) => n + (c.took ?? Math.max(0, now - c.startedAt)), 0);
  const wall = Number.isFinite(from) ? Math.max(0, ...ends) - from : Math.max(0, ...calls.map((c) => c.took || 0));
  return { from: Number.isFinite(from) ? from : 0, wall: Math.max(wall, 0), sum };
}

/** Where on the lane of its batch a call lies, as shares of 1. @param {Call} c @param {{ from: number, wall: number }} axis @param {number} now */
export function lane(c, axis, now) {
  if (!axis.wall) return { left: 0, width: 1 };
  const left = Math.min(1, Math.max(0, ((c.startedAt || axis.from) - axis.from) / axis.wall));
  const took = c.took ?? Math.max(0, now - (c.startedAt || axis.from));
  return { left, width: Math.min(1 - left, took / axis.wall) };
}

/** The turn's reasoning in one line: live with a counter, afterwards with what it came to. @param {Turn} t @param {number} now server's time */
export function headline(t, now) {
  const n = t.calls.length, done = t.calls.filter((c) => c.outcome !== 'pending').length;
  if (t.state === 'queued') return { label: 'Waiting', detail: 'for the turn before it' };
  if (t.state === 'processing') {
    const asked = t.calls.filter((c) => c.request).length;
    if (asked) return { label: 'Waiting for you', detail: `${plural(asked, 'call needs', 'calls need')} your approval` };
    const label = `Working… ${counter(now - (t.startedAt || t.createdAt || now))}`;
    return { label, detail: n ? `${done} of ${plural(n, 'tool')} done` : 'no tool called yet' };
  }
  const parts = [n ? plural(n, 'tool') : 'No tools'];
  const beside = t.calls.filter((c) => c.group !== null).length;
  if (beside) parts.push(`${beside} in parallel`);
  const bad = t.calls.filter((c) => c.outcome === 'error').length, no = t.calls.filter((c) => c.outcome === 'rejected').length;
  if (bad) parts.push(`${bad} failed`);
  if (no) parts.push(`${no} rejected`);
  const took = t.endedAt && t.startedAt ? span(t.endedAt - t.startedAt) : '';
  if (took) parts.push(took);
  if (t.tokens) parts.push(`${t.tokens.toLocaleString('en')} tokens`);
  if (t.state === 'interrupted') return { label: 'Stopped', detail: parts.join(', ') };
  if (t.state === 'failed') return { label: 'Failed', detail: parts.join(', ') };
  return { label: 'Reasoning', detail: parts.join(', ') };
}

/** What stands where a turn has nothing to show under Reasoning. @param {Turn} t */
export function silence(t) {
  if (t.narrativeBlocked && !t.said.length) return 'What the model said here was withheld: it held something that may not be kept.';
  if (t.calls.length || t.said.length) return '';
  if (t.state === 'queued') return 'This message waits in order and starts when the turn before it has ended.';
  if (t.state === 'processing') return 'The model is reading. What it says and does shows up here.';
  if (t.state === 'failed') return 'The turn failed before the model called a tool.';
  if (t.state === 'interrupted') return 'The turn was stopped before the model called a tool.';
  return 'Answered without a tool, so there is no decision to explain.';
}

/** Who gave the reason. @param {Call} c @returns {{ text: string, title: string, ours: boolean }} */
export function sourceOf(c) {
  if (c.blocked) return { text: 'reason withheld', title: 'The model gave a reason, but it held something that may not be kept.', ours: true };
  if (c.source === 'model') return { text: 'model', title: 'The model’s own words.', ours: false };
  if (c.source === 'summary') return { text: 'provider summary', title: 'A summary of the model’s reasoning, made by its provider.', ours: false };
  if (c.source === 'fallback') return { text: 'no reason given', title: 'The model gave no reason; the sentence is ours.', ours: true };
  return { text: 'no reason yet', title: 'The worker has not said why yet.', ours: true };
}

/** An outcome in words and a sign, so that colour is never alone. @param {Call} c */
export function outcomeOf(c) {
  if (c.request) return { sign: '?', text: 'needs approval', kind: 'waiting' };
  return outcomes[c.outcome] || { sign: '·', text: c.outcome, kind: 'pending' };
}

/** @type {Record<string, { sign: string, text: string, kind: string }>} */
const outcomes = {
  pending: { sign: '', text: 'running', kind: 'pending' },
  success: { sign: '✓', text: 'success', kind: 'success' },
  error: { sign: '✕', text: 'error', kind: 'error' },
  rejected: { sign: '⊘', text: 'rejected', kind: 'rejected' },
  cancelled: { sign: '–', text: 'cancelled', kind: 'cancelled' },
};
