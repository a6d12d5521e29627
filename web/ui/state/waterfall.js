// The timeline of a turn: a row for every time the model was asked, every call and
// every agent, and which of them the turn had to wait for. What nobody timed has no time
// here either, and what the turn waited for a person is cut out. All functions are pure.

import { gotOf, outline } from './outline.js';
import { rowsOf } from './summary.js';

/** @import { Bar, Call, Interval, Node, Row, Step, Time, Turn, Waterfall } from './types.d.ts' */

/**
 * The time that some rows fill, in ms since the turn's start; from and to are null where nobody knows.
 * @typedef {{ turn: Turn, start: number, from: number | null, to: number | null, depth: number, critical: boolean,
 *   now: number, running: boolean, agent: string, own: boolean, unfolded: Set<string> }} Slot
 */

/** Waiting that is shorter than this, in ms, stays where it is. */
const minCut = 1000;

/** @type {Time} */
const untimed = { from: null, to: null, took: null, waited: 0, near: false };

/**
 * Returns the rows of the waterfall, and how long it is.
 * @param {Turn} t @param {number} now the server's time
 * @param {Set<string>} [unfolded] the rows of several calls that a person opened, by their first call
 * @returns {Waterfall}
 */
export function waterfall(t, now, unfolded = new Set()) {
  const start = t.startedAt || t.createdAt || Math.min(...t.calls.map((c) => c.startedAt).filter(Boolean), now);
  const end = t.endedAt || (t.state === 'quiet' ? t.toldAt : Math.max(now, start)), to = Math.max(0, end - start);
  /** @type {Bar[]} */
  const bars = [];
  // What the agents of others do between their calls is not known.
  const own = !t.run && !t.asked && !t.calls.some((c) => c.to);
  const running = !t.endedAt, slot = { start, from: 0, to, depth: 0, critical: true, now, running, agent: '', own };
  for (const [agent, steps] of byAgent(outline(t))) {
    const all = { ...slot, turn: t, unfolded };
    // Agents that no call started work side by side, and nobody knows which of them the turn had to wait for.
    addSteps(steps, agent ? { ...all, to: null, critical: false, agent } : all, bars);
  }
  const timed = bars.some((b) => b.to !== null), last = Math.max(1, own ? to : 0, ...bars.map((b) => b.to || 0));
  return { ...withoutWaiting(bars, last), timed };
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
    const nodes = s.batches.flatMap((b) => b.nodes), times = new Map(nodes.map((n) => [n, timeOf(n.call, slot)]));
    const all = [...times.values()], starts = all.flatMap((x) => x.from === null ? [] : [x.from - x.waited]);
    const label = nodes.length ? 'model chooses' : 'model speaks', first = starts.length ? Math.min(...starts) : null;
    bars.push(modelBar(label, s.step, between(at, first, slot), s.said?.text || '', slot));
    const ends = all.map((x) => x.to), last = ends.includes(null) ? null : Math.max(...ends.map(Number));
    const slowest = nodes.find((n) => times.get(n)?.to === last);
    for (const row of s.batches.flatMap((b) => rowsOf(b.nodes))) addRow(row, times, slowest, slot, bars);
    if (nodes.length) at = last;
  }
  const label = slot.running ? 'model thinks' : 'answer', time = between(at, slot.to, slot);
  const step = Math.max(0, ...steps.map((s) => s.step)) + 1;
  if (time.took || (!steps.length && slot.own)) bars.push(modelBar(label, step, time, '', slot));
}

/**
 * Adds the row of a call and what its agent did, or of several calls that stand together.
 * @param {Row} row @param {Map<Node, Time>} times @param {Node | undefined} slowest of its step
 * @param {Slot} slot @param {Bar[]} bars
 */
function addRow(row, times, slowest, slot, bars) {
  const many = row.length > 1, folded = many && !slot.unfolded.has(row[0].call.id);
  for (const node of folded ? row.slice(0, 1) : row) {
    const { call, sub } = node, all = folded ? row : [node], critical = slot.critical && all.some((n) => n === slowest);
    const time = spanOf(all.map((n) => times.get(n) || untimed)), depth = slot.depth + 1 + Number(many && !folded);
    const object = folded ? all.map((n) => lastPart(n.call.object)).filter(Boolean).join(', ') : call.object;
    bars.push({
      kind: sub ? 'agent' : 'tool', label: call.tool, depth, ...time, key: call.id, call: call.id, count: all.length,
      object, outcome: call.outcome, asks: !!call.request, critical, why: call.why, got: gotOf(call), tokens: 0,
    });
    if (sub) addSteps(sub.steps, { ...slot, ...time, depth: depth + 1, critical, agent: '',
      running: call.outcome === 'pending' }, bars);
  }
}

/**
 * Splits a path before its last part, which is kept where there is no room for all of it.
 * @param {string} text @returns {[string, string]} the second is '' if it is no path, masked, or ends long
 */
