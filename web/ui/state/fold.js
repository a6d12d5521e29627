// Folds what history and the stream say of a turn into one value. All functions are pure and return the turn they were
// given if nothing changed, so comparing identities tells what to draw.

import { cut, ms } from '../lib/format.js';
import { editOf, noRun, notSure, runOf, sureOf } from './confidence.js';
import { rated, ratedOf, unrated } from './feedback.js';
import { sameStep, sizeOf, timesOf, tookOf, usageOf } from './usage.js';
import { saidIn, saidOf, withSaid } from './said.js';
import { begun, noted, notObserved, observedOf, withStep } from './observed.js';

/** @import * as wire from '../wire.d.ts' */
/** @import { Call, Draft, Handlers, Handoff, Request, Said, Turn, TurnFrame } from './types.d.ts' */

/** @param {number} number @returns {Turn} */
export function emptyTurn(number) {
  return {
    number, messageId: '', input: null, response: '', responseHtml: '', error: '', state: 'processing',
    createdAt: 0, startedAt: 0, endedAt: 0, restarted: false, narrative: '', narrativeSource: '',
    narrativeBlocked: false, said: [], drafts: [], calls: [], handoffs: [], redactions: [], notices: [], tokens: 0,
    cost: '', run: 0, stale: true, stepTokens: {}, sealed: [], stops: [], stop: '', ...notObserved, ...noRun,
  };
}

/** @param {string} id @returns {Call} */
export function emptyCall(id) {
  return {
    id, tool: '', why: '', source: '', blocked: false, outcome: 'pending', group: null, step: 0, agent: '', waited: 0,
    approval: '', startedAt: 0, took: null, near: false, params: undefined, redactions: [], notices: [], preview: '',
    size: 0, error: '', object: '', got: '', before: '', request: null, hidden: 0, inferred: false, to: '', ...notSure,
    ...unrated, sighted: null,
  };
}

/**
 * Converts a turn of the server. Complete results are shortened, but for one.
 * @param {wire.TurnInfo | wire.TurnDetail | wire.JobTurnInfo} info
 * @param {string} [whole] the call whose result is kept complete
 * @returns {Turn}
 */
export function turnOf(info, whole = '') {
  const r = info.reasoning;
  /** @type {Map<string, wire.ToolCallDetail>} */
  const ran = new Map(info.tool_calls?.map((c) => [c.call_id, c]));
  return {
    ...emptyTurn(info.turn_number),
    messageId: info.message_id, input: info.user_input, response: info.response || '',
    responseHtml: info.response_html || '', error: info.error || '', state: info.state,
    createdAt: ms(info.created_at), startedAt: ms(info.started_at), endedAt: ms(info.completed_at),
    restarted: !!info.interrupted_by, run: ('run' in info && info.run) || 0,
    narrative: r?.narrative || '', narrativeSource: r?.narrative_source || '',
    narrativeBlocked: !!r?.narrative_blocked, said: saidOf(info),
    calls: r?.tool_decisions?.map((d) => callOf(d, ran.get(d.call_id), whole)) || [],
    handoffs: r?.handoffs?.map(handoffOf) || [], redactions: info.redactions || [],
    notices: info.notices || [], stale: false, ...usageOf(info), ...observedOf(info), ...runOf(info.workflow),
  };
}

/** @param {wire.ToolDecisionInfo} d @param {wire.ToolCallDetail | undefined} c @param {string} whole @returns {Call} */
function callOf(d, c, whole) {
  return {
    ...emptyCall(d.call_id), ...decisionOf(d), params: d.parameters, redactions: d.redactions || [],
    notices: d.notices || [], ...editOf(d), hidden: d.hidden_characters || 0, inferred: !!d.inferred || !!c?.inferred,
    ...c && { preview: preview(c, whole), size: sizeOf(c), object: c.object || '', got: c.outcome_line || '' },
    error: c?.error || '', ...timesOf(c, d.outcome),
  };
}

/** The characters of a result that are kept until somebody asks for all of it. */
const maxPreview = 500;

/** @param {wire.ToolCallDetail} c @param {string} whole */
function preview(c, whole) {
  if (c.result === undefined) return c.result_preview || '';
  const all = JSON.stringify(c.result);
  return whole === c.call_id ? all : cut(all, maxPreview + 1);
}

/**
 * Converts the part of a decision that streams carry too.
 * @param {wire.ToolDecisionPayload} d @returns {Partial<Call>}
 */
function decisionOf(d) {
  return {
    tool: d.tool_name, why: d.rationale, source: d.rationale_source, blocked: !!d.rationale_blocked,
    outcome: d.outcome, group: d.parallel_group ?? null, step: d.step || 0, agent: d.agent || '',
    approval: d.approval || '', to: d.to || '', before: d.text_before || '',
    sighted: d.sighted || null, ...sureOf(d), ...ratedOf(d),
  };
}

