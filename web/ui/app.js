// The entry point: builds the parts, connects them, and starts the session. The parts
// do not import each other; they get a context, or report to the hub.

import './view/composer.js';
import './view/connection.js';
import './view/rail.js';
import { commands, conversationActs, delivery, editWaiting, stop } from './actions.js';
import { Arrivals } from './arrivals.js';
import { createContext } from './context.js';
import { $, h, setText, show } from './lib/dom.js';
import { cut, firstLine } from './lib/format.js';
import { Hub } from './lib/hub.js';
import { listen } from './lib/keys.js';
import { onPageKey } from './lib/pagekey.js';
import { setPref, setSeen } from './lib/prefs.js';
import { say, toast } from './lib/toast.js';
import { Router } from './navigate.js';
import { Fetcher } from './net/fetcher.js';
import { Stream } from './net/stream.js';
import { Outbox } from './outbox.js';
import { Sending } from './sending.js';
import { Session } from './session.js';
import { waitingThreads } from './state/lists.js';
import { whose } from './state/observed.js';
import { loginIn } from './state/route.js';
import { Store } from './state/store.js';
import { announce } from './view/announce.js';
import { ConversationView, isGone } from './view/conversation.js';
import { drawer } from './view/rail.js';

/** @import { Item } from './lib/types.d.ts' */
/** @import { State, Turn } from './state/types.d.ts' */
/** @import { Events } from './types.d.ts' */

const context = build(), router = new Router(context), session = new Session(context, router);
const arrivals = new Arrivals(context);
const { hub, store, view, rail, composer, outbox } = context;

function build() {
  /** @type {Hub<Events>} */
  const hub = new Hub();
  const store = new Store(), fetcher = new Fetcher(store, (e) => hub.emit('failed', e));
  const stream = new Stream({
    onFrame: (frame, id) => store.dispatch({ type: 'event', frame, eventId: id, now: Date.now() }),
    onLink: (link) => store.dispatch({ type: 'link', link }),
    onPosition: () => hub.emit('refetch'),
    onResync: () => hub.emit('refetch'),
    onDeleted: (id) => store.dispatch({ type: 'deleted', id }),
    onSignedOut: () => hub.emit('signedOut', ''),
  });
  const view = new ConversationView(store, conversationActs({ hub, store, fetcher }));
  const outbox = new Outbox({ hub, store }, delivery({ store, fetcher, view }));
  return createContext({ hub, store, fetcher, stream, view, rail: $('rail'), composer: $('composer'), outbox });
}

/** @param {State} s */
function draw(s) {
  rail.draw(s);
  $('link').update(s.link);
  const c = s.conversations[s.active.id], job = c?.kind === 'job', last = c?.turns.at(-1);
  const ended = job && ['completed', 'failed', 'cancelled'].includes(c.job?.state || '');
  const thread = s.threads?.find((t) => t.id === s.active.id), origin = thread?.origin, title = titleOf(s);
  const busy = (/** @type {Turn | undefined} */ t) => !!t && ['processing', 'queued'].includes(t.state);
  const running = job ? !ended : origin ? !!c?.turns.some(busy) : busy(last);
  setText($('title'), title);
  setText($('tab-turns'), job ? 'Job' : 'Conversation');
  show($('export'), !!c?.turns.length);
  const asks = waitingThreads(s).flatMap((t) => t.pending_requests).length;
  if (asks || last?.calls.some((call) => call.request)) router.answers();
  document.title = `${asks ? `(${asks}) ` : running ? '● ' : ''}${title} · Candor`;
  const hint = job ? 'A further prompt for the worker'
    : origin ? `Say something to ${cut(origin.participant, 40)} in ${cut(origin.space, 40)}`
    : running ? 'Queue a message' : 'Ask the agent';
  const hidden = ended || !!thread?.attached || (!!c && isGone(c));
  composer.update(s, { running, hidden, hint, to: cut(origin?.participant || '', 40) });
  router.drawTimeline();
  markSeen();
  arrivals.look(s);
}

