// What agents said in the steps of a turn: the model’s own words, and summaries beside them. All functions are pure.

/** @import * as wire from '../wire.d.ts' */
/** @import { Said, Turn } from './types.d.ts' */

/**
 * Returns what history has of that.
 * @param {wire.TurnInfo} info @returns {Said[]}
 */
export function saidOf({ reasoning: r, answer_reasoning: a }) {
  /** @type {Said[]} */
  const out = [];
  const say = (agent = '', step = 1, text = '', html = '', source = r?.narrative_source, thought = '') =>
    (text || thought) && out.push({ agent, step, text, html, source: source || '', at: 0, ...thought && { thought } });
  if (r?.narratives) {
    for (const n of r.narratives) say(n.agent, n.step, n.narrative, n.narrative_html, undefined, n.thought);
  } else if (r) {
    say('', r.tool_decisions?.find((d) => !d.agent)?.step, r.narrative, r.narrative_html, undefined, r.thought);
  }
  if (a) say('', a.step, a.narrative, a.narrative_html, a.narrative_source);
  return out;
}

/**
 * Returns what an agent said in a step, if that is settled.
 * @param {Turn} t @param {{ agent: string, step: number }} s
 */
export function saidIn(t, s) { return t.said.find((o) => o.agent === s.agent && o.step === s.step); }

/**
 * Returns what was said with one more text of a step, or with the thought beside the one that follows.
 * @param {Turn} t @param {Said} s @param {boolean} beside @returns {Said[]}
 */
export function withSaid(t, s, beside) {
  const others = t.said.filter((o) => o.agent !== s.agent || o.step !== s.step);
  const thought = beside ? s.text : saidIn(t, s)?.thought;
  return [...others, { ...s, text: beside ? '' : s.text, ...thought && { thought } }];
}
