// The facets of a search: the values that hits have, with how many have each. They stand there before any
// word is typed, and choosing one is a search of its own.

import { fill, h } from '../lib/dom.js';

/** @import { FacetItem } from '../wire.d.ts' */
/** @typedef {{ name: string, title: string, words?: Record<string, string>, bad?: string[], wait?: string[] }} Facet */

/** How many values of a facet are shown at first. */
const firstValues = 8;

/** The value that nobody looks for. */
const usual = 'redacted false';

/**
 * The facets: their titles, words for values that are no names, and the values that are trouble.
 * @type {Facet[]}
 */
const facets = [
  { name: 'outcome', title: 'Outcome', bad: ['error', 'rejected'], wait: ['pending'], words: {
    error: 'failed', cancelled: 'stopped', pending: 'not ended', unknown: 'no result seen' } },
  { name: 'approval', title: 'A person', bad: ['deny', 'expired'], words: {
    approve: 'approved', always: 'approved always', deny: 'denied', expired: 'did not answer in time',
    withdrawn: 'withdrawn' } },
  { name: 'source', title: 'Reason', words: {
    model: 'the model’s own words', summary: 'provider’s summary', thought: 'thought before it',
    fallback: 'none given' } },
  { name: 'redacted', title: 'Redacted', wait: ['true'], words: { true: 'something masked', false: 'nothing masked' } },
  { name: 'tool', title: 'Tool' }, { name: 'duration', title: 'Duration' },
  { name: 'tokens', title: 'Tokens of the turn' }, { name: 'agent', title: 'Sub-agent' },
  { name: 'participant', title: 'Participant' }, { name: 'rated', title: 'Rated', bad: ['bad'] },
];

/** The facets that are chosen, and their elements. */
export class FacetList {
  /** @type {Record<string, Set<string>>} */
  chosen = Object.fromEntries(facets.map(({ name }) => [name, new Set()]));
  el = h('div', { class: 'facets', role: 'group', 'aria-label': 'Facets' });
  /** The facets that show all their values. */
  #whole = new Set();
  /** @type {Record<string, FacetItem[]>} */
  #counts = {};
  #open = false;

  /** @param {() => unknown} changed called after a choice */
  constructor(changed) { this.changed = changed; }

  get any() { return Object.values(this.chosen).some((s) => s.size > 0); }

  /**
   * Chooses the values of an address, and no others.
   * @param {URLSearchParams} q
   */
  read(q) { for (const { name } of facets) this.chosen[name] = new Set(q.getAll(name)); }

  /** @param {URLSearchParams} q */
  write(q) { for (const [name, values] of Object.entries(this.chosen)) for (const v of values) q.append(name, v); }

  /** Returns the chosen values as the server takes them. */
  get query() { return Object.fromEntries(Object.entries(this.chosen).map(([name, v]) => [name, [...v]])); }

  /**
   * Draws the facets. open says that nothing is looked for yet, so that a single value is a choice, too.
   * @param {Record<string, FacetItem[]>} counts @param {boolean} open
   */
  draw(counts, open) {
    this.#counts = counts;
    this.#open = open;
    fill(this.el, ...facets.map((f) => this.#facet(f, counts[f.name] || [])));
  }

  /** @param {Facet} facet @param {FacetItem[]} items */
  #facet({ name, title, words = {}, bad = [], wait = [] }, items) {
    const chosen = this.chosen[name], missing = [...chosen].filter((v) => !items.some((i) => i.value === v));
    const trouble = (/** @type {FacetItem} */ i) => Number(bad.includes(i.value) || wait.includes(i.value));
    const all = [...items.filter((i) => chosen.has(i.value) || (i.value && i.count && `${name} ${i.value}` !== usual))
      .sort((a, b) => trouble(b) - trouble(a)),
      ...missing.map((value) => ({ value, count: 0 }))];
    if (all.length < (this.#open || wait.length ? 1 : 2) && !chosen.size) return null;
    const shown = this.#whole.has(name) ? all : all.filter((i, n) => n < firstValues || chosen.has(i.value));
    const most = Math.max(1, ...all.map((i) => i.count)), more = all.length - shown.length;
    return h('section', { 'aria-label': title }, h('h2', null, title), ...shown.map(({ value, count }) => {
      const kind = bad.includes(value) ? ' bad' : wait.includes(value) ? ' wait' : '';
      const button = h('button', {
        type: 'button', class: `facet${kind}`, 'data-facet': name, 'data-value': value,
        'aria-pressed': String(chosen.has(value)), click: () => this.#choose(name, value),
      }, h('span', { class: 'value', dir: 'auto' }, words[value] || value),
      h('span', { class: 'count' }, count.toLocaleString('en')));
      button.style.setProperty('--w', String(count / most));
      return button;
    }), more > 0 && h('button', { type: 'button', class: 'quiet', click: () => this.#showAll(name) }, `${more} more`));
  }

  /** @param {string} name */
  #showAll(name) {
    this.#whole.add(name);
    const at = this.el.querySelectorAll(`[data-facet=${name}]`).length;
    this.draw(this.#counts, this.#open);
    const next = this.el.querySelectorAll(`[data-facet=${name}]`)[at];
    if (next instanceof HTMLElement) next.focus();
  }

  /** @param {string} name @param {string} value */
  async #choose(name, value) {
    if (!this.chosen[name].delete(value)) this.chosen[name].add(value);
    await this.changed();
    this.focus(name, value);
  }

  /** @param {string} name @param {string} value */
  focus(name, value) {
    const buttons = [...this.el.querySelectorAll('button')];
    buttons.find((b) => b.dataset.facet === name && b.dataset.value === value)?.focus();
  }
}
