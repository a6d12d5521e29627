// Compares two turns: their calls, aligned by the longest common sequence of tools, and
// what differs in each pair. All functions are pure.

import { span } from '../lib/format.js';

/** @import { Call, Delta, Pair, ParamDelta, Stretch, Sum, Turn } from './types.d.ts' */

/** Sides with more calls are compared in order, since alignment costs their product. */
const maxAligned = 500;

/** @param {Call[]} left @param {Call[]} right @returns {Delta[]} */
export function diffCalls(left, right) {
  return align(left, right).map(([l, r]) => {
    if (!l || !r) {
      const kind = l ? 'removed' : 'added';
      return { kind, left: l, right: r, why: false, outcome: false, params: [], took: null };
    }
    const params = diffParams(l.params, r.params);
    const why = l.why !== r.why || l.source !== r.source, outcome = l.outcome !== r.outcome;
    const timed = (/** @type {Call} */ c) => c.near ? null : c.took, [from, to] = [timed(l), timed(r)];
    const took = from !== null && to !== null ? to - from : null;
    const kind = why || outcome || params.length ? 'changed' : 'same';
    return { kind, left: l, right: r, why, outcome, params, took };
  });
}

/**
 * Pairs calls of the same tool and agent, in order, with those that have no partner
 * between them.
 * @param {Call[]} a @param {Call[]} b @returns {Pair[]}
 */
export function align(a, b) {
  if (a.length > maxAligned || b.length > maxAligned) return inOrder(a, b);
  const w = b.length + 1, table = new Uint32Array((a.length + 1) * w);
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      const pair = match(a[i], b[j]) ? likeness(a[i], b[j]) + table[(i + 1) * w + j + 1] : 0;
      // A pair is not always the best use of both: an equal one may come later.
      table[i * w + j] = Math.max(pair, table[(i + 1) * w + j], table[i * w + j + 1]);
    }
  }
  return trace(a, b, table, w);
}

/** @param {Call[]} a @param {Call[]} b @param {Uint32Array} table @param {number} w */
function trace(a, b, table, w) {
  /** @type {Pair[]} */
  const out = [];
  let i = 0, j = 0;
  while (i < a.length && j < b.length) {
    const here = table[i * w + j];
    const paired = match(a[i], b[j]) && here === likeness(a[i], b[j]) + table[(i + 1) * w + j + 1];
    if (paired) out.push([a[i++], b[j++]]);
    else if (here === table[(i + 1) * w + j]) out.push([a[i++], null]);
    else out.push([null, b[j++]]);
  }
  while (i < a.length) out.push([a[i++], null]);
  while (j < b.length) out.push([null, b[j++]]);
  return out;
}

/** @param {Call[]} a @param {Call[]} b */
function inOrder(a, b) {
  /** @type {Pair[]} */
  const out = [];
  for (let i = 0; i < Math.max(a.length, b.length); i++) {
    if (a[i] && b[i] && match(a[i], b[i])) out.push([a[i], b[i]]);
    else {
      if (a[i]) out.push([a[i], null]);
      if (b[i]) out.push([null, b[i]]);
    }
  }
  return out;
}

/** @param {Call} a @param {Call} b */
function match(a, b) { return a.tool === b.tool && a.agent === b.agent; }

/**
 * Weighs a pair; one with the same parameters is worth slightly more than any other.
 * @param {Call} a @param {Call} b
 */
function likeness(a, b) { return JSON.stringify(a.params) === JSON.stringify(b.params) ? 1001 : 1000; }

/**
 * Returns the top-level parameters that differ: texts as they are, others as JSON; null where a side lacks one.
 * @param {unknown} a @param {unknown} b @returns {ParamDelta[]}
 */
export function diffParams(a, b) {
  if (!isObject(a) || !isObject(b)) return equal(a, b) ? [] : [{ key: '', left: text(a), right: text(b) }];
  const keys = [...new Set([...Object.keys(a), ...Object.keys(b)])];
  return keys.filter((key) => !equal(own(a, key), own(b, key)))
    .map((key) => ({ key, left: text(own(a, key)), right: text(own(b, key)) }));
}

/** @param {unknown} a @param {unknown} b */
function equal(a, b) { return JSON.stringify(a) === JSON.stringify(b); }

/** @param {unknown} v @returns {v is Record<string, unknown>} */
export function isObject(v) { return typeof v === 'object' && v !== null && !Array.isArray(v); }
/** @param {Record<string, unknown>} o @param {string} key */
function own(o, key) { return Object.hasOwn(o, key) ? o[key] : undefined; }
/** @param {unknown} v */
function text(v) { return v === undefined ? null : typeof v === 'string' ? v : JSON.stringify(v, null, 1); }

/** Texts with more pairs of words between their equal ends are not compared by words. */
const maxPairs = 4_000_000;

/**
 * Splits two texts into runs of words that are the same and that differ.
 * @param {string} a @param {string} b @returns {{ left: Stretch[], right: Stretch[] }}
 */
export function diffWords(a, b) { return diffBy(words, a, b); }

/**
 * Splits two texts into runs of lines that are the same and that differ.
 * @param {string} a @param {string} b @returns {{ left: Stretch[], right: Stretch[] }}
 */
export function diffLines(a, b) { return diffBy((text) => text.match(/[^\n]*\n|[^\n]+/g) || [], a, b); }

