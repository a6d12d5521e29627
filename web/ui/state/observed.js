// The turns of other agents, in threads of one participant of a space each: who asked for a
// turn and why, what others said within it, its conclusion, and what came after its end. Where
// notes stand is in notes.js. All functions are pure.

import { ms } from '../lib/format.js';
import { runOf } from './confidence.js';

/** @import { AskedInfo, NoteFrame, NoteInfo, ThinkingFrame, ThreadInfo, TurnInfo } from '../wire.d.ts' */
/** @import { Asked, Note, Turn } from './types.d.ts' */

/** What a turn of our own agent has of all this. */
export const notObserved = {
  asked: null, conclusion: '', notes: /** @type {Note[]} */ ([]), lateSteps: /** @type {number[]} */ ([]),
  toldAt: 0,
};

/**
 * Converts what the server tells of an observed turn.
 * @param {TurnInfo} info
 */
export function observedOf(info) {
  return {
    asked: info.asked ? askedOf(info.asked) : null, conclusion: info.conclusion || '',
    notes: info.notes?.map(noteOf) || [], lateSteps: info.late_steps || [], toldAt: ms(info.told_at),
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
  const at = ms(f.at), said = f.user_input ?? (f.asked ? '' : t.input);
  const known = { ...f.asked && { asked: askedOf(f.asked) }, input: said };
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
 * Returns whose calls a thread has of which only a wrapped MCP server told; empty for any other. There nobody hears
 * what was asked, nor what was answered.
 * @param {ThreadInfo | undefined} t
 */
export function throughOf(t) {
  const all = t?.attached?.channels;
  if (!all?.length || all.some((c) => c.channel !== 'wrapper')) return '';
  return t?.attached?.title || 'an MCP server';
}

/**
 * Returns whose turns an observed thread has: a participant and its space, or a program and the folder that its agent
 * works in.
 * @param {ThreadInfo} t
 */
export function whose({ origin: o, attached: a }) {
  if (!o) return '';
  if (!a) return `${o.participant} in ${o.space}`;
  return [o.participant, a.folder.split(/[\\/]/).pop()].filter(Boolean).join(' · ');
}
