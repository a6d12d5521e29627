// A job's log, folded into turns, so that it is shown like a conversation: a turn
// is a prompt and all that its worker did about it. Pure.

import { emptyCall, emptyTurn } from './fold.js';
import { ms } from '../lib/format.js';

/** @import { Call, Frame, JobInfo, Turn, TurnState } from './types.d.ts' */

/** The turns after a frame of the job's log. @param {Turn[]} turns @param {Frame} f @param {JobInfo} job @returns {Turn[]} */
export function applyJobFrame(turns, f, job) {
  const list = turns.length ? turns : [firstTurn(job)];
  if (f.type === 'job_message' && f.role === 'user') return prompted(list, f);
  const apply = frames[f.type];
  if (!apply) return list;
  const last = list[list.length - 1], next = apply(last, f);
  return next === last ? list : [...list.slice(0, -1), next];
}

/** @param {JobInfo} job @returns {Turn} */
function firstTurn(job) {
  return { ...emptyTurn(1), input: job.prompt, state: 'queued', createdAt: ms(job.created_at), redactions: job.redactions || [], stale: false };
}

/** @param {Turn[]} turns @param {Frame} f @returns {Turn[]} */
function prompted(turns, f) {
  const last = turns[turns.length - 1];
  if (last.input === f.content && !last.calls.length && !last.response) return turns;
  return [...turns, { ...emptyTurn(last.number + 1), input: f.content, createdAt: ms(f.at), startedAt: ms(f.at), stale: false }];
}

/** @type {Record<string, (t: Turn, f: Frame) => Turn>} */
const frames = {
  job_status(t, f) {
    if (f.state === 'running') return { ...t, state: 'processing', startedAt: t.startedAt || ms(f.at) };
    if (f.state === 'cancelled') return ended(t, 'interrupted', f);
    if (f.state === 'pending') return { ...t, state: 'queued', endedAt: 0, error: '' };
    return t;
  },
  job_message(t, f) {
    return { ...t, state: 'completed', response: f.content, endedAt: ms(f.at), startedAt: t.startedAt || ms(f.at) };
  },
  job_tool_use(t, f) {
    const call = {
      ...emptyCall(f.call_id || `call_${t.calls.length + 1}`), tool: f.tool_name, params: f.input, startedAt: ms(f.at), step: stepsOf(t) + 1,
    };
    return { ...spoken(t), state: 'processing', startedAt: t.startedAt || ms(f.at), endedAt: 0, calls: [...t.calls, call] };
  },
  job_tool_result(t, f) {
    const at = callAt(t, f);
    if (at < 0) return t;
    const calls = t.calls.slice();
    calls[at] = {
      ...calls[at], outcome: f.outcome, error: f.error || '', took: f.duration_ms,
      preview: f.output === null || f.output === undefined ? '' : JSON.stringify(f.output),
    };
    return { ...t, calls };
  },
  job_reasoning(t, f) {
    const step = stepsOf(t) + 1;
    const said = f.narrative ? [...t.said, { agent: '', step, text: f.narrative, html: '', source: /** @type {const} */ ('model'), at: ms(f.at) }] : t.said;
    return {
      ...t, said, narrative: f.narrative || t.narrative, narrativeBlocked: t.narrativeBlocked || !!f.narrative_blocked,
      calls: reasoned(t, f.tool_decisions, step), startedAt: t.startedAt || ms(f.at),
    };
  },
  job_result(t, f) {
    if (!f.success) return ended({ ...t, error: f.message }, 'failed', f);
    return ended({ ...t, response: t.response || f.message }, 'completed', f);
  },
};

/** Decisions carry no call ids; they are those of the calls that have no reason yet, in order. @param {Turn} t @param {any[]} decisions @param {number} step @returns {Call[]} */
function reasoned(t, decisions, step) {
  const calls = t.calls.slice(), groups = Math.max(-1, ...calls.map((c) => c.group ?? -1));
  for (const d of decisions) {
    const change = {
      why: d.rationale, source: d.rationale_source, blocked: !!d.rationale_blocked, outcome: d.outcome, step,
      group: d.parallel_group === null || d.parallel_group === undefined ? null : Math.max(d.parallel_group, groups + 1),
    };
    const at = calls.findIndex((c) => !c.source && c.tool === d.tool_name);
    if (at >= 0) calls[at] = { ...calls[at], ...change };
    else calls.push({ ...emptyCall(`call_${calls.length + 1}`), tool: d.tool_name, ...change });
  }
  return calls;
}

/** What it said between two steps was no answer. @param {Turn} t @returns {Turn} */
function spoken(t) {
  if (!t.response) return t;
  const said = { agent: '', step: stepsOf(t) + 1, text: t.response, html: '', source: /** @type {const} */ ('model'), at: 0 };
  return { ...t, response: '', said: [...t.said, said] };
}

/** How many steps have given their reasons. @param {Turn} t */
function stepsOf(t) { return Math.max(0, ...t.calls.map((c) => c.source ? c.step : 0)); }

/** @param {Turn} t @param {Frame} f */
function callAt(t, f) {
  if (f.call_id) return t.calls.findLastIndex((c) => c.id === f.call_id);
  return t.calls.findIndex((c) => c.outcome === 'pending' && c.tool === f.tool_name);
}

/** @param {Turn} t @param {TurnState} state @param {Frame} f @returns {Turn} */
function ended(t, state, f) {
  const calls = t.calls.map((c) => c.outcome === 'pending' ? { ...c, outcome: /** @type {const} */ ('cancelled') } : c);
  return { ...t, state, calls, endedAt: ms(f.at) };
}
