// The outline of a turn: its steps, the calls of each, those that ran together, and
// below a call what the agent did that it started. Also the words for what a turn and
// its calls came to. All functions are pure.

import { about, counter, firstLine, plural, since, size, span } from '../lib/format.js';

/** @import { Redaction } from '../wire.d.ts' */
/** @import { Agent, Axis, Batch, Call, Handoff, Said, Step, Turn } from './types.d.ts' */

/**
 * Returns the steps of the agent that the user speaks to, then those of the agents that no call is known to have
 * started, then those after the turn's end. Each call of the turn is in exactly one step.
 * @param {Turn} t
 */
export function outline(t) {
  const lead = stepsOf(t, '', 0), late = lead.filter((s) => t.lateSteps.includes(s.step));
  const steps = lead.filter((s) => !late.includes(s)), reached = agentsIn(lead);
  const began = t.handoffs.filter((h) => !h.call && h.to).map((h) => ({ agent: h.to }));
  for (const { agent } of [...began, ...t.calls, ...t.said]) {
    if (!agent || reached.has(agent)) continue;
    const own = passedOn(t, agent, stepsOf(t, agent, 0)).map((s) => ({ ...s, agent }));
    for (const name of agentsIn(own).add(agent)) reached.add(name);
    steps.push(...own);
  }
  return [...steps, ...late];
}

/**
 * Returns the steps of an agent that no call started, with what it began with and what came of it as steps around
 * them: a reasoning within another of an observed turn has both, and no call.
 * @param {Turn} t @param {string} agent @param {Step[]} steps @returns {Step[]}
 */
function passedOn(t, agent, steps) {
  const task = t.handoffs.find((h) => !h.call && h.to === agent);
  if (!task) return steps;
  const answer = t.handoffs.findLast((h) => !h.call && h.from === agent && h.to === task.from);
  const after = Math.max(0, ...steps.map((s) => s.step)) + 1;
  return [...asStep(task, agent, 0), ...steps, ...(answer ? asStep(answer, agent, after) : [])];
}

/**
 * Returns a hand-off as a step in which an agent says its text; none if it has no text of its own.
 * @param {Handoff} handoff @param {string} agent @param {number} step @returns {Step[]}
 */
function asStep({ text, at }, agent, step) {
  if (text === '…') return [];
  const said = /** @type {Said} */ ({ agent, step, text, html: '', source: 'model', at });
  return [{ agent: '', step, sealed: null, stop: '', said, batches: [] }];
}

/**
 * Returns the names of the agents below some steps.
 * @param {Step[]} steps @returns {Set<string>}
 */
function agentsIn(steps) {
  const subs = steps.flatMap((s) => s.batches).flatMap((b) => b.nodes).flatMap((n) => n.sub || []);
  return new Set(subs.flatMap((a) => [a.name, ...agentsIn(a.steps)]));
}

/** The deepest nesting that is drawn, should an agent start itself forever. */
const maxDepth = 6;

/** @param {Turn} t @param {string} agent @param {number} depth @returns {Step[]} */
function stepsOf(t, agent, depth) {
  const calls = t.calls.filter((c) => c.agent === agent), spoken = agent ? [...t.said, ...t.drafts] : t.said;
  const said = spoken.filter((s) => s.agent === agent);
  const sealed = t.sealed.filter((s) => (s.agent || '') === agent);
  const stops = t.stops.filter((s) => (s.agent || '') === agent && !(s.answer && !agent));
  const numbers = [...new Set([...calls, ...said, ...sealed, ...stops].map((x) => x.step))].sort((a, b) => a - b);
  return numbers.map((step) => ({
    agent: '', step, said: said.find((s) => s.step === step) || null,
    sealed: sealed.find((s) => s.step === step) || null,
    stop: stops.find((s) => s.step === step)?.stop_words || '',
    batches: batches(t, calls.filter((c) => c.step === step), depth),
  }));
}

/** @param {Turn} t @param {Call[]} calls @param {number} depth */
function batches(t, calls, depth) {
  /** @type {Batch[]} */
  const out = [];
  for (const call of calls) {
    const node = { call, sub: subAgent(t, call, depth) }, last = out[out.length - 1];
    if (last && call.group !== null && last.group === call.group) last.nodes.push(node);
    else out.push({ group: call.group, nodes: [node] });
  }
  return out;
}

/**
 * Returns the agent that a call handed its task to.
 * @param {Turn} t @param {Call} call @param {number} depth @returns {Agent | null}
 */
