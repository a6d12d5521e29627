// The page begins here: who is there, what the address asks for, and what follows
// what. The parts know nothing of each other; they are put together here.
//
// Hooks for tests. They stay as they are:
//   #rail #search #results #lists #threads #jobs   the left side; rows are li.live, li.unread with a[aria-current=page]
//   #main #title #tab-turns #tab-timeline #link    the bar; candor-link[data-state=connecting|live|lost|resumed|reset]
//   #stream #timeline #latest #message #send #stop the middle
//   candor-turn[data-turn][data-state]             .user, .headline[aria-expanded], .narrative, .answer
//   candor-decision[data-call][data-outcome]       .tool, .why, .source[data-source], .chip, .outcome, .took, .more[aria-expanded], .details
//   [data-action=approve|always|deny]              the answers to an approval
//   candor-agent[data-agent]                       a sub-agent below its call
//   candor-timeline li[data-call]                  a row of the waterfall
//   candor-diff [data-kind=same|changed|added|removed]  a pair of calls
//   .facet[data-facet][data-value][aria-pressed]   a choice of the search
//   #menu [role^=menuitem], #dialog, #status, #signin #token

import './composer.js';
import './link.js';
import './rail.js';
import './search.js';
import './signin.js';
import './timeline.js';
import * as api from './api.js';
import * as commands from './commands.js';
import { ConversationView } from './conversation.js';
import { diffView } from './diffview.js';
import { $, attribute, h, setText, show } from './dom.js';
import { Fetcher } from './fetcher.js';
import { firstLine } from './format.js';
import { listen } from './keys.js';
import { closeMenu, openMenu } from './menu.js';
import { applyPrefs, seen, setPref, setSeen } from './prefs.js';
import { drawer, lookItems } from './rail.js';
import { formatRoute, parseRoute, tokenIn } from './route.js';
import { openDialog, say, toast } from './say.js';
import { Store } from './store.js';
import { Stream } from './stream.js';
import { announce } from './announce.js';

/** @import { Turn, State, Conversation } from './types.d.ts' */
/** @typedef {import('./decision.js').Decision} Decision */

const store = new Store();
const fetcher = new Fetcher(store, (e) => failed(e));
const rail = /** @type {import('./rail.js').Rail} */ ($('rail'));
const results = /** @type {import('./search.js').SearchResults} */ ($('results'));
const composer = /** @type {import('./composer.js').Composer} */ ($('composer'));
const timeline = /** @type {import('./timeline.js').Timeline} */ ($('timeline'));
const pill = /** @type {import('./link.js').LinkPill} */ ($('link'));
const signin = /** @type {import('./signin.js').SignIn} */ ($('signin'));
const stream = new Stream({
  onFrame: (frame, id) => store.dispatch({ type: 'event', frame, eventId: id, now: Date.now() }),
  onLink: (link) => store.dispatch({ type: 'link', link }),
  onResync: () => refetch(),
  onRefused: async () => {
    try { await api.whoami(); return false; } catch (e) { return e instanceof api.ApiError && e.status === 401 ? (signedOut(), true) : false; }
  },
});
const view = new ConversationView(store, {
  older: (id) => fetcher.older(id), ask: (text) => composer.fill(text), retry: () => refetch(),
  turnMenu: (t, b) => withActive((c) => commands.turnMenu(c, t, b, { compare: (n) => compare(n, t.number), timeline: (n) => openTab('timeline', n) })),
  acts: (t) => acts(t),
});
let tab = 'turns', user = '', running = false;

/** @returns {Conversation | undefined} */
const active = () => store.state.conversations[store.state.active.id];
/** @param {(c: Conversation) => void} f */
function withActive(f) { const c = active(); if (c) f(c); }

/** What a decision may ask for. @param {Turn} t @returns {import('./decision.js').Acts} */
function acts(t) {
  const id = store.state.active.id;
  return {
    answer: async (call, action) => {
      try { if (call.request) await api.approve(call.request.id, action); } catch (e) { failed(e); }
    },
    whole: (call) => fetcher.turn(id, t.number, call.id),
    needParams: () => { if (active()?.kind === 'thread') fetcher.turn(id, t.number); },
    menu: (call, b) => withActive((c) => commands.decisionMenu(c, current(t.number) || t, call, b)),
    href: (call) => formatRoute({ thread: id, turn: t.number, call: call.id }),
  };
}