/** @param {State} s */
function titleOf(s) {
  const { kind, id } = s.active, c = s.conversations[id], thread = s.threads?.find((t) => t.id === id);
  if (kind === 'new') return 'New conversation';
  if (thread?.origin) return cut(whose(thread), 80);
  return c?.job?.title || thread?.title || firstLine(c?.turns[0]?.input || '', 80) || 'Conversation';
}

let seenTimer = 0;

/** Marks what the reader looks at as seen, a moment after it changed. */
function markSeen() {
  seenTimer ||= window.setTimeout(() => {
    seenTimer = 0;
    const s = store.state, id = s.active.id;
    const row = s.threads?.find((t) => t.id === id) || s.jobs?.find((j) => j.job_id === id);
    if (!row || document.hidden || s.seen[id] === row.updated_at) return;
    store.dispatch({ type: 'seen', id, at: row.updated_at });
    setSeen(store.state.seen);
  }, 700);
}

/**
 * Closes what is open, from the inside out.
 * @param {KeyboardEvent} e
 */
function escape(e) {
  const target = e.target instanceof HTMLElement ? e.target : null;
  if (!$('results').hidden) return router.finding?.leave();
  if (!target?.matches('textarea, input')) return drawer(false);
  target.blur();
  (target.closest('candor-decision') || $('stream')).focus({ preventScroll: true });
}

/** @param {string} id @param {string} label @param {() => Item[] | Promise<Item[]>} items */
function menuButton(id, label, items) {
  const open = async () => {
    const [{ openMenu }, all] = await Promise.all([import('./lib/menu.js'), items()]);
    openMenu(button, all);
  };
  /** @type {HTMLElement} */
  const button = h('button', {
    type: 'button', id, class: 'quiet', 'aria-haspopup': 'menu', 'aria-expanded': 'false', click: open,
  }, label);
  return button;
}

function wireTabs() {
  for (const [name, other] of [['turns', 'timeline'], ['timeline', 'turns']]) {
    $(`tab-${name}`).addEventListener('click', () => router.openTab(name, 0, false));
    $(`tab-${name}`).addEventListener('keydown', (e) => {
      if (e.key !== 'ArrowLeft' && e.key !== 'ArrowRight') return;
      router.openTab(other, 0, false);
      $(`tab-${other}`).focus();
    });
  }
}

/**
 * What deletes, once somebody deletes something.
 * @type {Promise<import('./bin.js').Bin> | null}
 */
let bin = null;

/** Runs something with what deletes. @param {(b: import('./bin.js').Bin) => unknown} then */
async function withBin(then) {
  bin ||= import('./bin.js').then(({ Bin }) => new Bin(context, router));
  try {
    then(await bin);
  } catch {
    bin = null;
    toast('The server cannot be reached. Try again once it is back.');
  }
}

/** Signs out, once what was deleted is deleted: nobody could take it back any more. */
async function signOut() {
  await (await bin)?.settle();
  await session.signOut();
}

function wireMenus() {
  $('export').addEventListener('click', async () => {
    const c = context.active();
    if (c) (await commands()).exportDialog(c.kind, c.id);
  });
  const help = async () => (await commands()).help();
  $('rail-foot').append(
    menuButton('look', 'View', async () =>
      (await commands()).viewItems((name, value) => { setPref(name, value); store.draw(); })),
    h('button', { type: 'button', id: 'help', class: 'quiet', 'aria-keyshortcuts': '?', click: help }, 'Keys'),
    menuButton('account', 'Account', () =>
      [{ title: `Signed in as ${session.user}` }, { label: 'Sign out', run: signOut }]));
}