function subAgent(t, call, depth) {
  const task = t.handoffs.find((h) => h.call === call.id && h.from === call.agent && h.to);
  if (!task || task.to === call.agent || depth >= maxDepth) return null;
  const answer = t.handoffs.find((h) => h.call === call.id && h.from === task.to) || null;
  const over = t.state !== 'processing';
  return { name: task.to, task, answer, steps: stepsOf(t, task.to, depth + 1), handoffs: t.handoffs, over };
}

/**
 * Returns how long calls took side by side, and would have taken one after another. Calls that nobody timed do not
 * count; wall and sum are 0 if no call does. They are near if one of the times was not measured.
 * @param {Call[]} calls @param {number} now the server's time
 */
export function together(calls, now) {
  const timed = calls.filter((c) => tookOf(c, now) !== null), starts = timed.filter((c) => c.startedAt);
  const took = (/** @type {Call} */ c) => tookOf(c, now) || 0;
  const sum = timed.reduce((n, c) => n + took(c), 0), from = Math.min(...starts.map((c) => c.startedAt));
  const ends = timed.map((c) => (c.startedAt || from) + took(c)), near = timed.some((c) => c.near);
  if (starts.length) return { from, wall: Math.max(0, Math.max(...ends) - from), sum, near };
  return { from: 0, wall: Math.max(0, ...timed.map(took)), sum, near };
}

/**
 * Returns how long a call took, or has taken so far; null if nobody timed it.
 * @param {Call} c @param {number} now the server's time
 */
function tookOf(c, now) {
  if (c.took !== null || c.outcome !== 'pending' || !c.startedAt) return c.took;
  return Math.max(0, now - c.startedAt);
}

/**
 * Returns where a call lies on the axis of its batch, as shares of 1; null if nobody knows how long it took.
 * @param {Call} c @param {Axis} axis @param {number} now
 */
export function lane(c, axis, now) {
  const start = c.startedAt || axis.from, took = tookOf(c, now);
  if (took === null) return null;
  if (!axis.wall) return { left: 0, width: 1 };
  const left = Math.min(1, Math.max(0, (start - axis.from) / axis.wall));
  return { left, width: Math.min(1 - left, took / axis.wall) };
}

/**
 * Describes a turn in one line: with a counter while it runs, then with its result.
 * @param {Turn} t @param {number} now the server's time
 * @param {boolean} [told] whether what stands beside it says what its one call is, that there is none, or how far it is
 */
export function headline(t, now, told) {
  if (t.state === 'queued') return { label: 'Waiting', detail: t.run ? 'for a worker' : 'for the turn before it' };
  if (t.state === 'processing') return running(t, now, told);
  if (t.state === 'quiet') return quiet(t, now);
  const n = t.calls.length, [took, inCalls] = lasted(t), waited = waitedOf(t.calls);
  const detail = [
    n ? !(told && n === 1) && counted(t.calls) : !told && 'no calls', ...wentBadly(t.calls),
    inCalls && `${inCalls} in calls`, waited >= 1000 && `${span(waited)} of it waiting for you`,
    t.tokens && `${t.tokens.toLocaleString('en')} tokens`, t.cost, t.run > 1 && `run ${t.run}`,
  ].filter(Boolean).join(' · ');
  // Its tools and its waiting are part of the time of a turn, so a turn with calls has not reasoned all of it.
  const [word, within] = t.restarted ? ['Interrupted', 'after'] : t.state === 'interrupted' ? ['Stopped', 'after']
    : t.state === 'failed' ? ['Failed', 'after']
    : n ? ['Worked', 'for'] : t.said.length || t.sealed.length ? ['Reasoned', 'for'] : ['Answered', 'in'];
  return { label: took === null ? word : `${word} ${within} ${span(took)}`, detail };
}

/**
 * Returns how long calls waited for a person, together.
 * @param {Call[]} calls
 */
function waitedOf(calls) {
  const all = calls.filter((c) => c.waited > 0).sort((a, b) => a.startedAt - a.waited - b.startedAt + b.waited);
  let sum = 0, until = 0;
  for (const { startedAt: to, waited } of all) {
    sum += Math.max(0, to - Math.max(until, to - waited));
    until = Math.max(until, to);
  }
  return sum;
}

/** Counts calls and decisions, and those that ran side by side. @param {Call[]} calls */
function counted(calls) {
  const decisions = calls.filter((c) => c.decides).length, tools = calls.length - decisions;
  const all = calls.filter((c) => c.group !== null);
  const { size: n } = new Set(all.map((c) => `${c.agent} ${c.step} ${c.group}`));
  return [tools && plural(tools, 'call'), decisions && plural(decisions, 'decision')].filter(Boolean).join(' · ') +
    (n > 1 ? `, ${n} parallel batches` : !n ? '' : all.length === calls.length ? ' in parallel'
      : `, ${all.length} in parallel`);
}

