// What a turn comes to at a glance: the tools it used, what it does now, and which of its calls stand together in a
// row. All functions are pure.

import { counter, cut, firstLine } from '../lib/format.js';

/** @import { Call, Node, Row, Turn, Used } from './types.d.ts' */

/** How many calls of a tool in a batch fold into one row. */
const foldFrom = 3;

/**
 * Returns the rows of a batch: a call, or three and more calls of one tool. A call that failed or waits for a person
 * has a row of its own, and so has one that started an agent.
 * @param {Node[]} nodes @returns {Row[]}
 */
export function rowsOf(nodes) {
  /** @type {Map<string, Node[]>} */
  const alike = new Map();
  for (const n of nodes) if (folds(n)) alike.set(n.call.tool, [...alike.get(n.call.tool) || [], n]);
  return nodes.flatMap((n) => {
    const all = folds(n) && alike.get(n.call.tool) || [];
    if (all.length < foldFrom) return [[n]];
    return all[0] === n ? [all] : [];
  });
}

/** @param {Node} n */
function folds({ call: c, sub }) {
  return !sub && !c.request && !c.approval && !c.decides && !c.to && !isBad(c);
}

/** @param {Call} c */
export function isBad(c) { return c.outcome === 'error' || c.outcome === 'rejected'; }

/** A word in a tool's name that says that it changes something. */
const changing = new RegExp('(^|[_./-])(add|append|apply|apply_patch|commit|copy|create|delete|deploy|drop|edit|exec|' +
  'execute|insert|install|kill|merge|mkdir|move|patch|post|publish|push|put|remove|rename|replace|reset|restart|' +
  'revert|rm|run|send|set|stop|store|update|upload|write|bash|shell|sh|remember)', 'i');

/** Says how much of a turn a call stands for: less is more. @param {Call} c */
function rankOf(c) { return c.request ? 0 : isBad(c) ? 1 : changing.test(c.tool) ? 2 : 3; }

/**
 * Returns the call whose reason stands for a turn: what waits or failed, what changed something, or the first.
 * @param {Turn} t @returns {Call | undefined}
 */
export function chief(t) {
  return t.calls.filter((c) => !c.agent || isBad(c)).sort((a, b) => rankOf(a) - rankOf(b))[0];
}

/**
 * Returns the tools of a turn with what they were used on: what waits and failed first, then what changed something,
 * then what only read. Calls of one tool that went well stand together, and no call of a sub-agent stands alone.
 * @param {Turn} t @param {number} [max] how many stand there @returns {Used[]}
 */
export function used(t, max = 5) {
  /** @type {Map<string, Used & { rank: number }>} */
  const all = new Map();
  for (const c of t.calls) {
    if (c.agent && !isBad(c) && !c.request) continue;
    const bad = isBad(c), rank = rankOf(c);
    const key = `${rank} ${c.tool}${bad ? ` ${c.id}` : ''}`, one = all.get(key);
    if (one) one.count++;
    else {
      const kind = rank === 0 ? 'waits' : bad ? 'bad' : '';
      all.set(key, { tool: c.tool, object: c.object, count: 1, rank, kind });
    }
  }
  const sorted = [...all.values()].sort((a, b) => a.rank - b.rank);
  return sorted.slice(0, max).map(({ tool, object, count, kind }) =>
    ({ tool, object: count > 1 ? `×${count}` : cut(object, 60), count, kind }));
}

/**
 * Says what a running turn does: its step, what runs, for how long, and what it has done so far.
 * @param {Turn} t @param {number} now the server's time @param {string} [chosen] the call that the keyboard is at
 */
