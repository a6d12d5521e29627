// Where one is: what the address asks for, the tabs, and the moves of the keyboard.

import { $, attribute, show } from './lib/dom.js';
import { drawer } from './view/rail.js';
import { formatRoute, parseRoute } from './state/route.js';
import { closeDialog, openDialog, toast } from './lib/toast.js';
import { active, composer, diffing, fetcher, store, turnOf, view } from './context.js';

/** @import { Turn } from './state/types.d.ts' */
/** @typedef {import('./view/decision.js').Decision} Decision */

let tab = 'turns';
/** @type {import('./view/timeline.js').Timeline | null} */
let timeline = null;

/** Goes where the address says. @param {string | null} [fallback] the thread where it says nothing @returns {Promise<string>} the stream's place */
export async function follow(fallback) {
  const r = parseRoute(location.hash);
  let place = '';
  closeDialog();
  if (r.job) await open('job', r.job);
  else if (r.thread || (fallback && !r.isNew)) place = await open('thread', r.thread || fallback || '');
  else store.dispatch({ type: 'select', active: { kind: 'new', id: '' } });
  openTab(r.view === 'timeline' ? 'timeline' : 'turns', r.turn, false);
  if (r.turn || r.call) await arrive(r.turn || 1, r.call);
  if (r.diff) await compare(r.diff, r.turn);
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
  await fetcher.until(store.state.active.id, number);
  const c = active();
  const turn = c?.turns.find((t) => call && c.kind === 'job' ? t.calls.some((x) => x.id === call) : t.number === number);
  if (c?.status !== 'ready') return;
  // Two frames: one that draws the list, one that has it laid out.
  for (let n = 0; n < 2; n++) await new Promise(requestAnimationFrame);
  if (!turn) return toast('There is no such turn here.');
  if (tab === 'turns') view.goTo(turn.number, call);
}

/** @param {number} a @param {number} b */
export async function compare(a, b) {
  const [left, right] = a < b ? [a, b] : [b, a];
  await fetcher.until(store.state.active.id, left);
  const one = turnOf(left), other = turnOf(right);
  if (!one || !other) return toast('One of the two turns is not here.');
  const { diffView } = await diffing();
  openDialog(`Turn ${left} and turn ${right}`, diffView(one, other, store.now())).classList.add('wide');
}

/** @param {string} which @param {number} [turn] @param {boolean} [focus] */
export async function openTab(which, turn, focus = true) {
  if (tab === 'turns' && which !== tab) view.list.leave();
  tab = which;
  if (turn) view.current = turn;
  for (const [name, id] of [['turns', 'stream'], ['timeline', 'timeline']]) {
    attribute($(`tab-${name}`), 'aria-selected', String(name === which));
    attribute($(`tab-${name}`), 'tabindex', name === which ? '0' : '-1');
    show($(id), name === which);
  }
  if (which === 'timeline' && !timeline) {
    await import('./view/timeline.js');
    timeline = /** @type {import('./view/timeline.js').Timeline} */ ($('timeline'));
  }
  drawTimeline();
  view.redraw();
  if (focus) $(which === 'timeline' ? 'timeline' : 'stream').focus({ preventScroll: true });
}

/** Draws the timeline, if it is what one looks at. */
export function drawTimeline() {
  if (tab !== 'timeline' || !timeline) return;
  timeline.update(shown() || null, store.now(), {
    go: (n, call) => { openTab('turns', n, false).then(() => view.goTo(n, call)); },
    step: (by) => {
      const turns = view.turns, at = turns.findIndex((t) => t.number === shown()?.number);
      view.current = turns[Math.min(turns.length - 1, Math.max(0, at + by))]?.number || 0;
      drawTimeline();
    },
  });
}

/** The turn one is at, which is the latest unless one went elsewhere. */
function shown() { return turnOf(view.current) || view.turns[view.turns.length - 1]; }

/** The turn and decision that the keyboard is at. @returns {{ t: Turn | undefined, d: Decision | null }} */
export function here() {
  const el = document.activeElement, d = /** @type {Decision | null} */ (el?.closest('candor-decision') || null);
  return { t: turnOf(Number(el?.closest('candor-turn')?.getAttribute('data-turn'))) || shown(), d };
}

/** @param {number} by */
export function stepTurn(by) {
  const turns = view.turns, at = turns.findIndex((t) => t.number === view.current), next = at < 0 ? turns.length - 1 : at + by;
  if (next < 0) return void fetcher.older(store.state.active.id);
  if (next >= turns.length) return;
  if (tab !== 'turns') openTab('turns', 0, false);
  view.goTo(turns[next].number);
}

/** @param {number} by */
export function stepCall(by) {
  const { t, d } = here();
  if (!t) return;
  view.current = t.number;
  if (!view.isOpen(t)) view.setOpen(t.number, true);
  const all = view.view(t.number)?.decisions || [], at = d ? all.indexOf(d) : by > 0 ? -1 : all.length, next = all[at + by];
  next?.focus({ preventScroll: true });
  next?.scrollIntoView({ block: 'nearest' });
}

/** Opens or closes what the keyboard is at. Enter does so only where it has no other meaning. @param {KeyboardEvent} e */
export function toggle(e) {
  if (e.key === 'Enter' && !(e.target instanceof HTMLElement && e.target.matches('candor-turn, candor-decision'))) return false;
  const { t, d } = here();
  if (d && d === document.activeElement) d.toggle();
  else if (t) view.setOpen(t.number, !view.isOpen(t));
}

export function newThread() {
  history.pushState(null, '', formatRoute({ isNew: true }));
  store.dispatch({ type: 'select', active: { kind: 'new', id: '' } });
  openTab('turns', 0, false);
  drawer(false);
  composer.focusField();
}
