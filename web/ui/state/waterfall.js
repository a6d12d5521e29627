// The timeline of a turn: a row for every time the model was asked, every call and
// every agent, and which of them the turn had to wait for. All functions are pure.

import { outline } from './outline.js';

/** @import { Bar, Call, Step, Turn } from './types.d.ts' */

/**
 * The time that some rows fill, in ms since the turn's start.
 * @typedef {{ start: number, from: number, to: number, depth: number, critical: boolean, now: number,
 *   running: boolean, agent: string }} Slot
 */

/**
 * Returns the rows of the waterfall, and its length in ms.
 * @param {Turn} t @param {number} now the server's time
 */
export function waterfall(t, now) {
  const start = t.startedAt || t.createdAt || Math.min(...t.calls.map((c) => c.startedAt).filter(Boolean), now);
  const end = t.endedAt || Math.max(now, start), to = Math.max(0, end - start);
  /** @type {Bar[]} */
  const bars = [];
  const slot = { start, from: 0, to, depth: 0, critical: true, now, running: !t.endedAt, agent: '' };
  for (const [agent, steps] of byAgent(outline(t))) {
    // Agents that no call started work side by side, and nobody knows which of them the turn had to wait for.
    addSteps(steps, agent ? { ...slot, to: 0, critical: false, agent } : slot, bars);
  }
  const length = Math.max(1, end - start, ...bars.map((b) => b.to));
  return { bars, length };
}

/** @param {Step[]} steps */
function byAgent(steps) {
  /** @type {Map<string, Step[]>} */
  const groups = new Map(steps.length ? [] : [['', []]]);
  for (const s of steps) groups.set(s.agent, [...groups.get(s.agent) || [], s]);
  return groups;
}

/** @param {Step[]} steps @param {Slot} slot @param {Bar[]} bars */
function addSteps(steps, slot, bars) {
  let at = slot.from;
  for (const s of steps) {
    const nodes = s.batches.flatMap((b) => b.nodes), times = nodes.map((n) => timeOf(n.call, slot, at));
    const first = times.length ? Math.min(...times.map((x) => x.from)) : at;
    const label = nodes.length ? 'model chooses' : 'model speaks';
    bars.push(modelBar(label, at, Math.max(at, first), s.said?.text || '', slot));
    const last = Math.max(first, ...times.map((x) => x.to));
    nodes.forEach(({ call, sub }, i) => {
      const time = times[i], critical = slot.critical && times.findIndex((o) => o.to === last) === i;
      const { id, outcome, tool, why } = call, kind = sub ? 'agent' : 'tool', depth = slot.depth + 1;
      bars.push({ kind, label: tool, depth, ...time, call: id, outcome, critical, why });
      const inner = { ...slot, ...time, depth: depth + 1, critical, running: outcome === 'pending' };
      if (sub) addSteps(sub.steps, inner, bars);
    });
    at = Math.max(at, last);
  }
  const label = slot.running ? 'model thinks' : 'model answers';
  if (slot.to > at || !steps.length) bars.push(modelBar(label, at, Math.max(at, slot.to), '', slot));
}

/**
 * @param {string} label @param {number} from @param {number} to @param {string} why @param {Slot} slot
 * @returns {Bar}
 */
function modelBar(label, from, to, why, { depth, critical, agent }) {
  const name = agent ? `${agent}: ${label}` : label;
  return { kind: 'model', label: name, depth, from, to, call: '', outcome: '', critical, why };
}

/**
 * Returns when a call ran. Without a known start it began as soon as it could.
 * @param {Call} c @param {Slot} slot @param {number} at
 */
function timeOf(c, slot, at) {
  const from = c.startedAt ? Math.max(0, c.startedAt - slot.start) : at;
  if (c.took !== null) return { from, to: from + c.took };
  return { from, to: c.outcome === 'pending' ? Math.max(from, slot.now - slot.start) : from };
}

/**
 * Returns about five round marks of an axis, at 1, 2 or 5 times a power of ten.
 * @param {number} length ms
 */
export function ticks(length) {
  const raw = length / 5, power = 10 ** Math.floor(Math.log10(Math.max(raw, 1)));
  const step = [1, 2, 5, 10].map((n) => n * power).find((n) => n >= raw) || power;
  const out = [];
  for (let x = 0; x <= length * 1.0001; x += step) out.push(x);
  return out;
}