/** @param {wire.HandoffInfo | wire.HandoffFrame} h @returns {Handoff} */
function handoffOf(h) {
  const { name = '', model = '', effort = '' } = h;
  return { call: h.call_id, from: h.from || '', to: h.to || '', text: h.text, at: ms(h.at), name, model, effort };
}

/**
 * Adds the open questions of history to the calls they are about.
 * @param {Turn[]} turns @param {wire.PendingApproval[]} [pending]
 */
export function withRequests(turns, pending) {
  if (!pending?.length) return turns;
  return turns.map((t) => {
    if (t.state !== 'processing') return t;
    const calls = t.calls.map((c) => {
      const q = c.outcome === 'pending' && pending.find((p) => p.call_id === c.id);
      return q ? { ...c, request: requestOf(q) } : c;
    });
    return { ...t, calls };
  });
}

/** @param {wire.PendingApproval} q @returns {Request} */
function requestOf(q) {
  return {
    id: q.request_id, description: q.description, always: !!q.allow_always, params: q.parameters,
    hidden: q.hidden_characters || 0, expires: ms(q.expires_at), editable: !!q.editable,
  };
}

/** @param {Turn} t @param {TurnFrame} f @returns {Turn} the turn after the frame */
export function applyFrame(t, f) {
  const apply = /** @type {((t: Turn, f: TurnFrame) => Turn) | undefined} */ (frames[f.type]);
  return apply ? apply(t, f) : t;
}

/** @type {Handlers<Turn, TurnFrame>} */
const frames = {
  status(t, f) {
    if (!f.state) return t;
    const next = { ...t, state: f.state, messageId: f.message_id || t.messageId, createdAt: t.createdAt || ms(f.at) };
    const ends = f.state === 'interrupted' || f.state === 'completed', at = f.last_heard_at || f.at;
    return ends ? end({ ...next, restarted: !!f.interrupted_by }, { at }) : next;
  },
  step_text(t, f) {
    if (t.endedAt) return t;
    const agent = f.agent || '', { step, index } = f;
    const old = t.drafts.find((d) => d.agent === agent && d.step === step && d.next === index);
    if (index > 0 && !old) return t; // a part is missing; what settles the step has it all
    /** @type {Draft} */
    const draft = { agent, step, next: index + 1, text: (old?.text || '') + f.text, html: '', source: '', at: 0 };
    return { ...t, state: 'processing', drafts: [...withoutDraft(t, agent), draft] };
  },
  thinking(t, f) {
    const at = ms(f.at), agent = f.agent || '', step = f.step, text = f.message;
    /** @type {wire.Source | ''} */
    const source = f.narrative_source || '';
    if (!step) return begun(t, f);
    const said = withSaid(t, { agent, step, text, html: '', source, at }, !!f.beside);
    if (f.beside) return { ...withStep(t, agent, step), said };
    if (f.answer) return { ...t, said }; // a summary of how the answer came about; the answer is still being spoken
    const next = { ...settled(withStep(t, agent, step), agent), said };
    return agent ? next : { ...next, narrative: text, narrativeSource: source };
  },
  tool_started(t, f) {
    const agent = f.agent || '', step = stepOf(t, agent), to = f.to || '', group = f.parallel_group ?? null;
    // One that was proposed is made now.
    if (to && t.calls.some((c) => c.id === f.call_id)) return withCall(t, f.call_id, { to, group });
    return withCall(settled(withStep(t, agent, step), agent), f.call_id, {
      tool: f.name, why: f.rationale, source: f.rationale_source, group, agent, startedAt: ms(f.at),
      before: f.text_before || '', outcome: 'pending', step, to, object: f.object || '', ...sureOf(f),
    });
  },
  tool_completed(t, f) {
    const took = tookOf(f.outcome, f.duration_ms);
    const ended = { outcome: f.outcome, error: f.error || '', got: f.outcome_line || '', took, request: null };
    return withCall(t, f.call_id, ended);
  },
  tool_result(t, f) { return withCall(t, f.call_id, { preview: f.preview, size: f.result_shape?.bytes || 0 }); },
  approval_needed(t, f) {
    const request = requestOf(f);
    return withCall(t, f.call_id, { params: f.parameters, hidden: request.hidden, request, ...sureOf(f) });
  },
  approval_answered(t, f) {
    const said = f.approval_value || '', startedAt = ms(f.at), asked = t.calls.find((c) => c.id === f.call_id);
    const waited = startedAt - (asked?.startedAt || startedAt);
    return withCall(t, f.call_id, { approval: f.answer, said, ...editOf(f), request: null, startedAt, waited });
  },
  handoff(t, f) {
    const h = handoffOf(f);
    const known = t.handoffs.some((o) => o.call === h.call && o.from === h.from && o.to === h.to);
    return known ? t : { ...settled(t, h.from), handoffs: [...t.handoffs, h] };
  },
  reasoning_update(t, f) {
    let next = settled(t, '');
    for (const d of f.tool_decisions) next = withCall(next, d.call_id, decisionOf(d));
    const narrativeBlocked = next.narrativeBlocked || !!f.narrative_blocked, narrative = f.narrative || '';
    return { ...next, narrative, narrativeBlocked, cost: f.cost || '', stops: f.step_stops || [], stale: true };
  },
  sealed_reasoning(t, f) { return { ...t, sealed: [...t.sealed.filter((s) => !sameStep(s, f)), f] }; },
  decision_rated: rated, note: noted,
  conclusion(t, f) { return { ...t, conclusion: f.text }; },
  response(t, f) {
    const state = t.endedAt ? t.state : 'completed';
    return end({ ...t, response: f.content, stop: f.stop_words || '', state }, f);
  },
  error(t, f) { return end({ ...t, error: f.message, state: 'failed' }, f); },
};