/** Counts the calls that went badly, by how. @param {Call[]} calls */
function wentBadly(calls) {
  return ['failed', 'rejected', 'denied'].map((how) => {
    const n = calls.filter((c) => how === (c.outcome === 'error' ? 'failed' : outcomeOf(c).text)).length;
    return n && `${n} ${how}`;
  });
}

/**
 * Returns how long a turn took, null if nobody knows, and how long its calls took if they were reported later.
 * @param {Turn} t @returns {[took: number | null, inCalls: string]}
 */
function lasted(t) {
  const took = t.endedAt - t.startedAt, { wall, sum, near } = together(t.calls, t.endedAt), slack = 100; // of clocks
  if (!t.endedAt || !t.startedAt) return [null, ''];
  return wall > took + slack ? [null, about(sum, near)] : [took, ''];
}

/** @param {Turn} t @param {number} now */
function quiet(t, now) {
  const calls = t.calls.length ? plural(t.calls.length, 'call') : 'no calls';
  return { label: 'No end reported', detail: `last heard ${since(t.toldAt, now)} · ${calls}` };
}

/** @param {Turn} t @param {number} now @param {boolean} [told] */
function running(t, now, told) {
  const n = t.calls.length, open = t.calls.filter((c) => c.request);
  if (open.length) {
    const what = open.some((c) => c.unsure) ? 'answer' : 'approval';
    return { label: 'Waiting for you', detail: `${plural(open.length, 'call needs', 'calls need')} your ${what}` };
  }
  const done = t.calls.filter((c) => c.outcome !== 'pending').length;
  const label = `Working… ${counter(now - (t.startedAt || t.createdAt || now))}`;
  return { label, detail: told ? '' : n ? `${done} of ${n} done` : 'no call yet' };
}

/**
 * Says who gave the reason, whether the sentence is ours instead of the model's, what then stands in its place, and
 * whether it is so usual that it goes without saying.
 * @param {Call} c
 */
export function sourceOf(c) {
  if (c.blocked) return withheld;
  return sources[c.source] || sources[''];
}

const withheld = {
  text: 'reason withheld', lead: 'Reason withheld', ours: true, usual: false,
  title: 'The model gave a reason that is not safe to store.',
};

export const sources = {
  model: { text: 'model', lead: '', title: 'The model’s own words.', ours: false, usual: true },
  summary: {
    text: 'provider summary', lead: '', title: 'A summary of the model’s reasoning, made by its provider.',
    ours: false, usual: false,
  },
  thought: {
    text: 'thought before it', lead: '', title: 'The agent’s thought before the call, which does not name it.',
    ours: false, usual: false,
  },
  fallback: {
    text: 'no reason given', lead: 'No reason given', title: 'The model gave no reason; the sentence is ours.',
    ours: true, usual: false,
  },
  '': {
    text: 'no reason yet', lead: 'No reason yet', title: 'The worker has not said why yet.', ours: true, usual: false,
  },
};

/**
 * Says in a line what came of a call: why it failed, what its result is, or how large.
 * @param {Call} c
 */
export function gotOf(c) {
  return c.got || firstLine(c.error, 120) || (c.outcome === 'success' && c.size ? size(c.size) : '');
}

/**
 * Describes an outcome by words and a sign, so that colour is never alone.
 * @param {Call} c
 */
export function outcomeOf(c) {
  if (c.request) return { sign: '?', text: c.unsure ? 'needs you' : 'needs approval', kind: 'waiting' };
  if (c.decides && c.outcome === 'success') return { ...outcomes.success, text: 'decided' };
  if (c.outcome === 'rejected' && c.approval === 'deny') return { ...outcomes.rejected, text: 'denied' };
  return outcomes[c.outcome] || { sign: '·', text: c.outcome, kind: 'pending' };
}

const outcomes = {
  pending: { sign: '', text: 'running', kind: 'pending' },
  success: { sign: '✓', text: 'success', kind: 'success' },
  error: { sign: '✕', text: 'error', kind: 'error' },
  rejected: { sign: '⊘', text: 'rejected', kind: 'rejected' },
  cancelled: { sign: '–', text: 'cancelled', kind: 'cancelled' },
  unknown: { sign: '·', text: 'no result seen', kind: 'cancelled' },
};

/**
 * Formats a redaction: "aws-key" or "aws-key ×3".
 * @param {Redaction} f
 */
export function finding(f) { return f.count > 1 ? `${f.rule} ×${f.count}` : f.rule; }