function wireParts() {
  hub.on('failed', (e) => session.failed(e));
  hub.on('signedOut', (why) => session.signedOut(why));
  hub.on('refetch', () => session.refetch());
  hub.on('ask', (text) => composer.fill(text));
  hub.on('compare', async (turn, other) => (await import('./compare.js')).begin(context, turn, other));
  hub.on('timeline', (turn) => router.openTab('timeline', turn));
  const sending = new Sending(context);
  composer.acts = {
    send: (text) => sending.send(text), stop: () => stop(context), cancel: (key) => outbox.take(key),
    edit: (key, written) => editWaiting(context, key, written, () => router.newThread()),
  };
  rail.menu = (kind, id, button) => withBin((b) => b.openMenu(kind, id, button));
  rail.watchOwn = () => view.acts.watchOwn();
  rail.takePart = async (space, how) => (await import('./joining.js')).takePart(context, space, how);
  store.onDraw(draw);
  store.onAction(announce(say));
  store.onAction((_, a) => {
    const frame = a.type === 'event' && a.frame.type.startsWith('approval_') && a.frame;
    if (!frame || window.Notification?.permission !== 'granted') return;
    import('./view/notify.js').then(({ notify }) => notify(frame), () => {}); // or the server is away
  });
}

function wirePage() {
  $('find').addEventListener('click', () => router.search());
  $('new').addEventListener('click', () => router.newThread());
  $('rail-open').addEventListener('click', () => drawer(true));
  $('rail-close').addEventListener('click', () => { drawer(false); $('rail-open').focus(); });
  $('app').addEventListener('click', (e) => { if (e.target === $('app')) drawer(false); }); // beside the open list
  matchMedia('(max-width: 900px)').addEventListener('change', () => drawer(false));
  $('dialog').addEventListener('close', () => $('dialog').classList.remove('wide'));
  addEventListener('hashchange', () => {
    if (loginIn(location.hash)) session.start();
    else if (session.ready) router.follow(null); // otherwise it is followed after the login
  });
  onPageKey(() => session.start());
  addEventListener('pagehide', () => session.leave());
  addEventListener('pageshow', (e) => { if (e.persisted) session.back(); });
  document.addEventListener('visibilitychange', () => store.draw());
  const tick = () => { view.tick(); router.drawTimeline(); $('link').update(store.state.link); };
  setInterval(() => document.hidden || tick(), 1000);
  setInterval(() => rail.tick(), 30_000);
}

/** Runs the functions that the map in lib/keys.js names. */
function wireKeys() {
  const here = () => router.here();
  listen({
    nextTurn: () => router.stepTurn(1), prevTurn: () => router.stepTurn(-1),
    nextCall: () => router.stepCall(1), prevCall: () => router.stepCall(-1),
    toggle: (e) => router.toggle(e), toggleAll: () => view.toggleAll(),
    copyWhy: async () => {
      const { turn, decision } = here();
      if (turn) (await commands()).copyWhy(turn, decision?.call || undefined);
    },
    copyLink: async () => {
      const { turn, decision } = here(), c = context.active();
      if (turn && c) (await commands()).copyLink(c, turn, decision?.call || undefined);
    },
    menu: () => {
      const { turn, decision } = here(), row = decision || (turn && view.element(turn.number));
      const dots = row?.querySelector('.dots');
      if (dots instanceof HTMLElement) dots.click();
    },
    good: () => router.zoom(1) || (here().decision?.feedback('good') ?? false),
    bad: () => router.zoom(-1) || (here().decision?.feedback('bad') ?? false),
    approve: () => router.reply('approve'), always: () => router.reply('always'), deny: () => router.reply('deny'),
    timeline: () => router.openTab('timeline'), conversation: () => router.openTab('turns'),
    latest: () => view.list.toEnd(), newThread: () => router.newThread(),
    delete: () => withBin((b) => b.deleteOpen()), undo: async () => (await bin)?.undo(),
    write: () => composer.focusField(),
    search: () => router.search(), help: async () => (await commands()).help(), escape,
  });
}

wireParts();
wirePage();
wireTabs();
wireMenus();
wireKeys();
session.start();
