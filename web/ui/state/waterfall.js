// The time axis of a turn: a row for every time the model was asked, every call
// and every agent, and which of them the turn had to wait for. Pure.

import { outline } from './outline.js';

/** @import { Bar, Call, Turn } from './types.d.ts' */

/** @typedef {import('./outline.js').Step} Step @typedef {import('./outline.js').Node} Node */

/** The rows of the waterfall, and how long it is in ms. @param {Turn} t @param {number} now server's time @returns {{ bars: Bar[], length: number }} */
export function waterfall(t, now) {
  const start = t.startedAt || t.createdAt || Math.min(...t.calls.map((c) => c.startedAt).filter(Boolean), now);
  const end = t.endedAt || Math.max(now, start);
  /** @type {Bar[]} */
  const bars = [];
  walk(outline(t), { start, from: 0, to: Math.max(0, end - start), depth: 0, critical: true, now, running: !t.endedAt }, bars);
  const length = Math.max(1, end - start, ...bars.map((b) => b.to));
  return { bars, length };
}

/** @typedef {{ start: number, from: number, to: number, depth: number, critical: boolean, now: number, running: boolean }} Frame */

/** Adds the rows of some steps that fill the time of a frame. @param {Step[]} steps @param {Frame} f @param {Bar[]} bars */
function walk(steps, f, bars) {
  let at = f.from;
  for (const s of steps) {
    const nodes = s.batches.flatMap((b) => b.nodes);
    const times = nodes.map((n) => timeOf(n.call, f, at));
    const first = times.length ? Math.min(...times.map((x) => x.from)) : at;
    bars.push(modelBar(nodes.length ? 'model chooses' : 'model speaks', at, Math.max(at, first), s.said?.text || '', f));
    const last = Math.max(first, ...times.map((x) => x.to));
    nodes.forEach((n, i) => {
      const x = times[i], critical = f.critical && times.findIndex((o) => o.to === last) === i;
      bars.push({ kind: n.sub ? 'agent' : 'tool', label: n.call.tool, depth: f.depth + 1, ...x, call: n.call.id, outcome: n.call.outcome, critical, why: n.call.why });
      if (n.sub) walk(n.sub.steps, { ...f, from: x.from, to: x.to, depth: f.depth + 2, critical, running: n.call.outcome === 'pending' }, bars);
    });
    at = Math.max(at, last);
  }
  if (f.to > at || !steps.length) bars.push(modelBar(f.running ? 'model thinks' : 'model answers', at, Math.max(at, f.to), '', f));
}

/** @param {string} label @param {number} from @param {number} to @param {string} why @param {Frame} f @returns {Bar} */
function modelBar(label, from, to, why, f) {
  return { kind: 'model', label, depth: f.depth, from, to, call: '', outcome: '', critical: f.critical, why };
}

/** When a call ran. Of one whose start nobody noted it is taken that it began when it could. @param {Call} c @param {Frame} f @param {number} at */
function timeOf(c, f, at) {
  const from = c.startedAt ? Math.max(0, c.startedAt - f.start) : at;
  const to = c.took !== null ? from + c.took : c.outcome === 'pending' ? Math.max(from, f.now - f.start) : from;
  return { from, to };
}

/** Round marks for an axis of a length: about five, at 1, 2 or 5 of a power of ten. @param {number} length ms @returns {number[]} */
export function ticks(length) {
  const raw = length / 5, power = 10 ** Math.floor(Math.log10(Math.max(raw, 1)));
  const step = [1, 2, 5, 10].map((n) => n * power).find((n) => n >= raw) || power;
  const out = [];
  for (let x = 0; x <= length * 1.0001; x += step) out.push(x);
  return out;
}
