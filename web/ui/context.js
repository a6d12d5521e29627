// The parts of the page, and what several of them need: the state, what is open,
// and how a failure is told. There is one of each.

import './view/composer.js';
import './view/connection.js';
import './view/rail.js';
import * as api from './net/api.js';
import { ConversationView } from './view/conversation.js';
import { $, attribute } from './lib/dom.js';
import { Fetcher } from './net/fetcher.js';
import { toast } from './lib/toast.js';
import { Store } from './state/store.js';
import { Stream } from './net/stream.js';

/** @import { Call, Conversation, Turn } from './state/types.d.ts' */
/** @typedef {import('./view/decision.js').Acts} Acts */

// What few visits need is loaded when it is needed.
export const commands = () => import('./view/commands.js');
export const diffing = () => import('./view/diffview.js');

export const store = new Store();
export const fetcher = new Fetcher(store, (e) => failed(e));
export const rail = /** @type {import('./view/rail.js').Rail} */ ($('rail'));
export const composer = /** @type {import('./view/composer.js').Composer} */ ($('composer'));
export const pill = /** @type {import('./view/connection.js').LinkPill} */ ($('link'));

/** What the parts ask of who put them together; app.js sets it. */
export const page = {
  begin: () => {}, ask: (/** @type {string} */ _text) => {},
  compare: (/** @type {number} */ _a, /** @type {number} */ _b) => {}, timeline: (/** @type {number} */ _turn) => {},
};

export const stream = new Stream({
  onFrame: (frame, id) => store.dispatch({ type: 'event', frame, eventId: id, now: Date.now() }),
  onLink: (link) => store.dispatch({ type: 'link', link }),
  onResync: () => refetch(),
  onRefused: refused,
});

export const view = new ConversationView(store, {
  older: (id) => fetcher.older(id), ask: (text) => page.ask(text), retry: () => refetch(), turnMenu, acts,
});

/** @returns {Conversation | undefined} the conversation that is open */
export const active = () => store.state.conversations[store.state.active.id];
/** @param {number} number @returns {Turn | undefined} */
export const turnOf = (number) => active()?.turns.find((t) => t.number === number);

/** Whether the stream was refused because nobody is signed in. */
async function refused() {
  try {
    await api.whoami();
  } catch (e) {
    if (!(e instanceof api.ApiError) || e.status !== 401) return false;
    signedOut();
    return true;
  }
  return false;
}

/** @param {Turn} t @param {HTMLElement} button */
async function turnMenu(t, button) {
  const c = active();
  if (c) (await commands()).turnMenu(c, t, button, { compare: (n) => page.compare(n, t.number), timeline: page.timeline });
}

/** What a decision may ask for. @param {Turn} t @returns {Acts} */
function acts(t) {
  const { kind, id } = store.state.active;
  return {
    answer: async (call, action) => {
      try { if (call.request) await api.approve(call.request.id, action); } catch (e) { failed(e); }
    },
    whole: (call) => fetcher.turn(id, t.number, call.id),
    needParams: () => { if (kind === 'thread') fetcher.turn(id, t.number); },
    menu: async (call, button) => {
      const c = active();
      if (c) (await commands()).decisionMenu(c, turnOf(t.number) || t, call, button);
    },
  };
}

/** Shows what went wrong where the reader is. @param {unknown} e */
export function failed(e) {
  if (e instanceof api.ApiError && e.status === 401) return void signedOut();
  toast(e instanceof Error ? e.message : String(e));
}

/** Asks who is there. @param {string} [why] */
export async function signedOut(why = '') {
  stream.stop();
  attribute($('app'), 'data-state', 'signed-out');
  $('app').inert = true;
  await import('./view/signin.js');
  const signin = /** @type {import('./view/signin.js').SignIn} */ ($('signin'));
  signin.done = () => page.begin();
  signin.open(why);
}

/** After the stream lost its place: everything again, in place of what was shown. */
async function refetch() {
  const { kind, id } = store.state.active;
  await fetcher.lists().catch(failed);
  if (kind === 'thread') await fetcher.thread(id);
  if (kind === 'job') await fetcher.job(id);
}
