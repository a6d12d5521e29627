// Comparing two turns, of one conversation or of two. The address holds both, so that a comparison can be kept, sent
// and reloaded.

import { $ } from './lib/dom.js';
import { clock, cut, firstLine } from './lib/format.js';
import { toast } from './lib/toast.js';
import { whose } from './state/observed.js';
import { formatRoute } from './state/route.js';
import { openChooser } from './view/choose.js';
import { openDiff } from './view/diffview.js';

/** @import { Conversation, Place, Route, Side } from './state/types.d.ts' */
/** @import { Context } from './types.d.ts' */

/**
 * Compares a turn of the open conversation with another of it, or lets a person choose one of any.
 * @param {Context} context @param {number} number @param {number} other 0 to choose
 */
export function begin(context, number, other) {
  const { kind, id } = context.store.state.active;
  if (kind === 'new' || kind === 'none') return;
  const here = { kind, id };
  if (other) return go(here, number, here, other);
  openChooser({
    number, places: placesOf(context, here), read: (place, older) => turnsOf(context, place, older),
    done: (place, n) => go(here, number, place, n),
  });
}

/** @param {Place} here @param {number} turn @param {Place} there @param {number} diff */
function go(here, turn, there, diff) {
  const other = there.id === here.id ? {} : there.kind === 'job' ? { diffJob: there.id } : { diffThread: there.id };
  location.hash = formatRoute({ [here.kind]: here.id, turn, diff, ...other });
}

/**
 * Shows the comparison that the address asks for. Of one conversation, the earlier turn is on the left.
 * @param {Context} context @param {Route} r
 */
export async function show(context, r) {
  const { kind, id } = context.store.state.active;
  /** @type {Place} */
  const here = { kind: kind === 'job' ? 'job' : 'thread', id };
  /** @type {Place} */
  const there = r.diffJob ? { kind: 'job', id: r.diffJob } : { kind: 'thread', id: r.diffThread };
  const hash = location.hash, at = there.id ? there : here;
  const two = at.id !== here.id;
  const sides = [await sideOf(context, at, r.diff, two), await sideOf(context, here, r.turn, two)];
  if (location.hash !== hash) return;
  const [left, right] = !two && r.diff > r.turn ? sides.reverse() : sides;
  if (!left || !right) return toast('One of the two turns was not found.');
  openDiff(left, right, context.store.now());
  // Once it is closed the address is that of the turn, unless it leads elsewhere already.
  $('dialog').addEventListener('close', () => {
    const alone = formatRoute({ ...r, diff: 0, diffThread: '', diffJob: '' });
    if (location.hash === hash) history.replaceState(null, '', alone);
  }, { once: true });
}

/**
 * Reads a conversation as far back as a turn, and describes the turn.
 * @param {Context} context @param {Place} place @param {number} number
 * @param {boolean} named whether to name the conversation @returns {Promise<Side | null>}
 */
async function sideOf(context, place, number, named) {
  const { store, fetcher } = context, c = await read(context, place);
  await fetcher.until(place.id, number);
  // A long turn of a job comes in parts.
  for (let n = 0; n < 50 && c?.kind === 'job' && hasEarlier(context, place, number); n++) await fetcher.older(place.id);
  const turn = store.state.conversations[place.id]?.turns.find((t) => t.number === number);
  if (!turn) return null;
  const name = `Turn ${number}${named ? ` of ${cut(titleOf(context, place), 60)}` : ''}`;
  return { turn, name, about: turn.createdAt ? clock(turn.createdAt, store.now()) : '' };
}

/** @param {Context} context @param {Place} place @param {number} number */
function hasEarlier({ store }, { id }, number) {
  const c = store.state.conversations[id];
  return c?.status === 'ready' && c.hasMore && c.turns[0]?.number >= number;
}

/** @param {Context} context @param {Place} place @returns {Promise<Conversation | undefined>} */
async function read({ store, fetcher }, { kind, id }) {
  if (store.state.conversations[id]?.status !== 'ready') await fetcher[kind](id);
  return store.state.conversations[id];
}

/**
 * Returns the turns of a conversation, the latest first.
 * @param {Context} context @param {Place} place @param {boolean} older whether to read one page more
 */
async function turnsOf(context, place, older) {
  const { store, fetcher } = context;
  await read(context, place);
  if (older) await fetcher.older(place.id);
  const c = store.state.conversations[place.id];
  return { turns: [...c?.turns || []].reverse(), more: !!c?.hasMore };
}

/**
 * Lists all conversations and jobs, the open one first.
 * @param {Context} context @param {Place} here
 */
function placesOf(context, here) {
  const { threads, jobs } = context.store.state;
  /** @type {Place[]} */
  const all = [...(threads || []).map((t) => /** @type {Place} */ ({ kind: 'thread', id: t.id })),
    ...(jobs || []).map((j) => /** @type {Place} */ ({ kind: 'job', id: j.job_id }))];
  return [here, ...all.filter((p) => p.id !== here.id)].map((p) => ({ ...p, title: titleOf(context, p) }));
}

/** @param {Context} context @param {Place} place */
function titleOf({ store }, { kind, id }) {
  const { threads, jobs, conversations } = store.state;
  if (kind === 'job') return jobs?.find((j) => j.job_id === id)?.title || 'Job';
  const t = threads?.find((one) => one.id === id);
  if (t?.origin) return whose(t);
  return t?.title || firstLine(conversations[id]?.turns[0]?.input || '', 80) || 'Conversation';
}
