// Folds a job's log into turns, so a job is shown like a conversation: a turn is a
// prompt and all that its worker did about it. All functions are pure.

import { cancelPending, emptyCall, emptyTurn } from './fold.js';
import { ms } from '../lib/format.js';

/** @import * as wire from '../wire.d.ts' */
/** @import { Call, Handlers, Job, Turn } from './types.d.ts' */

/** @param {Turn[]} turns @param {wire.JobFrame} f @param {Job} job @returns {Turn[]} the turns after the frame */
export function applyJobFrame(turns, f, job) {
  const list = turns.length ? turns : [firstTurn(job)];
  if (f.type === 'job_message' && f.role === 'user') return prompted(list, f);
  const apply = /** @type {((t: Turn, f: wire.JobFrame) => Turn) | undefined} */ (frames[f.type]);
  if (!apply) return list;
  const last = list[list.length - 1], next = apply(last, f);
  return next === last ? list : list.with(-1, next);
}

/** @param {Job} job @returns {Turn} */
function firstTurn(job) {
  const createdAt = ms(job.created_at), redactions = job.redactions || [];
  return { ...emptyTurn(1), input: job.prompt, state: 'queued', createdAt, redactions, stale: false };
}

/** @param {Turn[]} turns @param {wire.JobMessageFrame} f */
function prompted(turns, f) {
  const last = turns[turns.length - 1], at = ms(f.at);
  if (last.input === f.content && !last.calls.length && !last.response) return turns;
  return [...turns, { ...emptyTurn(last.number + 1), input: f.content, createdAt: at, startedAt: at, stale: false }];
}

/** @type {Handlers<Turn, wire.JobFrame>} */
const frames = {
  job_started: (t) => t,
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
    const id = f.call_id || `call_${t.calls.length + 1}`, at = ms(f.at);
    const call = { ...emptyCall(id), tool: f.tool_name, params: f.input, startedAt: at, step: stepsOf(t) + 1 };
    const base = withoutAnswer(t);
    return { ...base, state: 'processing', startedAt: t.startedAt || at, endedAt: 0, calls: [...t.calls, call] };
  },
  job_tool_result(t, f) {
    const at = callAt(t, f);
    if (at < 0) return t;
    const preview = f.output === null || f.output === undefined ? '' : JSON.stringify(f.output);
    const ran = { outcome: f.outcome, error: f.error || '', took: f.duration_ms, preview };
    return { ...t, calls: t.calls.with(at, { ...t.calls[at], ...ran }) };
  },
  job_reasoning(t, f) {
    const step = stepsOf(t) + 1, at = ms(f.at);
    return {
      ...(f.narrative ? withSaid(t, step, f.narrative, at) : t), narrative: f.narrative || t.narrative,
      narrativeBlocked: t.narrativeBlocked || !!f.narrative_blocked,
      calls: reasoned(t, f.tool_decisions, step), startedAt: t.startedAt || at,
    };
  },
  job_result(t, f) {
    if (!f.success) return ended({ ...t, error: f.message }, 'failed', f);
    return ended({ ...t, response: t.response || f.message }, 'completed', f);
  },
};

/**
 * Adds reasons to calls. Decisions carry no call ids, so in order they belong to the
 * calls of their tool that have no reason yet.
 * @param {Turn} t @param {wire.JobDecision[]} decisions @param {number} step
 */
function reasoned(t, decisions, step) {
  const calls = t.calls.slice(), groups = Math.max(-1, ...calls.map((c) => c.group ?? -1));
  for (const d of decisions) {
    const group = d.parallel_group ?? null;
    /** @type {Partial<Call>} */
    const change = {
      why: d.rationale, source: d.rationale_source, blocked: !!d.rationale_blocked, outcome: d.outcome, step,
      group: group === null ? null : Math.max(group, groups + 1),
    };
    const at = calls.findIndex((c) => !c.source && c.tool === d.tool_name);
    if (at >= 0) calls[at] = { ...calls[at], ...change };
    else calls.push({ ...emptyCall(`call_${calls.length + 1}`), tool: d.tool_name, ...change });
  }
  return calls;
}

/** @param {Turn} t @param {number} step @param {string} text @param {number} at @returns {Turn} */
function withSaid(t, step, text, at) {
  return { ...t, said: [...t.said, { agent: '', step, text, html: '', source: 'model', at }] };
}

/**
 * Turns an answer into a narrative: a further call follows, so it was no answer.
 * @param {Turn} t
 */
function withoutAnswer(t) {
  return t.response ? { ...withSaid(t, stepsOf(t) + 1, t.response, 0), response: '' } : t;
}

/**
 * Returns how many steps have given their reasons.
 * @param {Turn} t
 */
function stepsOf(t) { return Math.max(0, ...t.calls.map((c) => c.source ? c.step : 0)); }

/** @param {Turn} t @param {wire.JobToolResultFrame} f */
function callAt(t, f) {
  if (f.call_id) return t.calls.findLastIndex((c) => c.id === f.call_id);
  return t.calls.findIndex((c) => c.outcome === 'pending' && c.tool === f.tool_name);
}

/** @param {Turn} t @param {Turn['state']} state @param {wire.JobFrame} f */
function ended(t, state, f) { return { ...t, state, calls: cancelPending(t.calls), endedAt: ms(f.at) }; }
