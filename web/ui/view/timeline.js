// <candor-timeline>: what ran when. A row for each time the model was asked, each call
// and each agent; what the turn had to wait for is marked. The row that is chosen stands
// whole at the foot, with its reason.

import { words } from './block.js';
import { attribute, fill, h, loadStyles, place, setText, show } from '../lib/dom.js';
import { about, firstLine, nearly, plural, span } from '../lib/format.js';
import { asHeard } from '../state/heard.js';
import { headline } from '../state/outline.js';
import { parted, ticks, waterfall } from '../state/waterfall.js';

/** @import { Bar, Turn, Waterfall } from '../state/types.d.ts' */
/** @import { Decision } from './decision.js' */
/** @import { TimelineActs } from './types.d.ts' */

await Promise.all(['ondemand', 'closer'].map((name) => loadStyles(`/ui/css/${name}.css`)));

/** How far the axis can be stretched. */
const maxZoom = 64;

/** What the colours mean, and which rows have them. */
const legend = /** @type {[string, string, (b: Bar) => boolean][]} */ ([
  ['model', 'model', (b) => b.kind === 'model'],
  ['critical', 'critical path', (b) => b.kind !== 'model' && b.critical && !isBad(b)],
  ['beside', 'in parallel', (b) => b.kind !== 'model' && !b.critical && !isBad(b)],
  ['bad', 'failed', (b) => b.outcome === 'error'], ['wait', 'waits for you', (b) => b.waited > 0],
]);

export class Timeline extends HTMLElement {
  #title = h('h2', null);
  #told = h('p', { class: 'tl-told' });
  #said = h('p', { class: 'tl-said' });
  #legend = h('p', { class: 'tl-legend' });
  #scale = h('div', { class: 'tl-scale', 'aria-hidden': 'true' });
  #rows = h('ol', { class: 'tl-rows', 'aria-label': 'What ran, in order' });
  #scroll = h('div', { class: 'tl-scroll' }, this.#scale, this.#rows);
  #slot = h('div', { class: 'tl-slot' });
  #all = h('button', { type: 'button', class: 'quiet', click: () => this.#unfold() });
  #pick = h('section', { class: 'tl-pick', 'aria-label': 'The chosen row' });
  #none = h('p', { class: 'note' });
  #head = h('div', { class: 'tl-head' });
  #drawn = '';
  #zoom = 1;
  #chosen = '';
  #now = 0;
  /** @type {Set<string>} */
  #unfolded = new Set();
  /** @type {Waterfall} */
  #fall = { bars: [], length: 1, cut: 0, timed: false };
  /** @type {Decision | null} */
  #decision = null;
  /** @type {Turn | undefined} */
  #turn;
  /** @type {TimelineActs | null} */
  #acts = null;

