// Beginning to watch an agent of one's own, and taking part in spaces. Loaded with the first of it.

import * as api from './net/api.js';
import { formatRoute } from './state/route.js';
import { keepToken } from './view/job.js';

/** @import { Context, Parts } from './types.d.ts' */

/**
 * Creates a job for an agent of the user's own, and opens it.
 * @param {Parts['hub']} hub
 */
export async function watchOwn(hub) {
  try {
    const job = await api.openJob('My agent', 'What my own agent does, and why.');
    keepToken(job);
    location.hash = formatRoute({ job: job.job_id });
  } catch (e) { hub.emit('failed', e); }
}

/**
 * Takes part in a space, or leaves it.
 * @param {Context} context @param {string} space @param {'join' | 'leave'} how
 */
export async function takePart({ hub, fetcher }, space, how) {
  await api.takePart(space, how).catch((e) => hub.emit('failed', e));
  await fetcher.spaces();
}
