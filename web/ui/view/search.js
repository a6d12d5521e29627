// <candor-search>: the hits of a search, and facets to filter them by. The words of a
// hit arrive in pieces, so marking a match needs no markup.

import * as api from '../net/api.js';
import { fill, h, loadStyles, setText, show } from '../lib/dom.js';
import { ago, ms, plural } from '../lib/format.js';
import { formatRoute } from '../state/route.js';

/** @import { FacetItem, SearchHit, SearchResponse, SnippetPart } from '../wire.d.ts' */
/** @typedef {{ name: string, title: string, words?: Record<string, string> }} Facet */

await loadStyles('/ui/css/ondemand.css');

/** How long to wait for the next letter, in ms. */
const pause = 180;

/**
 * The facets: their titles, and words for values that are no names.
 * @type {Facet[]}
 */
const facets = [{ name: 'tool', title: 'Tool' }, { name: 'outcome', title: 'Outcome' },
  { name: 'source', title: 'Reason', words: {
    model: 'model', summary: 'provider summary', thought: 'thought before it', fallback: 'none given',
  } },
  { name: 'redacted', title: 'Redacted', words: { true: 'yes', false: 'no' } }, { name: 'agent', title: 'Agent' },
  { name: 'participant', title: 'Participant' }, { name: 'duration', title: 'Took' },
  { name: 'tokens', title: 'Tokens' }, { name: 'approval', title: 'Asked', words: {
    approve: 'approved', always: 'approved always', deny: 'denied', expired: 'not answered in time',
    withdrawn: 'withdrawn' } }, { name: 'rated', title: 'Rated' }];

/** @type {Record<string, string>} */
const fields = {
  user_input: 'asked', narrative: 'said', rationale: 'why', parameters: 'parameters', result: 'result',
  asked_by: 'asked by', asked_reason: 'why it asked', conclusion: 'conclusion', note: 'note', to: 'run by',
  response: 'answer', error: 'error', tool_name: 'tool', message: 'message', title: 'job', prompt: 'prompt',
  feedback: 'your note',
};

export class SearchResults extends HTMLElement {
  /**
   * Called when results are shown or hidden.
   * @type {(shown: boolean) => void}
   */
  onShown = () => {};
  /** @type {HTMLInputElement | null} */
  #field = null;
  /**
   * The chosen values of each facet.
   * @type {Record<string, Set<string>>}
   */
  #chosen = Object.fromEntries(facets.map(({ name }) => [name, new Set()]));
  #query = '';
  #timer = 0;
  #requests = 0;
  #sum = h('p', { class: 'found-sum', role: 'status' });
  #facets = h('div', { class: 'facets' });
  #list = h('ol', { class: 'found' });

