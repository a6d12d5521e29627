// <candor-search>: the search over everything. It covers the conversation, which stays as it is. Facets
// stand there before a word is typed; the hits have the grid of decisions. The words and the chosen facets
// are in the address, so that the way back from a hit leads to them.

import * as api from '../net/api.js';
import { $, attribute, fill, h, loadStyles, show } from '../lib/dom.js';
import { plural } from '../lib/format.js';
import { toast } from '../lib/toast.js';
import { toClipboard } from './copy.js';
import { FacetList } from './searchfacets.js';
import { hitRow, whyOf } from './searchhit.js';

/** @import { SearchResponse } from '../wire.d.ts' */

await Promise.all([loadStyles('/ui/css/ondemand.css'), loadStyles('/ui/css/search.css')]);

/** How long to wait for the next letter, in ms; how many hits a page has; where the server ends. */
const pause = 120, pageSize = 50, maxOffset = 1000;

export class SearchResults extends HTMLElement {
  /**
   * Ends the search.
   * @type {() => unknown}
   */
  onClose = () => {};
  /**
   * Called when a hit is opened, before its address is.
   * @type {() => unknown}
   */
  onOpen = () => {};
  #field = $('search');
  #timer = 0;
  #requests = 0;
  /** Whether what is shown is not yet what was typed. */
  #stale = true;
  #shown = 0;
  #opened = '';
  #facets = new FacetList(() => this.#run());
  #heard = h('p', { class: 'heard', role: 'status' });
  #list = h('ol', { class: 'found' });
  #more = h('button', { type: 'button', hidden: true, click: () => this.#next() });
  #keys = h('p', { class: 'note hint', hidden: true }, h('kbd', null, '↓'), h('kbd', null, '↑'), ' choose ',
    h('kbd', null, '⏎'), ' open at the decision ', h('kbd', null, 'c'), ' copy why');
  #body = h('div', { class: 'find-body' }, this.#facets.el,
    h('div', { class: 'hits' }, this.#list, this.#more, this.#keys));

  connectedCallback() {
    const close = h('button', { type: 'button', class: 'quiet', click: () => this.onClose() }, 'Close ',
      h('kbd', null, 'Esc'));
    this.prepend(h('header', { class: 'find-bar' }, h('h1', null, 'Search'), close));
    this.append(this.#heard, this.#body);
    this.#field.addEventListener('input', () => this.#typed());
    this.addEventListener('keydown', (e) => this.#key(e));
    this.#list.addEventListener('click', (e) => {
      this.#opened = e.target instanceof Element ? e.target.closest('a')?.hash || '' : '';
      this.onOpen();
    });
  }

  /** Shows what the address and the field ask for. */
  open() {
    this.#facets.read(new URLSearchParams(location.hash.slice(1)));
    return this.#run();
  }

  #typed() {
    clearTimeout(this.#timer);
    this.#wait(true);
    this.#timer = window.setTimeout(() => this.#run(), pause);
  }

  /** @param {boolean} stale */
  #wait(stale) {
    this.#stale = stale;
    attribute(this.#list, 'aria-busy', String(stale));
  }

  /** @param {KeyboardEvent} e */
  #key(e) {
    if (e.ctrlKey || e.metaKey || e.altKey || e.isComposing) return;
    const links = [...this.#list.querySelectorAll('a'), ...(this.#more.hidden ? [] : [this.#more])];
    const at = links.findIndex((a) => a === document.activeElement), typing = e.target === this.#field;
    if (e.key === 'ArrowDown' && (typing || at >= 0)) links[Math.min(at + 1, links.length - 1)]?.focus();
    else if (e.key === 'ArrowUp' && at >= 0) (links[at - 1] || this.#field).focus();
    else if (e.key === 'Enter' && typing) this.#enter();
    else if (e.key === 'c' && links[at]?.matches('a')) copyWhy(links[at]);
    else if (e.key === '/' && !typing) this.#field.select();
    else return;
    e.preventDefault();
  }

  /** Opens the first hit of what was typed. */
  async #enter() {
    if (this.#stale) await this.#run();
    if (!this.#stale) this.#list.querySelector('a')?.click();
  }

  /** Whether neither words nor a facet say what to look for. */
  get #isOpen() { return !this.#field.value.trim() && !this.#facets.any; }

  /** @param {number} offset */
  #ask(offset) {
    const q = this.#field.value.trim(), limit = this.#isOpen ? 1 : pageSize;
    return api.search({ q, limit, offset, ...this.#facets.query });
  }

  async #run() {
    clearTimeout(this.#timer);
    const own = ++this.#requests, typed = this.#field.value;
    this.#wait(true);
    this.#keep();
    try {
      const found = await this.#ask(0);
      if (own !== this.#requests) return;
      this.#draw(found);
      this.#wait(this.#field.value !== typed);
    } catch (e) {
      if (own !== this.#requests) return;
      fill(this.#heard, e instanceof Error ? e.message : 'The search failed.');
      fill(this.#list);
      show(this.#more, false);
    }
  }

  /** Puts what is looked for into the address. */
  #keep() {
    if (this.hidden) return;
    const q = new URLSearchParams({ find: this.#field.value.trim() });
    this.#facets.write(q);
    history.replaceState(null, '', `#${q}`);
  }

  /** @param {SearchResponse} found */
  #draw(found) {
    const open = this.#isOpen, hits = open ? [] : found.hits;
    this.#shown = hits.length;
    this.#body.classList.toggle('open', open);
    fill(this.#heard, ...(open ? overview(found) : heard(found, this.#facets)));
    this.#facets.draw(found.facets, open);
    fill(this.#list, ...hits.map(hitRow));
    show(this.#keys, hits.length > 0);
    this.#count(found.total);
    const back = [...this.#list.querySelectorAll('a')].find((a) => a.hash === this.#opened);
    if (back) back.focus();
    this.#opened = '';
  }

  /** @param {number} total */
  #count(total) {
    const left = total - this.#shown;
    show(this.#more, this.#shown > 0 && left > 0 && this.#shown <= maxOffset);
    fill(this.#more, `Show ${Math.min(left, pageSize)} more of ${left.toLocaleString('en')}`);
  }

  /** Adds the next page of hits, and moves to the first of them. */
  async #next() {
    const own = this.#requests;
    try {
      const { hits, total } = await this.#ask(this.#shown);
      if (own !== this.#requests) return;
      this.#list.append(...hits.map(hitRow));
      this.#list.querySelectorAll('a')[this.#shown]?.focus();
      this.#shown += hits.length;
      this.#count(hits.length ? total : this.#shown);
    } catch (e) { toast(e instanceof Error ? e.message : 'The search failed.'); }
  }
}

/**
 * Says how much there is to search.
 * @param {SearchResponse} found
 */
function overview({ searched: { decisions, places } }) {
  if (!decisions) return ['Nothing to search yet: no agent has called a tool.'];
  const all = `${decisions.toLocaleString('en')} ${decisions === 1 ? 'decision' : 'decisions'}`;
  return [`${all} in ${plural(places, 'place')}. Ask in words, or pick what happened.`];
}

/**
 * Says how much was found, and what was looked for.
 * @param {SearchResponse} found @param {FacetList} chosen
 */
function heard({ total, facets, searched, looked_for: looked = [], near = [], partial, truncated, behind }, chosen) {
  if (!total) {
    return [chosen.any
      ? 'Nothing found: no decision has these words and these facets. Press a facet again to leave it out.'
      : 'Nothing found: no reason, call or message has one of these words.'];
  }
  // Calls have an outcome, and nothing else has one: a hit that is no call is what was said in a turn, or of a job.
  const ended = (facets.outcome || []).reduce((n, { value, count }) => n + (value ? count : 0), 0);
  const calls = chosen.chosen.outcome.size ? total : Math.min(total, ended);
  const of = (/** @type {number} */ n, /** @type {number} */ all, /** @type {string} */ noun) =>
    n > 0 && `${n.toLocaleString('en')} of ${all.toLocaleString('en')} ${all === 1 ? noun : noun + 's'}`;
  const said = of(total - calls, searched.texts, 'turn');
  return [[of(calls, searched.decisions, 'call'), said && `the words of ${said}`].filter(Boolean).join(' and '),
    ...(looked.length ? [' · searched for ', ...bold(looked)] : []),
    ...(near.length ? [' · near: ', ...bold(near)] : []),
    partial ? ' · none has all words' : '', truncated ? ' · counted in the latest turns' : '',
    behind ? ' · older turns are still being indexed' : ''];
}

/** @param {string[]} words */
function bold(words) { return words.flatMap((w, i) => [i ? ', ' : '', h('b', null, w)]); }

/** @param {HTMLElement} link */
async function copyWhy(link) {
  toast(await toClipboard(whyOf(link)) ? 'Why copied.' : 'The browser does not allow copying.');
}

customElements.define('candor-search', SearchResults);