/** @param {number} number */
function current(number) { return active()?.turns.find((t) => t.number === number); }

/** Shows what went wrong where the reader is. @param {unknown} e */
function failed(e) {
  if (e instanceof api.ApiError && e.status === 401) return signedOut();
  toast(e instanceof Error ? e.message : String(e));
}

async function start() {
  applyPrefs();
  const token = tokenIn(location.hash);
  if (token) {
    // Out of the address bar and the history before anything else happens.
    history.replaceState(null, '', location.pathname);
    await api.login(token).catch(() => {});
  }
  try {
    user = (await api.whoami()).user;
  } catch (e) {
    if (e instanceof api.ApiError && e.status !== 401) return void setTimeout(start, 2000);
    return signedOut(token ? 'The token in the address lets nobody in. It may be of an earlier start of the server.' : '');
  }
  await begin();
}

/** @param {string} [why] */
function signedOut(why = '') {
  stream.stop();
  running = false;
  attribute($('app'), 'data-state', 'signed-out');
  $('app').inert = true;
  signin.open(why);
}

/** Reads the lists and what the address asks for, and listens from there on. */
async function begin() {
  $('app').inert = false;
  attribute($('app'), 'data-state', 'ready');
  const known = seen();
  try {
    const lists = await fetcher.lists();
    const first = Object.keys(known).length === 0;
    for (const t of lists.threads) if (first || known[t.id]) store.dispatch({ type: 'seen', id: t.id, at: first ? t.updated_at : known[t.id] });
    const place = await follow(lists.active_thread);
    running = true;
    stream.start(place);
  } catch (e) {
    failed(e);
    setTimeout(() => { if (!running) begin(); }, 3000);
  }
}

/** After the stream lost its place: everything again, in place of what was shown. */
async function refetch() {
  const { kind, id } = store.state.active;
  await fetcher.lists().catch(failed);
  if (kind === 'thread') await fetcher.thread(id);
  if (kind === 'job') await fetcher.job(id);
}

/** Goes where the address says. @param {string | null} [fallback] the thread where it says nothing @returns {Promise<string>} the stream's place */
async function follow(fallback) {
  const r = parseRoute(location.hash);
  let place = '';
  if (r.job) await open('job', r.job);
  else if (r.thread || (fallback && !r.isNew)) place = await open('thread', r.thread || fallback || '');
  else store.dispatch({ type: 'select', active: { kind: 'new', id: '' } });
  if (r.turn || r.call) await arrive(r.turn || 1, r.call);
  if (r.diff) await compare(r.diff, r.turn);
  openTab(r.view === 'timeline' ? 'timeline' : 'turns', r.turn, false);
  return place;
}

/** @param {'thread' | 'job'} kind @param {string} id */
async function open(kind, id) {
  drawer(false);
  if (store.state.active.id === id && active()?.status === 'ready') return '';
  store.dispatch({ type: 'select', active: { kind, id } });
  return kind === 'job' ? (await fetcher.job(id), '') : fetcher.thread(id);
}

/** @param {number} number @param {string} call */
async function arrive(number, call) {
  const id = store.state.active.id;
  await fetcher.until(id, number);
  const c = active(), turn = c?.turns.find((t) => call && c.kind === 'job' ? t.calls.some((x) => x.id === call) : t.number === number);
  await new Promise(requestAnimationFrame);
  await new Promise(requestAnimationFrame);
  if (!turn || !view.goTo(turn.number, call)) toast('There is no such turn here.');
}

/** @param {number} a @param {number} b */
async function compare(a, b) {
  const id = store.state.active.id, [left, right] = a < b ? [a, b] : [b, a];
  await fetcher.until(id, left);
  const one = current(left), other = current(right);
  if (!one || !other) return toast('One of the two turns is not here.');
  openDialog(`Turn ${left} and turn ${right}`, diffView(one, other, store.now())).classList.add('wide');
}

