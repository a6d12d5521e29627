// What a person can do with the open conversation: send, stop, approve, and open the
// menus of turns and decisions.

import * as api from './net/api.js';
import { toast } from './lib/toast.js';
import { formatRoute } from './state/route.js';

/** @import { Turn } from './state/types.d.ts' */
/** @import { ConversationActs, DecisionActs } from './view/types.d.ts' */
/** @import { Context, Parts } from './types.d.ts' */

export const commands = () => import('./view/commands.js');

/**
 * Returns what the conversation view asks for, given the parts that do not need it.
 * @param {Pick<Parts, 'hub' | 'store' | 'fetcher'>} parts @returns {ConversationActs}
 */
export function conversationActs({ hub, store, fetcher }) {
  const active = () => store.state.conversations[store.state.active.id];
  /** @param {Turn} t @returns {DecisionActs} */
  const acts = (t) => {
    const { kind, id } = store.state.active;
    return {
      answer: async (call, action, value) => {
        if (call.request) await api.approve(call.request.id, action, value).catch((e) => hub.emit('failed', e));
      },
      whole: (call) => kind === 'job' ? fetcher.result(id, call.id) : fetcher.turn(id, t.number, call.id),
      needParams: () => kind === 'thread' && fetcher.turn(id, t.number),
      menu: async (call, button) => {
        const c = active(), latest = c?.turns.find((o) => o.number === t.number) || t;
        if (c) (await commands()).decisionMenu(c, latest, call, button);
      },
    };
  };
  return {
    acts,
    restart: (id) => api.restartJob(id).catch((e) => void hub.emit('failed', e)),
    older: (id) => fetcher.older(id),
    ask: (text) => hub.emit('ask', text),
    retry: () => hub.emit('refetch'),
    turnMenu: async (t, button) => {
      const c = active(), compare = (/** @type {number} */ n) => hub.emit('compare', n, t.number);
      if (c) (await commands()).turnMenu(c, t, button, { compare, timeline: (n) => hub.emit('timeline', n) });
    },
  };
}

/**
 * Sends a message to the open conversation; a new one is begun first.
 * @param {Context} context @param {string} text @returns {Promise<boolean>} whether the server accepted it
 */
export async function send({ store, view, composer, hub, fetcher }, text) {
  try {
    const { kind, id } = store.state.active;
    if (kind === 'job') return !!await api.promptJob(id, text);
    const thread = kind === 'thread' ? id : (await api.newThread()).id;
    if (kind !== 'thread') {
      // The conversation is there, and empty, before its first event arrives.
      store.dispatch({ type: 'history', id: thread, history: { turns: [], has_more: false, event_id: '' } });
    }
    const sent = await api.send(thread, text);
    const to = store.state.threads?.find((t) => t.id === thread)?.origin;
    if (to) { // it is a turn of the speaker's own thread; what comes of it shows up here
      toast(`Said to ${to.participant}.`);
      fetcher.spaces(); // who speaks takes part
      return true;
    }
    const { turn_number: number, message_id: messageId, state, status, content } = sent;
    if (status === 'answered') { // a command, which became no turn
      (await commands()).showAnswer(content || '');
      return true;
    }
    if (kind !== 'thread') {
      store.dispatch({ type: 'select', active: { kind: 'thread', id: thread } });
      history.replaceState(null, '', formatRoute({ thread }));
    }
    store.dispatch({ type: 'sent', id: thread, number, content: text, messageId, state, now: store.now() });
    view.list.toEnd();
    return true;
  } catch (e) {
    if (api.isSignedOut(e)) hub.emit('signedOut', '');
    else composer.complain(e instanceof Error ? e.message : String(e));
    return false;
  }
}

/**
 * Takes part in a space, or leaves it.
 * @param {Context} context @param {string} space @param {'join' | 'leave'} how
 */
export async function takePart({ hub, fetcher }, space, how) {
  await api.takePart(space, how).catch((e) => hub.emit('failed', e));
  await fetcher.spaces();
}

/** @param {Context} context */
export function stop({ store, hub }) {
  const { kind, id } = store.state.active;
  (kind === 'job' ? api.cancelJob(id) : api.interrupt(id)).catch((e) => hub.emit('failed', e));
}