export function progress(t, now, chosen) {
  const open = t.calls.filter((c) => c.outcome === 'pending'), waits = open.filter((c) => c.request);
  const runs = open.filter((c) => !c.request && c.startedAt).sort((a, b) => b.startedAt - a.startedAt);
  const step = Math.max(1, ...[...t.calls, ...t.said, ...t.drafts].filter((x) => !x.agent).map((x) => x.step));
  const last = runs[0], since = last ? Math.min(...runs.map((c) => c.startedAt)) : lastSign(t);
  const thinks = { tool: '', object: '', what: t.drafts.length ? 'the model is writing' : 'the model is thinking' };
  const ask = waits.find((c) => c.id === chosen) || waits[0], more = waits.length - 1;
  const what = ask ? { tool: ask.tool, object: ask.object, what: `waits for you${more ? `, and ${more} more` : ''}` }
    : last ? { tool: last.tool, object: last.object, what: runs.length > 1 ? `and ${runs.length - 1} more` : '' }
    : thinks;
  const bad = t.calls.filter(isBad).length, done = t.calls.length - open.length;
  return {
    ...what, step: `Step ${step}`, waits: waits.length > 0,
    time: since && !waits.length ? counter(now - since) : '',
    sum: [
      t.calls.length > 0 && `${done} of ${t.calls.length} done`, bad > 0 && `${bad} failed`,
      t.tokens > 0 && `${t.tokens.toLocaleString('en')} tokens`, t.cost,
    ].filter(Boolean).join(' · '),
  };
}

/**
 * Returns when something last happened in a turn.
 * @param {Turn} t
 */
function lastSign(t) {
  const ends = t.calls.map((c) => c.startedAt + (c.took || 0)), said = t.said.map((s) => s.at);
  return Math.max(t.startedAt, ...ends, ...said) || t.createdAt;
}

/**
 * Says in one sentence why a turn failed.
 * @param {Turn} t
 */
export function failureOf(t) {
  if (!t.error) return 'The turn failed, and the server gave no reason.';
  const whole = /^the [\w ]+ failed\b/i.test(t.error); // says itself that something did
  return whole ? t.error[0].toUpperCase() + t.error.slice(1) : `The turn failed: ${t.error}`;
}

/**
 * Explains why a turn has nothing to show under Reasoning; '' if it has something.
 * @param {Turn} t @param {boolean} [observed] whether it is of a participant of a space
 */
export function silence(t, observed = false) {
  if (t.narrativeBlocked && !t.said.length) {
    return 'What the model said here was withheld: it is not safe to store.';
  }
  if (t.calls.length || t.said.length || t.sealed.length) return '';
  switch (t.state) {
    case 'queued': return t.run ? 'No worker has started this yet.'
      : 'Queued: it starts when the turn before it ends.';
    case 'processing': return t.drafts.length ? 'The model is writing.'
      : 'The model is reading. What it says and does appears here.';
    case 'quiet': return 'Nobody reported a call, or the end.';
    case 'failed': return 'The turn failed before the model called a tool.';
    case 'interrupted': return 'The turn was stopped before the model called a tool.';
  }
  if (observed) return 'No reasoning was published with this.';
  return 'Answered without a tool, so there is no decision to explain.';
}

/**
 * Returns what a turn says of itself while its reasons are closed: the end of what streams in while it runs, then the
 * last of its plans.
 * @param {Turn} t
 */
export function lastPlan(t) {
  const streams = t.state === 'processing' && t.drafts.findLast((d) => !d.agent)?.text.trimEnd();
  if (!streams) return firstLine(t.narrative, 140);
  const lines = streams.split('\n'), last = lines[lines.length - 1];
  return last.length > 140 ? `…${last.slice(-139)}` : last;
}

/**
 * Splits a text at what was taken out of it, which has the rule that did so.
 * @param {string} text @returns {{ rule: string, text: string }[]}
 */
export function chipped(text) {
  const parts = text.split(/(\[REDACTED(?::[\w.-]{1,60})?\])/);
  return parts.filter((part) => part).map((part) => {
    const rule = /^\[REDACTED:?([\w.-]*)\]$/.exec(part);
    return { rule: rule ? rule[1] || 'secret' : '', text: rule ? `redacted: ${rule[1] || 'secret'}` : part };
  });
}
