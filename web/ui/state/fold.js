// A turn is folded here from what history says of it and from the frames that
// the stream sends. All functions are pure: they return the turn they were given
// where nothing changed, so that who compares by identity sees what to draw.

import { cut, ms } from '../lib/format.js';

/** @import { Call, Frame, Said, Turn } from './types.d.ts' */

/** A turn of which nothing is known yet. @param {number} number @returns {Turn} */
export function emptyTurn(number) {
  return {
    number, messageId: '', input: null, response: '', responseHtml: '', error: '', state: 'processing',
    createdAt: 0, startedAt: 0, endedAt: 0, narrative: '', narrativeSource: '',
    narrativeBlocked: false, said: [], calls: [], handoffs: [], redactions: [], tokens: 0, stale: true,
  };
}

/** @param {string} id @returns {Call} */
export function emptyCall(id) {
  return {
    id, tool: '', why: '', source: '', blocked: false, outcome: 'pending', group: null, step: 0, agent: '',
    approval: '', startedAt: 0, took: null, params: undefined, redactions: [], preview: '', size: 0, error: '', request: null,
  };
}

/** A turn as history has it, or by itself with whole results, of which only the one asked for is kept whole. @param {any} info @param {string} [whole] @returns {Turn} */
export function turnOf(info, whole = '') {
  const r = info.reasoning || {};
  /** @type {Map<string, any>} */
  const ran = new Map((info.tool_calls || []).map((/** @type {any} */ c) => [c.call_id, c]));
  return {
    ...emptyTurn(info.turn_number),
    messageId: info.message_id, input: info.user_input, response: info.response || '',
    responseHtml: info.response_html || '', error: info.error || '', state: info.state,
    createdAt: ms(info.created_at), startedAt: ms(info.started_at), endedAt: ms(info.completed_at),
    narrative: r.narrative || '', narrativeSource: r.narrative_source || '',
    narrativeBlocked: !!r.narrative_blocked, said: saidOf(r),
    calls: (r.tool_decisions || []).map((/** @type {any} */ d) => callOf(d, ran.get(d.call_id) || {}, whole)),
    handoffs: (r.handoffs || []).map(handoffOf), redactions: info.redactions || [], tokens: (info.usage?.input_tokens || 0) + (info.usage?.output_tokens || 0), stale: false,
  };
}

/** @param {any} r @returns {Said[]} */
function saidOf(r) {
  const source = r.narrative_source || '';
  if (r.narratives) {
    return r.narratives.map((/** @type {any} */ n) => ({
      agent: n.agent || '', step: n.step, text: n.narrative, html: n.narrative_html || '', source: n.narrative_source || source, at: ms(n.at),
    }));
  }
  if (!r.narrative) return [];
  const first = (r.tool_decisions || []).find((/** @type {any} */ d) => !d.agent);
  return [{ agent: '', step: first ? first.step : 1, text: r.narrative, html: r.narrative_html || '', source, at: 0 }];
}

/** @param {any} d a decision @param {any} c its call @param {string} whole @returns {Call} */
function callOf(d, c, whole) {
  return {
    ...emptyCall(d.call_id), ...decisionOf(d),
    params: d.parameters, redactions: d.redactions || [], preview: preview(c, whole), size: sizeOf(c),
    error: c.error || '', startedAt: ms(c.started_at), took: c.duration_ms ?? null,
  };
}

/** How many characters of a result are kept until somebody wants all of it. */
const maxPreview = 500;

/** @param {any} c @param {string} whole */
function preview(c, whole) {
  if (c.result === undefined) return c.result_preview || '';
  const all = JSON.stringify(c.result);
  return whole === c.call_id ? all : cut(all, maxPreview + 1);
}

/** @param {any} c */
function sizeOf(c) { return c.result_size ?? (c.result === undefined ? 0 : JSON.stringify(c.result).length); }

/** What streams carry of a decision. @param {any} d */
function decisionOf(d) {
  return {
    tool: d.tool_name, why: d.rationale, source: d.rationale_source, blocked: !!d.rationale_blocked, outcome: d.outcome,
    group: d.parallel_group ?? null, step: d.step || 0, agent: d.agent || '', approval: d.approval || '',
  };
}

/** @param {any} h */
function handoffOf(h) {
  return { call: h.call_id, from: h.from || '', to: h.to || '', text: h.text, at: ms(h.at) };
}

/** The open questions of history are put beside the calls they are about. @param {Turn[]} turns @param {any[]} asked @returns {Turn[]} */
export function withRequests(turns, asked) {
  if (!asked || !asked.length) return turns;
  return turns.map((t) => {
    if (t.state !== 'processing') return t;
    const calls = t.calls.map((c) => {
      const q = c.outcome === 'pending' && asked.find((a) => a.call_id === c.id);
      return q ? { ...c, request: requestOf(q) } : c;
    });
    return { ...t, calls };
  });
}

/** @param {any} q */
function requestOf(q) { return { id: q.request_id, description: q.description, always: !!q.allow_always }; }

/** The turn after a frame of it. @param {Turn} t @param {Frame} f @returns {Turn} */
export function applyFrame(t, f) {
  const apply = frames[f.type];
  return apply ? apply(t, f) : t;
}