/** @param {string} which @param {number} [turn] @param {boolean} [focus] */
function openTab(which, turn, focus = true) {
  tab = which;
  if (turn) view.current = turn;
  for (const [name, id] of [['turns', 'stream'], ['timeline', 'timeline']]) {
    attribute($(`tab-${name}`), 'aria-selected', String(name === which));
    attribute($(`tab-${name}`), 'tabindex', name === which ? '0' : '-1');
    show($(id), name === which);
  }
  drawTimeline();
  view.redraw();
  if (focus) $(which === 'timeline' ? 'timeline' : 'stream').focus({ preventScroll: true });
}

function drawTimeline() {
  if (tab !== 'timeline') return;
  const turns = active()?.turns || [];
  timeline.update(current(view.current) || turns[turns.length - 1] || null, store.now(), {
    go: (n, call) => { openTab('turns', n, false); requestAnimationFrame(() => view.goTo(n, call)); },
    step: (by) => { const at = turns.findIndex((t) => t.number === (view.current || turns.length)); view.current = turns[Math.min(turns.length - 1, Math.max(0, (at < 0 ? turns.length - 1 : at) + by))]?.number || 0; drawTimeline(); },
  });
}

/** @param {State} s */
function draw(s) {
  rail.draw(s);
  pill.update(s.link);
  const c = s.conversations[s.active.id], t = s.threads?.find((o) => o.id === s.active.id);
  const last = c?.turns[c.turns.length - 1], busy = !!c && c.kind === 'thread' && !!last && ['processing', 'queued'].includes(last.state);
  const title = s.active.kind === 'new' ? 'New conversation' : c?.job?.title || t?.title || firstLine(c?.turns[0]?.input || '', 80) || 'Conversation';
  setText($('title'), title);
  document.title = `${busy ? '● ' : ''}${title} · Candor`;
  const ended = c?.kind === 'job' && ['completed', 'failed', 'cancelled'].includes(c.job?.state || '');
  composer.update({ running: busy, hidden: c?.status === 'gone' || !!ended, hint: c?.kind === 'job' ? 'A further prompt for the worker' : busy ? 'Ask more; it waits in order' : 'Ask the agent' });
  drawTimeline();
  markSeen(s);
}

/** @param {State} s */
function markSeen(s) {
  const row = s.threads?.find((t) => t.id === s.active.id) || s.jobs?.find((j) => j.job_id === s.active.id);
  if (!row || document.hidden || s.seen[s.active.id] === row.updated_at) return;
  store.dispatch({ type: 'seen', id: s.active.id, at: row.updated_at });
  setSeen(store.state.seen);
}

