// Sends what waits for the server. Loaded once something waits and the server is there.

import * as api from './net/api.js';
import { nextWaiting, takenAs, withoutSent } from './state/resend.js';

/** @import { Waiting } from './state/types.d.ts' */
/** @import { Outbox } from './outbox.js' */

/** How many of the latest turns may have been the message whose answer was lost. */
const lookBack = 50;

/**
 * Sends what waits, in order, and reports whether something is left that may be sent later.
 * @param {Outbox} outbox
 */
export async function resend(outbox) {
  const next = () => nextWaiting(outbox.parts.store.state);
  for (let m = next(); m && await send(outbox, m);) m = next();
  return !!next();
}

/** @param {Outbox} outbox @param {Waiting} m @returns {Promise<boolean>} whether to go on with the next one */
async function send(outbox, m) {
  outbox.change(m, { sending: true });
  try {
    const number = await turnOf(m) || await outbox.deliver(m.thread, m.text, (thread) => outbox.begun(thread));
    const sent = outbox.all.find((one) => one.key === m.key) || m;
    outbox.set(withoutSent(outbox.all, sent, number));
    return true;
  } catch (e) {
    outbox.change(m, { sending: false });
    if (api.isSignedOut(e)) outbox.parts.hub.emit('signedOut', '');
    if (api.isSignedOut(e) || api.mayPass(e)) return false;
    outbox.change(m, { problem: e instanceof Error ? e.message : String(e) });
    return true;
  }
}

/** @param {Waiting} m @returns {Promise<number>} the turn that the message already is, or 0 */
async function turnOf(m) {
  if (!m.thread) return 0;
  const { turns } = await api.history(m.thread, { limit: lookBack });
  const taken = takenAs(m, turns.map((t) => ({ number: t.turn_number, input: t.user_input })));
  return taken?.number || 0;
}
