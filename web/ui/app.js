// The page begins here: who is there, what follows what. The parts know nothing of
// each other; context.js has them, navigate.js moves among them.

import * as api from './net/api.js';
import { announce } from './view/announce.js';
import { $, attribute, h, setText, show } from './lib/dom.js';
import { firstLine } from './lib/format.js';
import { compare, drawTimeline, follow, here, newThread, openTab, stepCall, stepTurn, toggle } from './navigate.js';
import { listen } from './lib/keys.js';
import { active, commands, composer, failed, fetcher, page, pill, rail, signedOut, store, stream, view } from './context.js';
import { applyPrefs, seen, setPref, setSeen } from './lib/prefs.js';
import { drawer } from './view/rail.js';
import { formatRoute, tokenIn } from './state/route.js';
import { say } from './lib/toast.js';

/** @import { State } from './state/types.d.ts' */
/** @typedef {import('./view/search.js').SearchResults} SearchResults */

let user = '';

/** How often what could not be reached is tried again, in ms. */
const again = 2500;

async function start() {
  applyPrefs();
  const token = tokenIn(location.hash);
  if (token) {
    // Out of the address bar and the history before anything else happens.
    history.replaceState(null, '', location.pathname);
    await api.login(token).catch(() => {});
  }
  try {
    const now = (await api.whoami()).user;
    if (user && now !== user) return location.reload(); // nothing of the one before is to be seen
    user = now;
  } catch (e) {
    if (e instanceof api.ApiError && e.status !== 401) return void setTimeout(start, again);
    return void signedOut(token ? 'The token in the address lets nobody in. It may be of an earlier start of the server.' : '');
  }
  await begin();
}

/** Reads the lists and what the address asks for, and listens from there on. */
async function begin() {
  $('app').inert = false;
  attribute($('app'), 'data-state', 'ready');
  const known = seen(), first = Object.keys(known).length === 0;
  try {
    const lists = await fetcher.lists();
    // What is there on the first visit counts as seen.
    for (const t of lists.threads) if (first || known[t.id]) store.dispatch({ type: 'seen', id: t.id, at: first ? t.updated_at : known[t.id] });
    stream.start(await follow(lists.active_thread));
  } catch (e) {
    failed(e);
    if (!(e instanceof api.ApiError) || e.status !== 401) setTimeout(begin, again);
  }
}

/** @param {State} s */
function draw(s) {
  rail.draw(s);
  pill.update(s.link);
  const c = s.conversations[s.active.id], t = s.threads?.find((o) => o.id === s.active.id), last = c?.turns[c.turns.length - 1];
  const ended = c?.kind === 'job' && ['completed', 'failed', 'cancelled'].includes(c.job?.state || '');
  const busy = c?.kind === 'job' ? !ended : !!last && ['processing', 'queued'].includes(last.state);
  const title = s.active.kind === 'new' ? 'New conversation' : c?.job?.title || t?.title || firstLine(c?.turns[0]?.input || '', 80) || 'Conversation';
  setText($('title'), title);
  document.title = `${busy ? '● ' : ''}${title} · Candor`;
  const hint = c?.kind === 'job' ? 'A further prompt for the worker' : busy ? 'Ask more; it waits in order' : 'Ask the agent';
  composer.update({ running: busy, hidden: c?.status === 'gone' || ended, hint });
  drawTimeline();
  markSeen();
}

let looking = 0;

/** What one looks at is seen, and noted as such once a moment. */
function markSeen() {
  looking ||= window.setTimeout(() => {
    looking = 0;
    const s = store.state, id = s.active.id, row = s.threads?.find((t) => t.id === id) || s.jobs?.find((j) => j.job_id === id);
    if (!row || document.hidden || s.seen[id] === row.updated_at) return;
    store.dispatch({ type: 'seen', id, at: row.updated_at });
    setSeen(store.state.seen);
  }, 700);
}

/** Leaves nothing of what was read behind. */
async function signOut() {
  try {
    await api.logout();
    history.replaceState(null, '', location.pathname);
    location.reload();
  } catch (e) { failed(e); }
}

/** @param {string} text @returns {Promise<boolean>} whether the server has it */
async function send(text) {
  try {
    const { kind, id } = store.state.active;
    if (kind === 'job') return !!await api.promptJob(id, text);
    const thread = kind === 'thread' ? id : (await api.newThread()).id;
    // It is there, and empty, before the first event of it comes.
    if (kind !== 'thread') store.dispatch({ type: 'history', id: thread, history: { turns: [], has_more: false, event_id: '' } });
    const got = await api.send(thread, text);
    if (kind !== 'thread') {
      store.dispatch({ type: 'select', active: { kind: 'thread', id: thread } });
      history.replaceState(null, '', formatRoute({ thread }));
    }
    store.dispatch({ type: 'sent', id: thread, number: got.turn_number, content: text, messageId: got.message_id, state: got.state, now: store.now() });
    view.list.toEnd();
    return true;
  } catch (e) {
    if (e instanceof api.ApiError && e.status === 401) signedOut();
    else composer.complain(e instanceof Error ? e.message : String(e));
    return false;
  }
}