/** @param {string} text */
async function send(text) {
  try {
    const { kind, id } = store.state.active;
    if (kind === 'job') { await api.promptJob(id, text); return true; }
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

/** The turn and decision that the keyboard is at. @returns {{ t: Turn | undefined, d: Decision | null }} */
function here() {
  const el = document.activeElement, d = /** @type {Decision | null} */ (el?.closest('candor-decision') || null);
  const number = Number(el?.closest('candor-turn')?.getAttribute('data-turn')) || view.current;
  return { t: current(number) || view.turns[view.turns.length - 1], d };
}

/** @param {number} by */
function stepTurn(by) {
  const turns = view.turns, at = turns.findIndex((t) => t.number === view.current);
  const next = at < 0 ? (by > 0 ? turns.length - 1 : turns.length - 1) : at + by;
  if (next >= 0 && next < turns.length) { openTab('turns', 0, false); view.goTo(turns[next].number); } else if (next < 0) withActive((c) => fetcher.older(c.id));
}

/** @param {number} by */
function stepCall(by) {
  const { t, d } = here();
  if (!t) return;
  view.current = t.number;
  if (!view.isOpen(t)) view.setOpen(t.number, true);
  const all = view.view(t.number)?.decisions || [], at = d ? all.indexOf(d) : by > 0 ? -1 : all.length;
  const next = all[at + by];
  if (!next) return;
  next.focus({ preventScroll: true });
  next.scrollIntoView({ block: 'nearest' });
}

/** @param {KeyboardEvent} [e] */
function toggle(e) {
  if (e?.key === 'Enter' && !(e.target instanceof HTMLElement && e.target.matches('candor-turn, candor-decision'))) return false;
  const { t, d } = here();
  if (d && d === document.activeElement) d.toggle();
  else if (t) view.setOpen(t.number, !view.isOpen(t));
}

/** @param {KeyboardEvent} e */
function escape(e) {
  if (closeMenu(true)) return;
  if (!results.hidden || e.target === $('search')) { results.close(); $('search').blur(); $('stream').focus({ preventScroll: true }); return; }
  drawer(false);
  if (e.target instanceof HTMLElement && e.target.matches('textarea, input')) $('stream').focus({ preventScroll: true });
}

function wire() {
  composer.page = { send, stop: () => api.interrupt(store.state.active.id).catch(failed) };
  signin.done = () => start();
  results.attach($('search'));
  results.onShown = (shown) => show($('lists'), !shown);
  $('new').addEventListener('click', () => newThread());
  $('rail-open').addEventListener('click', () => drawer(true));
  $('rail-close').addEventListener('click', () => { drawer(false); $('rail-open').focus(); });
  for (const name of ['turns', 'timeline']) {
    $(`tab-${name}`).addEventListener('click', () => openTab(name, 0, false));
    $(`tab-${name}`).addEventListener('keydown', (e) => { if (/^Arrow(Left|Right)$/.test(e.key)) { const other = name === 'turns' ? 'timeline' : 'turns'; openTab(other, 0, false); $(`tab-${other}`).focus(); } });
  }
  const menu = (/** @type {string} */ id, /** @type {string} */ label, /** @type {() => import('./menu.js').Item[]} */ items) =>
    h('button', { type: 'button', id, class: 'quiet', 'aria-haspopup': 'menu', click: (/** @type {Event} */ e) => openMenu(/** @type {HTMLElement} */(e.currentTarget), items()) }, label);
  $('bar-menus').append(menu('export', 'Export', () => active()?.kind === 'thread' ? commands.exportItems(store.state.active.id) : [{ title: 'Only conversations can be exported' }]));
  $('rail-foot').append(
    menu('look', 'View', () => lookItems((key, value) => { setPref(key, value); store.draw(); })),
    h('button', { type: 'button', id: 'help', class: 'quiet', 'aria-keyshortcuts': '?', click: () => commands.help() }, 'Keys'),
    menu('account', 'Account', () => [{ title: `Signed in as ${user}` }, { label: 'Sign out', run: () => { api.logout().then(() => signedOut(), failed); } }]));
  $('dialog').addEventListener('close', () => $('dialog').classList.remove('wide'));
  addEventListener('hashchange', () => { if (tokenIn(location.hash)) start(); else follow(null); });
  document.addEventListener('visibilitychange', () => store.draw());
  setInterval(() => { if (!document.hidden) { view.tick(); drawTimeline(); } }, 1000);
  setInterval(() => rail.tick(), 30_000);
  store.onDraw(draw);
  store.onAction(announce(say));
  store.onAction((s, a) => { if (a.type === 'event' && view.list.pinned) { const c = active(); if (c && c.turns.length > 800) store.dispatch({ type: 'trim', id: c.id }); } });
}

function newThread() {
  history.pushState(null, '', '#new');
  store.dispatch({ type: 'select', active: { kind: 'new', id: '' } });
  openTab('turns', 0, false);
  drawer(false);
  composer.focusField();
}

wire();
listen({
  nextTurn: () => stepTurn(1), prevTurn: () => stepTurn(-1), nextCall: () => stepCall(1), prevCall: () => stepCall(-1),
  toggle, toggleHere: toggle, toggleAll: () => view.toggleAll(), escape,
  copyWhy: () => { const { t, d } = here(); if (t) commands.copyWhy(t, d?.call || undefined); },
  copyLink: () => { const { t, d } = here(), c = active(); if (t && c) commands.copyLink(c, t, d?.call || undefined); },
  menu: () => { const { t, d } = here(); /** @type {HTMLElement | null | undefined} */ ((d || (t && view.view(t.number)))?.querySelector('.dots'))?.click(); },
  search: () => { if (matchMedia('(max-width: 760px)').matches) drawer(true); $('search').focus(); },
  timeline: () => openTab('timeline'), conversation: () => openTab('turns'), latest: () => view.list.toEnd(),
  newThread, write: () => composer.focusField(), help: () => commands.help(),
});
start();
