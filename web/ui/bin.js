// What a person deletes. It is shown no more at once, and for ten seconds it can be taken back;
// then, or when the page is left before, the server deletes it for good. Loaded with the first deletion.

import * as api from './net/api.js';
import { $ } from './lib/dom.js';
import { cut } from './lib/format.js';
import { openMenu } from './lib/menu.js';
import { say, toast } from './lib/toast.js';
import { formatRoute } from './state/route.js';

/** @import { Kind, State } from './state/types.d.ts' */
/** @import { Context, Deleted } from './types.d.ts' */
/** @import { Router } from './navigate.js' */
/** @import { UndoList } from './view/undo.js' */

/** How long a deletion can be taken back, in ms. */
const undoTime = 10_000;

/** How many deletions can be taken back at a time; the oldest goes when there are more. */
const maxPending = 5;

export class Bin {
  /** @type {Map<string, Deleted>} */
  #pending = new Map();
  /** @type {UndoList | undefined} */
  #list;

  /** @param {Context} context @param {Router} router */
  constructor(context, router) {
    this.context = context;
    this.router = router;
    addEventListener('pagehide', () => void this.settle(true));
  }

  /**
   * Opens the menu of a row of the rail.
   * @param {Kind} kind @param {string} id @param {HTMLElement} button
   */
  openMenu(kind, id, button) {
    const label = kind === 'job' ? 'Delete the job' : 'Delete the conversation';
    openMenu(button, [{ label, run: () => this.delete(kind, id) }]);
  }

  /** Deletes the conversation or the job that is open. */
  deleteOpen() {
    const { kind, id } = this.context.store.state.active;
    if (kind === 'thread' || kind === 'job') this.delete(kind, id);
  }

  /** @param {Kind} kind @param {string} id */
  delete(kind, id) {
    const { store } = this.context, s = store.state, why = hindrance(s, kind, id), open = s.active.id === id;
    if (why) return toast(why);
    if (s.hidden[id]) return;
    const [oldest] = this.#pending.keys(), name = nameOf(s, id);
    if (this.#pending.size >= maxPending) this.#commit(oldest);
    this.#pending.set(id, { kind, name, open, timer: window.setTimeout(() => this.#commit(id), undoTime) });
    store.dispatch({ type: 'hide', id, hidden: true });
    if (open) this.router.newThread();
    void this.#offer(id, `Deleted “${name}”`);
    say(`“${name}” is deleted in ten seconds. Press U to take it back.`);
  }

  /**
   * Lists what can be taken back. The list is loaded with the first of it.
   * @param {string} id @param {string} words
   */
  async #offer(id, words) {
    const { UndoList } = await import('./view/undo.js');
    this.#list ||= $('main').appendChild(new UndoList());
    if (this.#pending.has(id)) this.#list.add(id, words, () => this.undo(id));
  }

  /**
   * Takes back a deletion, or the latest one.
   * @param {string} [id]
   */
  async undo(id = [...this.#pending.keys()].at(-1)) {
    const one = id && this.#take(id);
    if (!one) return;
    this.context.store.dispatch({ type: 'hide', id, hidden: false });
    const href = formatRoute({ [one.kind]: id });
    if (one.open) location.hash = href;
    await new Promise(requestAnimationFrame); // the row is there again
    const row = document.querySelector(`#lists a[href="${href}"]`);
    if (row instanceof HTMLElement && row.checkVisibility({ visibilityProperty: true })) row.focus();
  }

  /**
   * Deletes at once what could still be taken back.
   * @param {boolean} [leaving] the page is being left, which the requests have to outlive
   */
  async settle(leaving = false) {
    await Promise.all([...this.#pending.keys()].map((id) => this.#commit(id, leaving)));
  }

  /** @param {string} id */
  #take(id) {
    const one = this.#pending.get(id);
    if (!one) return;
    clearTimeout(one.timer);
    this.#pending.delete(id);
    this.#list?.drop(id);
    return one;
  }

  /** @param {string} id @param {boolean} [leaving] */
  async #commit(id, leaving) {
    const one = this.#take(id), { store, hub } = this.context;
    if (!one) return;
    try {
      await api.remove(one.kind, id, leaving);
      store.dispatch({ type: 'deleted', id });
    } catch (e) {
      if (e instanceof api.ApiError && e.status === 404) return store.dispatch({ type: 'deleted', id });
      store.dispatch({ type: 'hide', id, hidden: false });
      if (api.isSignedOut(e)) return hub.emit('signedOut', '');
      toast(`“${one.name}” was not deleted. ${e instanceof Error ? e.message : e}`);
    }
  }
}

/**
 * Returns why something cannot be deleted now, or ''.
 * @param {State} s @param {Kind} kind @param {string} id
 */
function hindrance(s, kind, id) {
  if (kind === 'job') {
    const job = s.jobs?.find((j) => j.job_id === id);
    return job && !job.ended_at ? 'This job has not ended. Stop it, then delete it.' : '';
  }
  const thread = s.threads?.find((t) => t.id === id);
  // Nobody may ever tell that the last turn of another program's agent is over.
  if (thread?.state !== 'processing' || thread.attached) return '';
  return 'A turn is running. Stop it or wait for its end, then delete the conversation.';
}

/** @param {State} s @param {string} id */
function nameOf(s, id) {
  const thread = s.threads?.find((t) => t.id === id), job = s.jobs?.find((j) => j.job_id === id);
  return cut(thread?.origin?.participant || thread?.title || job?.title || 'Untitled', 40);
}