/** @param {(text: string) => string[]} split @param {string} a @param {string} b */
function diffBy(split, a, b) {
  const x = split(a), y = split(b), most = Math.min(x.length, y.length);
  let head = 0, tail = 0;
  while (head < most && x[head] === y[head]) head++;
  while (tail < most - head && x[x.length - 1 - tail] === y[y.length - 1 - tail]) tail++;
  const { left, right } = between(x.slice(head, x.length - tail), y.slice(head, y.length - tail));
  const start = x.slice(0, head).join(''), end = x.slice(x.length - tail).join('');
  return { left: joined(start, left, end), right: joined(start, right, end) };
}

/**
 * Finds the longest common sequence of words.
 * @param {string[]} x @param {string[]} y @returns {{ left: Stretch[], right: Stretch[] }}
 */
function between(x, y) {
  if (x.length * y.length > maxPairs) {
    return { left: [{ same: false, text: x.join('') }], right: [{ same: false, text: y.join('') }] };
  }
  const w = y.length + 1, table = new Uint16Array((x.length + 1) * w);
  for (let i = x.length - 1; i >= 0; i--) {
    for (let j = y.length - 1; j >= 0; j--) {
      const down = table[(i + 1) * w + j], across = table[i * w + j + 1];
      table[i * w + j] = x[i] === y[j] ? 1 + table[(i + 1) * w + j + 1] : Math.max(down, across);
    }
  }
  /** @type {{ left: Stretch[], right: Stretch[] }} */
  const { left, right } = { left: [], right: [] };
  let i = 0, j = 0;
  while (i < x.length || j < y.length) {
    const both = i < x.length && j < y.length;
    if (both && x[i] === y[j]) { add(left, true, x[i++]); add(right, true, y[j++]); }
    else if (!both ? i < x.length : table[(i + 1) * w + j] >= table[i * w + j + 1]) add(left, false, x[i++]);
    else add(right, false, y[j++]);
  }
  return { left, right };
}

/**
 * Puts the equal ends around some runs. A blank between two changed words belongs to them.
 * @param {string} start @param {Stretch[]} runs @param {string} end
 */
function joined(start, runs, end) {
  /** @type {Stretch[]} */
  const out = [];
  if (start) add(out, true, start);
  runs.forEach((r, i) => {
    const inside = i > 0 && i < runs.length - 1 && !r.text.trim();
    add(out, r.same && !inside, r.text);
  });
  if (end) add(out, true, end);
  return out;
}

/** @param {string} s */
function words(s) {
  return s.match(/\[REDACTED(?::[\w.-]{1,60})?\]|\s+|[\p{L}\p{N}_]+|[^\s\p{L}\p{N}_]/gu) || [];
}

/** @param {Stretch[]} runs @param {boolean} same @param {string} text */
function add(runs, same, text) {
  const last = runs[runs.length - 1];
  if (last && last.same === same) last.text += text;
  else runs.push({ same, text });
}

/**
 * Compares two texts by words. Where less than a third is the same, all of it counts as changed.
 * @param {string} a @param {string} b
 */
export function compareTexts(a, b) {
  const both = diffWords(a, b);
  const same = both.left.reduce((n, r) => n + (r.same ? r.text.length : 0), 0);
  if (same * 3 >= Math.max(a.length, b.length)) return both;
  const whole = (/** @type {string} */ text) => text ? [{ same: false, text }] : [];
  return { left: whole(a), right: whole(b) };
}

/**
 * Groups equal calls that follow each other, since they take one line.
 * @param {Delta[]} all @returns {Delta[][]}
 */
export function runsOf(all) {
  /** @type {Delta[][]} */
  const out = [];
  for (const d of all) {
    const last = out[out.length - 1];
    if (d.kind === 'same' && last?.[0].kind === 'same') last.push(d);
    else out.push([d]);
  }
  return out;
}

/**
 * Returns what two turns came to: time, tokens, calls and failures, and how they differ.
 * @param {Turn} a @param {Turn} b @param {number} now the server's time @returns {Sum[]}
 */
export function sums(a, b, now) {
  const time = (/** @type {Turn} */ t) => t.startedAt ? Math.max(0, (t.endedAt || now) - t.startedAt) : null;
  const bad = (/** @type {Turn} */ t) =>
    t.calls.filter((c) => c.outcome === 'error' || c.outcome === 'rejected').length;
  const count = (/** @type {number} */ n) => n.toLocaleString('en');
  const [from, to] = [time(a), time(b)], tokens = a.tokens && b.tokens, unit = unitOf(from || 0, to || 0);
  return [
    from !== null && to !== null &&
      { name: 'time', left: unit(from), right: unit(to), change: signed(to - from, unit), bad: false },
    tokens && { name: 'tokens', left: count(a.tokens), right: count(b.tokens), bad: false,
      change: signed(Math.round((b.tokens / a.tokens - 1) * 100), (n) => `${n} %`) },
    { name: 'calls', left: count(a.calls.length), right: count(b.calls.length), change: '', bad: false },
    (bad(a) || bad(b)) && { name: 'failed', left: count(bad(a)), right: count(bad(b)), change: '', bad: true },
  ].filter((s) => !!s);
}

/**
 * Returns how to write times that stand side by side: in seconds if one of them is that long.
 * @param {number[]} all ms
 */
export function unitOf(...all) {
  const most = Math.max(...all);
  if (most < 1000 || most >= 59_500) return span;
  return (/** @type {number} */ n) => `${(n / 1000).toFixed(most < 9950 ? 1 : 0)} s`;
}

/**
 * Formats a difference with its sign; none, or one too small to be seen, is empty.
 * @param {number} n @param {(n: number) => string} format
 */
export function signed(n, format) {
  const text = format(Math.abs(n));
  return text === format(0) ? '' : (n > 0 ? '+' : '−') + text;
}
