// The notes of other agents' turns, and where they stand. All functions are pure.

/** @import { Note, Turn } from './types.d.ts' */

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