export function parted(text) {
  const at = text.replace(/\/+$/, '').lastIndexOf('/'), end = text.slice(at);
  return at < 1 || /[\s\]]/.test(end) || end.length > 32 ? [text, ''] : [text.slice(0, at), end];
}

/** @param {string} object */
function lastPart(object) { return /^\S*\/[^\s/]+$/.test(object) ? object.slice(object.lastIndexOf('/') + 1) : object; }

/**
 * Returns the time from the first start to the last end; if one of the two is unknown there is none.
 * @param {Time[]} all @returns {Time}
 */
function spanOf(all) {
  if (all.length === 1 || all.some((x) => x.from === null || x.to === null)) return all.length === 1 ? all[0] : untimed;
  const from = Math.min(...all.map((x) => Number(x.from))), to = Math.max(...all.map((x) => Number(x.to)));
  return { from, to, took: to - from, waited: 0, near: all.some((x) => x.near) };
}

/**
 * Returns the time that the model had, which is known where its step lies between two known times.
 * @param {number | null} from @param {number | null} to @param {Slot} slot @returns {Time}
 */
function between(from, to, { own }) {
  if (!own || from === null || to === null) return untimed;
  const end = Math.max(from, to);
  return { from, to: end, took: end - from, waited: 0, near: false };
}

/**
 * @param {string} label @param {number} step @param {Time} time @param {string} why @param {Slot} slot
 * @returns {Bar}
 */
function modelBar(label, step, time, why, { depth, critical, agent, turn }) {
  const key = `${agent} ${depth} ${step} ${label}`;
  return {
    kind: 'model', label: agent ? `${agent}: ${label}` : label, depth, ...time, key,
    call: '', count: 1, object: '', outcome: '', asks: false, critical: critical && time.to !== null, why, got: '',
    tokens: depth || agent ? 0 : turn.stepTokens[step] || 0,
  };
}

/**
 * Returns when a call ran, and for how long it waited for a person before.
 * @param {Call} c @param {Slot} slot @returns {Time}
 */
function timeOf(c, slot) {
  if (!c.startedAt) return { ...untimed, took: c.took };
  const { near } = c;
  const from = Math.max(0, c.startedAt - slot.start), now = Math.max(from, slot.now - slot.start);
  if (c.request) return { from: now, to: now, took: null, waited: now - from, near };
  if (c.outcome === 'rejected') return { from, to: from, took: null, waited: c.waited, near }; // it never ran
  const took = c.took === null && c.outcome === 'pending' ? now - from : c.took;
  return { from, to: took === null ? null : from + took, took, waited: c.waited, near };
}

/**
 * Cuts the time out in which nothing happened but that a person was waited for.
 * @param {Bar[]} bars @param {number} length
 */
function withoutWaiting(bars, length) {
  /** @type {Interval[]} */
  const waits = bars.flatMap((b) => b.waited && b.from !== null ? [[b.from - b.waited, b.from]] : []);
  /** @type {Interval[]} */
  const busy = bars.flatMap((b) => b.kind !== 'agent' && b.from !== null && b.to !== null ? [[b.from, b.to]] : []);
  const cuts = minus(merged(waits), merged(busy)).filter(([from, to]) => to - from >= minCut);
  const cutBefore = (/** @type {number} */ x) =>
    cuts.reduce((n, [from, to]) => n + Math.max(0, Math.min(x, to) - from), 0);
  const before = (/** @type {number} */ x) => x - cutBefore(x);
  const cut = cutBefore(Infinity);
  const moved = bars.map((b) => ({
    ...b, from: b.from === null ? null : before(b.from), to: b.to === null ? null : before(b.to),
  }));
  return { bars: moved, length: Math.max(1, before(length)), cut };
}

/** @param {Interval[]} all @returns {Interval[]} the same time in order, without overlaps */
function merged(all) {
  /** @type {Interval[]} */
  const out = [];
  for (const [from, to] of [...all].sort((a, b) => a[0] - b[0])) {
    const last = out[out.length - 1];
    if (last && from <= last[1]) last[1] = Math.max(last[1], to);
    else out.push([from, to]);
  }
  return out;
}

/**
 * Returns what is left of some intervals without others.
 * @param {Interval[]} all @param {Interval[]} others @returns {Interval[]}
 */
function minus(all, others) {
  return others.reduce((left, [from, to]) => left.flatMap(([a, b]) => {
    /** @type {Interval[]} */
    const parts = [[a, Math.min(b, from)], [Math.max(a, to), b]];
    return to <= a || from >= b ? [/** @type {Interval} */ ([a, b])] : parts.filter(([x, y]) => y > x);
  }), all);
}

/**
 * Returns about so many round marks of an axis, at 1, 2 or 5 times a power of ten.
 * @param {number} length ms @param {number} [count]
 */
export function ticks(length, count = 5) {
  const raw = length / count, power = 10 ** Math.floor(Math.log10(Math.max(raw, 1)));
  const step = [1, 2, 5, 10].map((n) => n * power).find((n) => n >= raw) || power;
  const out = [];
  for (let x = 0; x <= length * 1.0001; x += step) out.push(x);
  return out;
}
