// Compares two turns: their calls, aligned by the longest common sequence of tools, and
// what differs in each pair. All functions are pure.

/** @import { Call, Delta, Pair, ParamDelta, Stretch } from './types.d.ts' */

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
    const took = l.took !== null && r.took !== null ? r.took - l.took : null;
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
 * Returns the top-level parameters that differ, as JSON; null where a side lacks one.
 * @param {unknown} a @param {unknown} b @returns {ParamDelta[]}
 */
export function diffParams(a, b) {
  if (!isObject(a) || !isObject(b)) {
    const left = text(a), right = text(b);
    return left === right ? [] : [{ key: '', left, right }];
  }
  const keys = [...new Set([...Object.keys(a), ...Object.keys(b)])];
  return keys.map((key) => ({ key, left: text(own(a, key)), right: text(own(b, key)) }))
    .filter((d) => d.left !== d.right);
}

/** @param {unknown} v @returns {v is Record<string, unknown>} */
function isObject(v) { return typeof v === 'object' && v !== null && !Array.isArray(v); }
/** @param {Record<string, unknown>} o @param {string} key */
function own(o, key) { return Object.hasOwn(o, key) ? o[key] : undefined; }
/** @param {unknown} v */
function text(v) { return v === undefined ? null : JSON.stringify(v, null, 1); }

/**
 * Splits two sentences into runs of words that are the same and that differ.
 * @param {string} a @param {string} b @returns {{ left: Stretch[], right: Stretch[] }}
 */
export function diffWords(a, b) {
  const x = words(a), y = words(b);
  if (x.length * y.length > 250_000) return { left: [{ same: false, text: a }], right: [{ same: false, text: b }] };
  const w = y.length + 1, table = new Uint32Array((x.length + 1) * w);
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

/** @param {string} s */
function words(s) { return s.match(/\s+|[^\s]+/g) || []; }

/** @param {Stretch[]} runs @param {boolean} same @param {string} text */
function add(runs, same, text) {
  const last = runs[runs.length - 1];
  if (last && last.same === same) last.text += text;
  else runs.push({ same, text });
}
