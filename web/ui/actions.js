// What a person can do with the open conversation: stop, approve, rate, and open the menus of
// turns and decisions; and how a message is delivered.

import * as api from './net/api.js';
import { toast } from './lib/toast.js';
import { formatRoute } from './state/route.js';
import { isGone } from './view/conversation.js';

/** @import { Turn } from './state/types.d.ts' */
/** @import { ConversationActs, DecisionActs } from './view/types.d.ts' */
/** @import { Context, Deliver, Parts } from './types.d.ts' */

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
      answer: async (call, action, value, edited) => {
        const id = call.request?.id;
        if (!id) return '';
        try {
          await (edited === undefined ? api.approve(id, action, value) : api.approveEdited(id, action, edited));
        } catch (e) {
          if (api.isRefusedEdit(e)) return /** @type {Error} */ (e).message;
          hub.emit('failed', e);
        }
        return '';
      },
      whole: (call) => kind === 'job' ? fetcher.result(id, call.id) : fetcher.turn(id, t.number, call.id),
      rate: kind === 'thread' ? async (call, rating, note) => {
        const { send } = await import('./view/feedback.js');
        await send(id, t.number, call.id, rating, note).catch((e) => hub.emit('failed', e));
      } : undefined,
      needParams: () => kind === 'thread' && fetcher.turn(id, t.number),
      menu: async (call, button) => {
        const c = active(), latest = c?.turns.find((o) => o.number === t.number) || t;
        if (c) (await commands()).decisionMenu(c, latest, call, button, acts(latest));
      },
    };
  };
  return {
    acts,
    watchOwn: async () => (await import('./view/job.js')).watchOwn().catch((e) => void hub.emit('failed', e)),
    restart: (id) => api.restartJob(id).catch((e) => void hub.emit('failed', e)),
    older: (id) => fetcher.older(id),
    ask: (text) => hub.emit('ask', text),
    retry: () => hub.emit('refetch'),
    turnMenu: async (t, button) => {
      const c = active(), compare = (/** @type {number} */ n) => hub.emit('compare', t.number, n);
      if (c) (await commands()).turnMenu(c, t, button, { compare, timeline: (n) => hub.emit('timeline', n) });
    },
  };
}

/**
 * Returns how a message is sent.
 * @param {Pick<Parts, 'store' | 'fetcher' | 'view'>} parts @returns {Deliver}
 */
export function delivery({ store, fetcher, view }) {
  return async (to, text, begun) => {
    const thread = to || (await api.newThread()).id;
    if (!to) {
      // The conversation is there, and empty, before its first event arrives.
      store.dispatch({ type: 'history', id: thread, history: { turns: [], has_more: false, event_id: '' } });
      begun(thread);
      if (store.state.active.kind === 'new') {
        store.dispatch({ type: 'select', active: { kind: 'thread', id: thread } });
        history.replaceState(null, '', formatRoute({ thread }));
      }
    }
    const sent = await api.send(thread, text);
    const observed = store.state.threads?.find((t) => t.id === thread)?.origin;
    if (observed) { // it is a turn of the speaker's own thread; what comes of it shows up here
      toast(`Said to ${observed.participant}.`);
      fetcher.spaces(); // who speaks takes part
      return 0;
    }
    const { turn_number: number, message_id: messageId, state, status, content } = sent;
    if (status === 'answered') { // a command, which became no turn
      (await commands()).showAnswer(content || '');
      return 0;
    }
    if (store.state.conversations[thread]?.status === 'ready') { // any other is read when it is opened
      store.dispatch({ type: 'sent', id: thread, number, content: text, messageId, state, now: store.now() });
    } else if (store.state.active.id === thread) fetcher.thread(thread);
    if (store.state.active.id === thread) view.list.toEnd();
    return number;
  };
}

/**
 * Takes a waiting message back into the field. If its conversation is gone, a new one begins with it.
 * @param {Context} context @param {number} key @param {string} written what stands in the field
 * @param {() => void} begin opens a new conversation
 */
export async function editWaiting({ outbox, composer, active }, key, written, begin) {
  const m = outbox.take(key), c = active();
  if (!m) return;
  if (c && isGone(c)) {
    begin();
    await new Promise(requestAnimationFrame); // the field is shown again
  }
  composer.fill([m.text, written].filter(Boolean).join('\n\n'));
}

/** @param {Context} context */
export function stop({ store, hub }) {
  const { kind, id } = store.state.active;
  (kind === 'job' ? api.cancelJob(id) : api.interrupt(id)).catch((e) => hub.emit('failed', e));
}