/** @type {Record<string, (t: Turn, f: Frame) => Turn>} */
const frames = {
  status(t, f) {
    if (!f.state) return t;
    const base = { ...t, state: f.state, messageId: f.message_id || t.messageId, createdAt: t.createdAt || ms(f.at) };
    return f.state === 'interrupted' ? end(base, f) : base;
  },
  thinking(t, f) {
    if (!f.step) return { ...t, state: 'processing', messageId: f.message_id || t.messageId, startedAt: ms(f.at), createdAt: t.createdAt || ms(f.at) };
    const said = { agent: f.agent || '', step: f.step, text: f.message, html: '', source: f.narrative_source || '', at: ms(f.at) };
    const others = t.said.filter((s) => s.agent !== said.agent || s.step !== said.step);
    const main = said.agent ? {} : { narrative: said.text, narrativeSource: said.source };
    return { ...t, ...main, said: [...others, said] };
  },
  tool_started(t, f) {
    return withCall(t, f.call_id, {
      tool: f.name, why: f.rationale, source: f.rationale_source, group: f.parallel_group ?? null, agent: f.agent || '',
      startedAt: ms(f.at), outcome: 'pending', step: stepOf(t, f.agent || ''),
    });
  },
  tool_completed(t, f) {
    return withCall(t, f.call_id, { outcome: f.outcome, error: f.error || '', took: f.duration_ms, request: null });
  },
  tool_result(t, f) { return withCall(t, f.call_id, { preview: f.preview }); },
  approval_needed(t, f) {
    return withCall(t, f.call_id, { params: f.parameters, request: requestOf(f) });
  },
  approval_answered(t, f) {
    // It runs from now on; before, it waited.
    return withCall(t, f.call_id, { approval: f.answer, request: null, startedAt: ms(f.at) });
  },
  handoff(t, f) {
    const h = handoffOf(f);
    const known = t.handoffs.some((o) => o.call === h.call && o.from === h.from && o.to === h.to);
    return known ? t : { ...t, handoffs: [...t.handoffs, h] };
  },
  reasoning_update(t, f) {
    let next = t;
    for (const d of f.tool_decisions) next = withCall(next, d.call_id, decisionOf(d));
    return { ...next, stale: true };
  },
  response(t, f) { return end({ ...t, response: f.content, state: 'completed' }, f); },
  error(t, f) { return end({ ...t, error: f.message, state: 'failed' }, f); },
};

/** @param {Turn} t @param {Frame} f @returns {Turn} */
function end(t, f) {
  const open = t.calls.some((c) => c.outcome === 'pending');
  const calls = open ? t.calls.map((c) => c.outcome === 'pending' ? { ...c, outcome: /** @type {const} */ ('cancelled'), request: null } : c) : t.calls;
  return { ...t, calls, endedAt: ms(f.at), stale: true };
}

/** The step that an agent is in: of what it said last, or of its last call. @param {Turn} t @param {string} agent */
function stepOf(t, agent) {
  const said = t.said.filter((s) => s.agent === agent), called = t.calls.filter((c) => c.agent === agent);
  return Math.max(1, ...said.map((s) => s.step), ...called.map((c) => c.step));
}

/** Changes a call, or adds it. @param {Turn} t @param {string} id @param {Partial<Call>} change @returns {Turn} */
function withCall(t, id, change) {
  const at = t.calls.findIndex((c) => c.id === id);
  if (at < 0) return { ...t, calls: [...t.calls, { ...emptyCall(id), ...change }] };
  const old = t.calls[at];
  if (same(old, { ...old, ...change })) return t;
  const calls = t.calls.slice();
  calls[at] = { ...old, ...change };
  return { ...t, calls };
}

/** Of an answer that is older than what the stream said since, only what streams never carry is taken. @param {Turn} old @param {Turn} fresh @returns {Turn} */
export function enrichTurn(old, fresh) {
  const calls = old.calls.map((c) => {
    const f = fresh.calls.find((o) => o.id === c.id);
    return f ? { ...c, params: f.params, redactions: f.redactions, startedAt: c.startedAt || f.startedAt } : c;
  });
  return { ...old, calls, input: fresh.input, redactions: fresh.redactions, tokens: fresh.tokens, createdAt: fresh.createdAt };
}

/** What the server says anew of a turn, keeping every part that did not change. @param {Turn} old @param {Turn} fresh @returns {Turn} */
export function mergeTurn(old, fresh) {
  const calls = fresh.calls.map((c) => {
    const before = old.calls.find((o) => o.id === c.id);
    if (!before) return c;
    const next = { ...c, startedAt: Math.max(c.startedAt, before.startedAt) };
    // A preview never takes the place of the whole result that was fetched.
    if (before.preview.length > next.preview.length) next.preview = before.preview;
    return same(before, next) ? before : next;
  });
  const said = same(old.said, fresh.said) ? old.said : fresh.said.map((s) => ({ ...s, at: s.at || timeSaid(old, s) }));
  return { ...fresh, calls, said };
}

/** @param {Turn} t @param {Said} s */
function timeSaid(t, s) {
  return t.said.find((o) => o.agent === s.agent && o.step === s.step)?.at || 0;
}

/** Whether two values of JSON are the same. @param {unknown} a @param {unknown} b */
function same(a, b) { return a === b || JSON.stringify(a) === JSON.stringify(b); }
