// Taking part in spaces, and leaving them. Loaded with the first of it.

import * as api from './net/api.js';

/** @import { Context } from './types.d.ts' */

/**
 * Takes part in a space, or leaves it.
 * @param {Context} context @param {string} space @param {'join' | 'leave'} how
 */
export async function takePart({ hub, fetcher }, space, how) {
  await api.takePart(space, how).catch((e) => hub.emit('failed', e));
  await fetcher.spaces();
}