function stop() {
  const { kind, id } = store.state.active;
  (kind === 'job' ? api.cancelJob(id) : api.interrupt(id)).catch(failed);
}

/** Closes what is open, from the inside out. @param {KeyboardEvent} e */
function escape(e) {
  const typing = e.target instanceof HTMLElement && e.target.matches('textarea, input'), results = /** @type {SearchResults} */ ($('results'));
  if (!results.hidden) results.close();
  else if (!typing) return drawer(false);
  if (e.target instanceof HTMLElement) e.target.blur();
  $('stream').focus({ preventScroll: true });
}

/** The search, from the first time that somebody goes there. */
async function search() {
  if (matchMedia('(max-width: 760px)').matches) drawer(true);
  $('search').focus();
}

/** @param {string} id @param {string} label @param {() => import('./lib/menu.js').Item[] | Promise<import('./lib/menu.js').Item[]>} items */
function menu(id, label, items) {
  const open = async (/** @type {Event} */ e) => {
    const [{ openMenu }, all] = await Promise.all([import('./lib/menu.js'), items()]);
    openMenu(/** @type {HTMLElement} */ (e.target), all);
  };
  return h('button', { type: 'button', id, class: 'quiet', 'aria-haspopup': 'menu', 'aria-expanded': 'false', click: open }, label);
}

function wireSearch() {
  const field = /** @type {HTMLInputElement} */ ($('search'));
  field.addEventListener('focus', async () => {
    await import('./view/search.js');
    const results = /** @type {SearchResults} */ ($('results'));
    results.onShown = (shown) => show($('lists'), !shown);
    results.attach(field);
  }, { once: true });
}

function wireTabs() {
  for (const [name, other] of [['turns', 'timeline'], ['timeline', 'turns']]) {
    $(`tab-${name}`).addEventListener('click', () => openTab(name, 0, false));
    $(`tab-${name}`).addEventListener('keydown', (e) => {
      if (e.key !== 'ArrowLeft' && e.key !== 'ArrowRight') return;
      openTab(other, 0, false);
      $(`tab-${other}`).focus();
    });
  }
}

function wireMenus() {
  $('bar-menus').append(menu('export', 'Export', async () =>
    active()?.kind === 'thread' ? (await commands()).exportItems(store.state.active.id) : [{ title: 'Only conversations can be exported' }]));
  $('rail-foot').append(
    menu('look', 'View', async () => (await commands()).lookItems((key, value) => { setPref(key, value); store.draw(); })),
    h('button', { type: 'button', id: 'help', class: 'quiet', 'aria-keyshortcuts': '?', click: async () => (await commands()).help() }, 'Keys'),
    menu('account', 'Account', () => [{ title: `Signed in as ${user}` }, { label: 'Sign out', run: signOut }]));
}

function wire() {
  Object.assign(page, { begin: start, ask: (/** @type {string} */ text) => composer.fill(text), compare, timeline: (/** @type {number} */ n) => openTab('timeline', n) });
  composer.page = { send, stop };
  $('new').addEventListener('click', newThread);
  $('rail-open').addEventListener('click', () => drawer(true));
  $('rail-close').addEventListener('click', () => { drawer(false); $('rail-open').focus(); });
  $('dialog').addEventListener('close', () => $('dialog').classList.remove('wide'));
  addEventListener('hashchange', () => { if (tokenIn(location.hash)) start(); else follow(null); });
  document.addEventListener('visibilitychange', () => store.draw());
  setInterval(() => { if (!document.hidden) { view.tick(); drawTimeline(); } }, 1000);
  setInterval(() => rail.tick(), 30_000);
  store.onDraw(draw);
  store.onAction(announce(say));
}

wire();
wireTabs();
wireMenus();
wireSearch();
listen({
  nextTurn: () => stepTurn(1), prevTurn: () => stepTurn(-1), nextCall: () => stepCall(1), prevCall: () => stepCall(-1),
  toggle, toggleHere: toggle, toggleAll: () => view.toggleAll(), escape, search, newThread,
  copyWhy: async () => { const { t, d } = here(); if (t) (await commands()).copyWhy(t, d?.call || undefined); },
  copyLink: async () => { const { t, d } = here(), c = active(); if (t && c) (await commands()).copyLink(c, t, d?.call || undefined); },
  menu: () => { const { t, d } = here(); /** @type {HTMLElement | null | undefined} */ ((d || (t && view.view(t.number)))?.querySelector('.dots'))?.click(); },
  timeline: () => openTab('timeline'), conversation: () => openTab('turns'), latest: () => view.list.toEnd(),
  write: () => composer.focusField(), help: async () => (await commands()).help(),
});
start();
