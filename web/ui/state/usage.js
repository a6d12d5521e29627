// What turns and their steps cost, and calls in time and size. All functions are pure.

import { ms } from '../lib/format.js';

/** @import * as wire from '../wire.d.ts' */

/**
 * Returns what a turn cost, the tokens of the steps of its lead agent where they are known, what was sealed, and where
 * the model was not done.
 * @param {wire.TurnInfo | wire.TurnDetail | wire.JobTurnInfo} info
 */
export function usageOf(info) {
  const { usage, step_usage: steps = [], sealed_reasoning: sealed = [], step_stops: stops = [] } = info;
  const stop = info.stop_words || '';
  /** @type {Record<number, number>} */
  const stepTokens = {};
  for (const s of steps) if (!s.agent) stepTokens[s.step] = sum(s);
  return { tokens: sum(usage), cost: usage?.cost || '', stepTokens, sealed, stops, stop };
}

/** @param {Pick<wire.UsageInfo, 'input_tokens' | 'output_tokens'> | undefined} u */
function sum(u) { return (u?.input_tokens || 0) + (u?.output_tokens || 0); }

/**
 * Reports whether two things are of one step of an agent.
 * @param {{ agent?: string, step: number }} a @param {{ agent?: string, step: number }} b
 */
export function sameStep(a, b) { return a.step === b.step && (a.agent || '') === (b.agent || ''); }

/**
 * Returns when a call began to run, how long it had waited for a person before, and how long it took: about, if
 * nobody timed it.
 * @param {wire.ToolCallDetail | undefined} c @param {wire.Outcome} outcome
 */
export function timesOf(c, outcome) {
  const waited = c?.waited_ms || 0, asked = ms(c?.started_at), apart = c?.apart_ms || null;
  const took = tookOf(outcome, c?.duration_ms ?? apart), near = apart !== null && took === apart;
  return { startedAt: asked && asked + waited, waited, took, near };
}

/**
 * Returns how long a call took; null if it never ran, or nobody saw how it ended.
 * @param {wire.Outcome} outcome @param {number | null} took
 */
export function tookOf(outcome, took) {
  return outcome === 'rejected' || outcome === 'unknown' || outcome === 'cancelled' && !took ? null : took;
}

/**
 * Returns how many bytes a result has.
 * @param {wire.ToolCallDetail} c
 */
export function sizeOf(c) { return c.result_size ?? (c.result === undefined ? 0 : JSON.stringify(c.result).length); }