/** @param {Turn} t @param {string} agent */
function withoutDraft(t, agent) { return t.drafts.filter((d) => d.agent !== agent); }

/**
 * Drops what an agent's step had said so far: another event has it whole, or it was withheld.
 * @param {Turn} t @param {string} agent @returns {Turn}
 */
function settled(t, agent) {
  return t.drafts.some((d) => d.agent === agent) ? { ...t, drafts: withoutDraft(t, agent) } : t;
}

/** @param {Turn} t @param {{ at: string }} f @returns {Turn} */
function end(t, f) {
  return { ...t, calls: cancelPending(t.calls), drafts: [], endedAt: t.endedAt || ms(f.at), stale: true };
}

/**
 * Cancels the calls that an ended turn left open.
 * @param {Call[]} calls @returns {Call[]}
 */
function cancelPending(calls) {
  if (!calls.some((c) => c.outcome === 'pending')) return calls;
  return calls.map((c) => c.outcome === 'pending' ? { ...c, outcome: 'cancelled', request: null } : c);
}

/**
 * Returns the step an agent is in: the last one in which it spoke or called a tool.
 * @param {Turn} t @param {string} agent
 */
function stepOf(t, agent) {
  return Math.max(1, ...[...t.said, ...t.calls].filter((x) => x.agent === agent).map((x) => x.step));
}

/**
 * Changes a call, or adds it.
 * @param {Turn} t @param {string} id @param {Partial<Call>} change @returns {Turn}
 */
function withCall(t, id, change) {
  const at = t.calls.findIndex((c) => c.id === id);
  if (at < 0) return { ...t, calls: [...t.calls, { ...emptyCall(id), ...change }] };
  const next = { ...t.calls[at], ...change };
  return same(t.calls[at], next) ? t : { ...t, calls: t.calls.with(at, next) };
}

/**
 * Merges an answer that is older than what the stream said since: it takes only what
 * streams never carry.
 * @param {Turn} old @param {Turn} fresh @returns {Turn}
 */
export function enrichTurn(old, fresh) {
  const calls = old.calls.map((c) => {
    const f = fresh.calls.find((o) => o.id === c.id);
    if (!f) return c;
    const { params, redactions, notices } = f;
    return { ...c, params, redactions, notices, startedAt: c.startedAt || f.startedAt };
  });
  const { input, redactions, notices, tokens, cost, stepTokens, createdAt, workflow, replayOf, toldAt } = fresh;
  const rest = { input, redactions, notices, tokens, cost, stepTokens, createdAt, workflow, replayOf, toldAt };
  return { ...old, ...rest, calls, asked: old.asked || fresh.asked, conclusion: old.conclusion || fresh.conclusion };
}

/**
 * Merges a newer answer, keeping the identity of every part that did not change.
 * @param {Turn} old @param {Turn} fresh @returns {Turn}
 */
export function mergeTurn(old, fresh) {
  const calls = fresh.calls.map((c) => {
    const before = old.calls.find((o) => o.id === c.id);
    if (!before) return c;
    const next = { ...c, startedAt: Math.max(c.startedAt, before.startedAt) };
    // A preview never replaces a complete result that was fetched.
    if (before.preview.length > next.preview.length) next.preview = before.preview;
    return same(before, next) ? before : next;
  });
  const said = same(old.said, fresh.said) ? old.said : fresh.said.map((s) => ({ ...s, at: s.at || timeSaid(old, s) }));
  const drafts = fresh.endedAt ? [] : old.drafts.filter((d) => !saidIn(fresh, d));
  return { ...fresh, calls, said, drafts };
}

/** @param {Turn} t @param {Said} s */
function timeSaid(t, s) { return saidIn(t, s)?.at || 0; }

/** @param {unknown} a @param {unknown} b */
function same(a, b) { return a === b || JSON.stringify(a) === JSON.stringify(b); }