  /** @param {HTMLInputElement} field */
  attach(field) {
    this.#field = field;
    this.append(this.#sum, this.#facets, this.#list);
    field.addEventListener('input', () => this.#search(field.value));
    field.addEventListener('keydown', (e) => {
      if (e.key === 'ArrowDown') this.#focus(0, e);
      if (e.key === 'Enter') this.#list.querySelector('a')?.click();
    });
    this.addEventListener('keydown', (e) => {
      const at = [...this.#list.querySelectorAll('a')].findIndex((a) => a === document.activeElement);
      if (at < 0) return;
      if (e.key === 'ArrowDown') this.#focus(at + 1, e);
      if (e.key === 'ArrowUp') { if (at) this.#focus(at - 1, e); else field.focus(); }
    });
    if (field.value) this.#search(field.value);
  }

  /** @param {number} at @param {Event} e */
  #focus(at, e) {
    const link = this.#list.querySelectorAll('a')[at];
    if (!link) return;
    e.preventDefault();
    link.focus();
  }

  /** @param {string} text */
  #search(text) {
    this.#query = text.trim();
    clearTimeout(this.#timer);
    if (this.#isEmpty()) return this.close();
    this.#timer = window.setTimeout(() => this.#run(), pause);
  }

  #isEmpty() { return !this.#query && !Object.values(this.#chosen).some((s) => s.size); }

  /** Ends the search and clears it. */
  close() {
    clearTimeout(this.#timer);
    this.#requests++;
    if (this.#field) this.#field.value = '';
    this.#query = '';
    for (const s of Object.values(this.#chosen)) s.clear();
    show(this, false);
    this.onShown(false);
  }

  async #run() {
    const own = ++this.#requests;
    if (this.hidden) { setText(this.#sum, 'Searching…'); fill(this.#list); fill(this.#facets); }
    show(this, true);
    this.onShown(true);
    try {
      const chosen = Object.entries(this.#chosen).map(([name, values]) => [name, [...values]]);
      const found = await api.search({ q: this.#query, ...Object.fromEntries(chosen) });
      if (own === this.#requests) this.#draw(found);
    } catch (e) {
      if (own !== this.#requests) return;
      setText(this.#sum, e instanceof Error ? e.message : 'The search failed.');
      fill(this.#list);
    }
  }

  /** @param {SearchResponse} found */
  #draw({ hits, total, truncated, facets: counts, looked_for: looked = [], near = [], partial }) {
    const places = total > hits.length ? `${hits.length} of ${total} places` : plural(hits.length, 'place');
    const heard = [looked.length && `looked for ${looked.join(', ')}`, near.length && `near: ${near.join(', ')}`,
      partial && 'no place has all words', truncated && 'in the latest turns'];
    setText(this.#sum, hits.length ? [places, ...heard].filter(Boolean).join(' · ')
      : 'Nothing found: no reason, call or message has one of these words.');
    fill(this.#facets, ...facets.map((f) => this.#facet(f, counts[f.name] || [])));
    fill(this.#list, ...hits.map(hitRow));
  }

  /** @param {Facet} facet @param {FacetItem[]} items */
  #facet({ name, title, words = {} }, items) {
    const chosen = this.#chosen[name];
    const values = items.filter((i) => i.value && (i.count || chosen.has(i.value))).slice(0, 12);
    if (values.length < 2 && !chosen.size) return null;
    return h('div', { role: 'group', 'aria-label': title }, h('span', { class: 'facet-title' }, title),
      ...values.map(({ value, count }) => h('button', {
        type: 'button', class: 'facet', 'data-facet': name, 'data-value': value,
        'aria-pressed': String(chosen.has(value)), click: () => this.#choose(name, value),
      }, words[value] || value, h('span', { class: 'count' }, count))));
  }

  /** @param {string} name @param {string} value */
  async #choose(name, value) {
    const chosen = this.#chosen[name];
    if (!chosen.delete(value)) chosen.add(value);
    if (this.#isEmpty()) return this.close();
    await this.#run();
    const buttons = [...this.#facets.querySelectorAll('button')];
    buttons.find((b) => b.dataset.facet === name && b.dataset.value === value)?.focus();
  }
}

/** @param {SearchHit} x */
function hitRow(x) {
  const href = formatRoute(x.job_id ? { job: x.job_id, call: x.call_id }
    : { thread: x.thread_id, turn: x.turn_number, call: x.call_id });
  const field = fields[x.field] || x.field, bad = x.outcome === 'error' || x.outcome === 'rejected';
  const place = x.turn_number ? `turn ${x.turn_number}` : 'job';
  const when = [x.participant, place, ago(ms(x.at), Date.now())].filter(Boolean).join(' · ');
  const outcome = x.outcome && x.outcome !== 'success' && h('span', { class: bad ? 'bad' : 'dim outcome' }, x.outcome);
  return h('li', null, h('a', { href },
    h('span', { class: 'found-head' },
      h('b', null, x.tool_name ? h('code', null, ...marked(x.tool || [])) : field), outcome,
      h('span', { class: 'dim' }, when)),
    x.object && h('code', { class: 'found-line', dir: 'auto' }, ...marked(x.object)),
    x.outcome_line && h('span', { class: bad ? 'found-line bad' : 'found-line dim', dir: 'auto' },
      `→ ${x.outcome_line}`),
    x.rationale && h('span', { class: 'snippet', dir: 'auto' }, ...marked(x.rationale)),
    !told.includes(x.field) && h('span', { class: 'snippet', dir: 'auto' },
      x.tool_name && h('span', { class: 'dim' }, `${field}: `), ...marked(x.snippet))));
}

/** The fields of a call that its hit shows anyway. */
const told = ['tool_name', 'object', 'rationale', 'outcome_line'];

/** @param {SnippetPart[]} parts */
function marked(parts) { return parts.map((p) => p.match ? h('mark', null, p.text) : p.text); }

customElements.define('candor-search', SearchResults);