  /**
   * Draws a turn, or that there is none.
   * @param {Turn | undefined} t @param {boolean} due whether it is yet to be read
   * @param {number} now the server's time @param {TimelineActs} acts
   */
  update(t, due, now, acts) {
    t = t && asHeard(t, now);
    if (!this.firstChild) this.#build(acts);
    if (t?.number !== this.#turn?.number) [this.#chosen, this.#zoom] = ['', 1];
    [this.#turn, this.#now, this.#acts] = [t, now, acts];
    setText(this.#none, t ? '' : due ? 'Loading the turn…' : 'No turn yet, so there is no time to show.');
    for (const el of [this.#head, this.#scroll, this.#pick]) show(el, !!t);
    if (t) this.#draw(t);
  }

  /** @param {TimelineActs} acts */
  #build(acts) {
    const button = (/** @type {string} */ sign, /** @type {string} */ label, /** @type {() => unknown} */ click) =>
      h('button', { type: 'button', class: 'quiet', 'aria-label': label, title: label, click }, sign);
    const zoom = h('span', { class: 'tl-zoom', role: 'group', 'aria-label': 'Zoom' },
      button('−', 'Zoom out', () => this.zoom(-1)), button('Fit', 'Fit the whole turn', () => this.zoom(0)),
      button('+', 'Zoom in', () => this.zoom(1)));
    this.#head.append(h('div', { class: 'tl-turn' }, this.#title, button('←', 'Previous turn', () => acts.step(-1)),
      button('→', 'Next turn', () => acts.step(1))), this.#told, zoom, this.#said, this.#legend);
    const act = (/** @type {string} */ label, /** @type {string} */ key, /** @type {() => unknown} */ click) =>
      h('button', { type: 'button', class: 'quiet', click }, label, h('kbd', { 'aria-hidden': 'true' }, key));
    this.#pick.append(h('div', { class: 'tl-whole' }, this.#slot, h('p', { class: 'tl-acts' },
      act('Open in the conversation', '⏎', () => this.#open()), act('Previous', '↑', () => this.#move(-1)),
      act('Next', '↓', () => this.#move(1)), this.#all)));
    this.append(this.#head, this.#scroll, this.#pick, this.#none);
    this.addEventListener('keydown', (e) => this.#onKey(e));
  }

  /** @param {Turn} t */
  #draw(t) {
    const line = headline(t, this.#now), fall = waterfall(t, this.#now, this.#unfolded), { bars } = fall;
    this.#fall = fall;
    const asked = firstLine(t.input || '', 200);
    setText(this.#title, asked ? `Turn ${t.number}: ${asked}` : `Turn ${t.number}`);
    attribute(this.#title, 'title', asked);
    setText(this.#told, [line.label, line.detail].filter(Boolean).join(' · '));
    if (!bars.some((b) => b.key === this.#chosen)) this.#chosen = (bars.find((b) => b.call) || bars[0])?.key || '';
    const key = JSON.stringify([t.number, this.#zoom, fall]);
    if (key !== this.#drawn) this.#drawRows();
    this.#drawn = key;
    this.#drawPick(t);
  }

  #drawRows() {
    const { bars, length, timed } = this.#fall, marks = timed ? ticks(length, 5 * this.#zoom) : [];
    setText(this.#said, saidOfTimes(this.#fall));
    fill(this.#legend, ...legend.filter(([, , has]) => bars.some(has)).map(([kind, said]) =>
      h('span', null, h('i', { 'data-kind': kind }), said)));
    fill(this.#scale, h('span', { class: 'tl-label' }), h('span', { class: 'tl-track' },
      // There is no room for a mark at the very end.
      ...marks.map((x) => at(h('span', null, x / length < .93 && (x ? span(x) : '0')), x / length, 0))),
    h('span', { class: 'tl-took' }, 'took'), h('span', { class: 'tl-took tl-tokens' }, 'tokens'));
    this.#scroll.style.setProperty('--zoom', String(this.#zoom));
    this.#scroll.style.setProperty('--mark', marks.length > 1 ? String(marks[1] / length) : '2');
    this.#scroll.classList.toggle('untimed', !timed);
    this.#scroll.classList.toggle('no-tokens', !bars.some((b) => b.tokens));
    const held = this.#rows.contains(document.activeElement);
    fill(this.#rows, ...bars.map((b) => row(b, length, this.#chosen, () => this.#choose(b.key, true))));
    if (held) this.#button()?.focus({ preventScroll: true });
  }

  /** @returns {HTMLElement | null} the row that is chosen */
  #button() { return this.#rows.querySelector('[aria-current]'); }

  /** @param {Turn} t */
  #drawPick(t) {
    const b = this.#fall.bars.find((one) => one.key === this.#chosen), call = t.calls.find((c) => c.id === b?.call);
    const key = `${t.number} ${b?.key}`;
    if (key !== this.#slot.dataset.key) this.#decision = call ? document.createElement('candor-decision') : null;
    attribute(this.#slot, 'data-key', key);
    show(this.#all, !!b && b.count > 1);
    setText(this.#all, `Show all ${b?.count}`);
    if (!call || !b || !this.#decision) return fill(this.#slot, b && modelRow(b));
    place(this.#slot, [this.#decision]);
    if (this.#acts) this.#decision.update(call, this.#acts.decisions(t));
    if (b.from === null || b.to === null) return;
    this.#decision.drawLane({ from: call.startedAt - b.from, wall: this.#fall.length, sum: 0, near: false }, this.#now);
  }

  /** @param {string} key @param {boolean} focus */
  #choose(key, focus) {
    this.#chosen = key;
    for (const el of this.#rows.querySelectorAll('button')) {
      const chosen = el.dataset.key === key;
      attribute(el, 'aria-current', chosen && 'true');
      attribute(el, 'tabindex', chosen ? '0' : '-1');
    }
    if (this.#turn) this.#drawPick(this.#turn);
    const el = this.#button();
    if (focus) el?.focus({ preventScroll: true });
    el?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
    this.#center();
  }

  /** Brings the bar of the chosen row into view, where the axis is wider than that. */
  #center() {
    const bar = this.#button()?.querySelector('.tl-track i'), view = this.#scroll.getBoundingClientRect();
    const r = bar?.getBoundingClientRect();
    const left = this.#scale.firstElementChild?.getBoundingClientRect().right || 0;
    if (!r || this.#zoom === 1 || (r.left >= left && r.right <= view.right - 150)) return;
    this.#scroll.scrollLeft += (r.left + r.right) / 2 - (left + view.right - 150) / 2;
  }

  /** @param {number} by rows */
  #move(by) {
    const all = this.#fall.bars, at = all.findIndex((b) => b.key === this.#chosen);
    const next = all[Math.min(all.length - 1, Math.max(0, at + by))];
    if (next) this.#choose(next.key, !this.#pick.contains(document.activeElement));
  }

  /**
   * Stretches the axis to twice its length, shrinks it to half, or fits it in.
   * @param {number} by 1, -1 or 0 @returns {true} since the key is used
   */
  zoom(by) {
    const next = Math.min(maxZoom, Math.max(1, by ? this.#zoom * 2 ** by : 1));
    if (next === this.#zoom || !this.#fall.timed) return true;
    this.#zoom = next;
    if (this.#turn) this.#draw(this.#turn);
    this.#center();
    return true;
  }

  /** @param {KeyboardEvent} e */
  #onKey(e) {
    const on = e.target instanceof Element ? e.target : null, { length } = this.#fall.bars;
    if (e.ctrlKey || e.metaKey || e.altKey || (on !== this && !on?.closest('.tl-rows'))) return;
    const by = { ArrowDown: 1, ArrowUp: -1, Home: -length, End: length }[e.key];
    if (by) this.#move(by);
    else if (e.key === 'Enter' && on !== this) this.#open();
    else return;
    e.preventDefault();
  }

  /** Shows each call of the chosen row in a row of its own. */
  #unfold() {
    this.#unfolded.add(this.#chosen);
    if (this.#turn) this.#draw(this.#turn);
    this.#button()?.focus();
  }

  /** Leads to the chosen row in the conversation. */
  #open() {
    const b = this.#fall.bars.find((one) => one.key === this.#chosen);
    if (b && this.#turn) this.#acts?.go(this.#turn.number, b.call);
  }
}

/** @param {Waterfall} fall */
function saidOfTimes({ bars, cut, timed }) {
  if (!timed) return 'The times of these are unknown.';
  return [cut && `${span(cut)} of waiting is cut out`, bars.some((b) => b.near) && `~ ${nearly.toLowerCase()}`]
    .filter(Boolean).join(' · ');
}

/** @param {Bar} b */
function isBad(b) { return b.outcome === 'error' || b.outcome === 'rejected'; }

/**
 * Says in words what the colour of a row says.
 * @param {Bar} b
 */
function saidOf(b) {
  return [b.asks && 'waits for you', b.outcome && b.outcome !== 'success' && b.outcome,
    b.critical && 'critical path', b.why].filter(Boolean).join(', ');
}

/** @param {Bar} b @param {number} length @param {string} chosen @param {() => void} choose */
function row(b, length, chosen, choose) {
  const here = b.key === chosen;
  const kind = isBad(b) ? 'bad' : b.kind === 'model' ? 'model' : b.critical ? 'critical' : 'beside';
  const label = b.kind === 'model' ? h('span', { class: b.why ? 'tl-plan' : '' }, b.why || b.label)
    : h('span', { class: 'tl-call' }, h('b', null, b.label),
      b.count > 1 && h('span', { class: 'times' }, `×${b.count}`), ...objectOf(b.object));
  const el = h('li', { 'data-call': b.call || null }, h('button', {
    type: 'button', class: 'tl-row', 'data-key': b.key, 'aria-current': here && 'true', tabindex: here ? '0' : '-1',
    click: choose,
  }, h('span', { class: 'tl-label' }, label), h('span', { class: 'tl-track' }, ...marksOf(b, kind, length)),
  h('span', { class: 'tl-took', title: b.near && nearly }, b.took === null ? '' : about(b.took, b.near)),
  h('span', { class: 'tl-took tl-tokens' }, b.tokens ? b.tokens.toLocaleString('en') : ''),
  h('span', { class: 'sr' }, saidOf(b))));
  el.style.setProperty('--depth', String(Math.min(b.depth, 6)));
  return el;
}

/** @param {string} object */
function objectOf(object) {
  const [front, end] = parted(object);
  return [h('bdi', { class: 'tl-object' }, ...words(front)), end && h('bdi', { class: 'tl-end' }, end)];
}

/** @param {Bar} b @param {string} kind @param {number} length */
function marksOf(b, kind, length) {
  if (b.from === null || b.to === null) return [];
  const left = b.from / length, right = b.to / length, wait = b.waited > 0;
  const said = [wait && `${span(b.waited)} waiting for you`, isBad(b) && b.got].filter(Boolean).join(', ');
  // It stands beside the bar, or over one that fills the axis.
  const place = right < .7 ? 'after' : left > .3 ? 'before' : 'over';
  const note = said && at(h('em', { class: place }, said), place === 'after' ? right : left, 0);
  return [wait && at(h('i', { 'data-kind': 'wait' }), left, 0),
    b.outcome !== 'rejected' && at(h('i', { 'data-kind': kind }), left, right - left), note];
}

/** @param {Bar} b */
function modelRow(b) {
  const facts = [b.label, b.took !== null && span(b.took), b.tokens > 0 && plural(b.tokens, 'token')];
  return h('div', { class: 'tl-model' }, h('p', { class: b.why ? 'tl-plan' : 'note', dir: 'auto' },
    b.why || 'The model said nothing here.'), h('p', { class: 'note' }, facts.filter(Boolean).join(' · ')));
}

/**
 * Places an element on the axis.
 * @template {HTMLElement} E @param {E} el @param {number} left @param {number} width shares of the axis
 */
function at(el, left, width) {
  el.style.setProperty('--left', String(left));
  el.style.setProperty('--width', String(width));
  return el;
}

customElements.define('candor-timeline', Timeline);
