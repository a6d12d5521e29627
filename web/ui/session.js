// Signing in and out, and reading everything anew.

import * as api from './net/api.js';
import { $, attribute, show } from './lib/dom.js';
import { applyPrefs, seen } from './lib/prefs.js';
import { toast } from './lib/toast.js';
import { loginIn } from './state/route.js';

/** @import { Context } from './types.d.ts' */
/** @import { Router } from './navigate.js' */

/** The delay before what failed is tried again, in ms. */
const retryDelay = 2500;

/** How long the state of the MCP servers counts while all are up, and while one is not, in ms. */
const calmDelay = 60_000, soonDelay = 5000;

/** What is said of a link as earlier versions printed it. */
const oldLink = 'Links with a token no longer work, because browsers keep links in their history. ' +
  'Run candor login for one that works once.';

export class Session {
  user = '';
  /** Whether somebody is signed in, so that what the address asks for can be fetched. */
  ready = false;
  #code = '';
  #serversDue = 0;
  #hasServers = false;

  /** @param {Context} context @param {Router} router */
  constructor(context, router) {
    this.context = context;
    this.router = router;
  }

  /** Signs in with the code in the address, if there is one, and shows the page. */
  async start() {
    applyPrefs();
    const link = loginIn(location.hash);
    let why = link?.isToken ? oldLink : '';
    if (link) {
      // It leaves the address bar before anything else happens.
      history.replaceState(null, '', location.pathname);
      this.#code = link.code;
    }
    try {
      if (this.#code) await api.login({ code: this.#code }).catch((e) => { why = this.#refused(e); });
      this.#code = '';
      const { user } = await api.whoami();
      if (this.user && user !== this.user) return location.reload(); // shows nothing of the previous user
      this.user = user;
      this.context.outbox.restore(user);
    } catch (e) {
      if (!api.isSignedOut(e)) return void setTimeout(() => this.start(), retryDelay);
      return this.signedOut(why);
    }
    await this.#begin();
  }

  /**
   * Returns why the server took no code. It throws where the server did not answer, so that
   * the code can be tried again.
   * @param {unknown} e
   */
  #refused(e) {
    if (e instanceof api.ApiError && e.status > 0) return e.message;
    throw e;
  }

  /** Reads the lists and what the address asks for, then follows the stream. */
  async #begin() {
    const { fetcher, store, stream } = this.context, known = seen(), first = Object.keys(known).length === 0;
    this.ready = true;
    $('app').inert = false;
    show($('signin'), false);
    attribute($('app'), 'data-state', 'ready');
    try {
      const { rows, active } = await fetcher.lists();
      for (const { id, updated_at } of rows) {
        // On the first visit, everything counts as seen.
        if (first || known[id]) store.dispatch({ type: 'seen', id, at: first ? updated_at : known[id] });
      }
      this.#showServers();
      stream.start(await this.router.follow(active));
    } catch (e) {
      this.failed(e);
      if (!api.isSignedOut(e)) setTimeout(() => this.#begin(), retryDelay);
    }
  }

  /** Shows which model answers, and how the MCP servers are, now and from time to time. */
  async #showServers() {
    clearTimeout(this.#serversDue);
    let delay = calmDelay;
    try {
      const { mcp_servers: all = [], unread_telemetry: lost = [], llm_backend: name, llm_model: model } =
        await api.status();
      const { store } = this.context, old = store.state.backend;
      if (name !== old?.name || model !== old.model) store.dispatch({ type: 'backend', backend: { name, model } });
      if (all.length || lost.length || this.#hasServers) (await import('./view/servers.js')).drawServers(all, lost);
      if (all.length === 0) return; // the server has none until it starts again
      this.#hasServers = true;
      if (all.some(({ state }) => state !== 'up')) delay = soonDelay;
    } catch (e) {
      if (api.isSignedOut(e)) return;
    }
    this.#serversDue = setTimeout(() => this.#showServers(), delay);
  }

  /** Closes the stream of a page that is left: a browser that keeps the page would keep a connection to the server. */
  leave() { this.context.stream.stop(); }

  /** Goes on where the page was left, if the same user is signed in. */
  async back() {
    if (!this.ready) return this.start();
    try {
      const { user } = await api.whoami();
      if (user !== this.user) return location.reload();
      this.context.stream.resume();
      this.#showServers();
    } catch (e) {
      if (api.isSignedOut(e)) return this.signedOut('');
      setTimeout(() => this.back(), retryDelay);
    }
  }

  /**
   * Shows the form for a token.
   * @param {string} why what to explain first, if anything
   */
  async signedOut(why) {
    this.context.stream.stop();
    this.ready = false;
    attribute($('app'), 'data-state', 'signed-out');
    $('app').inert = true;
    await import('./view/signin.js');
    if (this.ready) return; // another tab was faster
    $('signin').done = () => this.start();
    $('signin').open(why);
  }

  async signOut() {
    try {
      await api.logout();
      this.context.outbox.forget();
      history.replaceState(null, '', location.pathname);
      location.reload();
    } catch (e) { this.failed(e); }
  }

  /**
   * Shows an error, or the sign-in form if that is what it means.
   * @param {unknown} e
   */
  failed(e) {
    if (api.isSignedOut(e)) this.signedOut('');
    else toast(e instanceof Error ? e.message : String(e));
  }

  /** Replaces everything that is shown, after the stream lost its position. */
  async refetch() {
    const { fetcher, store } = this.context, { kind, id } = store.state.active;
    await fetcher.lists().catch((e) => this.failed(e));
    this.#showServers();
    if (kind === 'thread') await fetcher.thread(id);
    if (kind === 'job') await fetcher.job(id);
  }
}
