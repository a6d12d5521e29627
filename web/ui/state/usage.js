// What turns and their steps cost, and calls in time and size. All functions are pure.

import { ms } from '../lib/format.js';

/** @import * as wire from '../wire.d.ts' */

/**
 * Returns what a turn cost, and the tokens of the steps of its lead agent where they are known.
 * @param {wire.TurnInfo | wire.TurnDetail | wire.JobTurnInfo} info
 */
export function usageOf({ usage, step_usage: steps = [] }) {
  /** @type {Record<number, number>} */
  const stepTokens = {};
  for (const s of steps) if (!s.agent) stepTokens[s.step] = sum(s);
  return { tokens: sum(usage), cost: usage?.cost || '', stepTokens };
}

/** @param {Pick<wire.UsageInfo, 'input_tokens' | 'output_tokens'> | undefined} u */
function sum(u) { return (u?.input_tokens || 0) + (u?.output_tokens || 0); }

/**
 * Returns when a call began to run, how long it had waited for a person before, and how long it took.
 * @param {wire.ToolCallDetail | undefined} c
 */
export function timesOf(c) {
  const waited = c?.waited_ms || 0, asked = ms(c?.started_at);
  return { startedAt: asked && asked + waited, waited, took: c?.duration_ms ?? null };
}

/**
 * Returns how many bytes a result has.
 * @param {wire.ToolCallDetail} c
 */
export function sizeOf(c) { return c.result_size ?? (c.result === undefined ? 0 : JSON.stringify(c.result).length); }
