// The turns of other agents, in threads of one participant of a space each: who asked for a
// turn and why, what others said within it, its conclusion, and what came after its end. All
// functions are pure.

import { ms } from '../lib/format.js';
import { runOf } from './confidence.js';

/** @import { AskedInfo, NoteFrame, NoteInfo, ThreadInfo, ThinkingFrame, TurnInfo } from '../wire.d.ts' */
/** @import { Asked, Group, Note, Space, Turn } from './types.d.ts' */

/** What a turn of our own agent has of all this. */
export const notObserved = {
  asked: null, conclusion: '', notes: /** @type {Note[]} */ ([]), lateSteps: /** @type {number[]} */ ([]),
};

/**
 * Converts what the server tells of an observed turn.
 * @param {TurnInfo} info
 */
export function observedOf(info) {
  return {
    asked: info.asked ? askedOf(info.asked) : null, conclusion: info.conclusion || '',
    notes: info.notes?.map(noteOf) || [], lateSteps: info.late_steps || [],
  };
}

/** @param {AskedInfo} a @returns {Asked} */
function askedOf(a) {
  return {
    by: a.by, thread: a.thread_id || '', turn: a.turn_number || 0, call: a.call_id || '', why: a.reason || '',
    source: a.reason_source || '', unseen: !!a.start_unseen,
  };
}

/** @param {NoteInfo | NoteFrame} n @returns {Note} */
function noteOf(n) {
  return { from: n.from, to: n.to || '', kind: n.kind, text: n.text, late: !!n.late, at: ms(n.at) };
}

/**
 * Begins a turn. A second such frame of an observed turn tells who asked for it.
 * @param {Turn} t @param {ThinkingFrame} f @returns {Turn}
 */
export function begun(t, f) {
  const at = ms(f.at), known = f.asked ? { asked: askedOf(f.asked), input: f.user_input || '' } : {};
  if (f.asked && !f.message_id && t.startedAt) return { ...t, ...known };
  const messageId = f.message_id || t.messageId;
  const run = f.workflow ? runOf(f.workflow) : {};
  return { ...t, ...known, ...run, state: 'processing', messageId, startedAt: at, createdAt: t.createdAt || at };
}

/**
 * Adds a note, unless a fetched turn had it already.
 * @param {Turn} t @param {NoteFrame} f @returns {Turn}
 */
export function noted(t, f) {
  const n = noteOf(f);
  const known = t.notes.some((o) => o.at === n.at && o.from === n.from && o.kind === n.kind && o.text === n.text);
  return known ? t : { ...t, notes: [...t.notes, n] };
}

/**
 * Notes that a step came after the turn's end, if it did.
 * @param {Turn} t @param {string} agent @param {number} step @returns {Turn}
 */
export function withStep(t, agent, step) {
  const known = [...t.said, ...t.calls].some((x) => x.agent === agent && x.step === step);
  return !t.endedAt || agent || known ? t : { ...t, lateSteps: [...t.lateSteps, step] };
}

/**
 * Returns the notes before the turn's end, each with the place among the steps that it belongs to: before the first
 * step that is known to have begun later. What history tells of a step without calls has no time.
 * @param {Turn} t @param {{ step: number, agent: string }[]} steps
 */
export function placed(t, steps) {
  const begins = steps.map(({ step, agent }) => {
    if (!agent && t.lateSteps.includes(step)) return t.endedAt;
    const of = [...t.calls, ...t.said].filter((x) => x.agent === agent && x.step === step);
    return Math.min(...of.map((x) => 'at' in x ? x.at : x.startedAt).filter((at) => at > 0));
  });
  return t.notes.filter((n) => !n.late).map((note) => {
    const before = begins.findIndex((at) => Number.isFinite(at) && at > note.at);
    return { note, before: before < 0 ? steps.length : before };
  });
}

/** What the author of a note did. @type {Record<Note['kind'], string>} */
export const did = {
  chat: 'said', thought: 'thought', conclusion: 'concluded', cancel: 'asked to stop', reject: 'refused',
  shutdown: 'asked to shut down', other: 'sent',
};

/**
 * Returns the spaces, each with its threads and with those who take part but have no thread yet.
 * @param {ThreadInfo[]} threads @param {Space[]} spaces @returns {Group[]}
 */
export function groups(threads, spaces) {
  /** @type {Map<string, Group>} */
  const all = new Map(spaces.map((s) => [s.name, { name: s.name, space: s, threads: [], silent: [] }]));
  for (const t of threads) {
    const name = t.origin?.space;
    if (name === undefined) continue;
    const g = all.get(name) || { name, space: null, threads: [], silent: [] };
    g.threads.push(t);
    all.set(name, g);
  }
  for (const g of all.values()) {
    const heard = new Set(g.threads.map((t) => t.origin?.participant));
    g.threads.sort((a, b) => compare(a.origin?.participant || '', b.origin?.participant || ''));
    g.silent = g.space?.participants.filter((p) => !heard.has(p.id) && p.id !== g.space?.you) || [];
  }
  return [...all.values()].sort((a, b) => compare(a.name, b.name));
}

/** @param {string} a @param {string} b */
function compare(a, b) { return a < b ? -1 : a > b ? 1 : 0; }
