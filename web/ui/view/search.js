// <candor-search>: what was found, and facets to choose from. The words of a hit
// come in pieces, so that marking a match needs no markup.

import * as api from '../net/api.js';
import { fill, h, loadStyles, setText, show } from '../lib/dom.js';
import { ago, ms, plural } from '../lib/format.js';
import { formatRoute } from '../state/route.js';

await loadStyles('/ui/css/ondemand.css');

/** How long to wait for the next letter, in ms. */
const pause = 180;

/** The facets, with their titles and how values that are no names read. @type {[string, string, Record<string, string>][]} */
const facets = [['tool', 'Tool', {}], ['outcome', 'Outcome', {}],
  ['source', 'Reason', { model: 'model', summary: 'provider summary', fallback: 'none given' }],
  ['redacted', 'Redacted', { true: 'yes', false: 'no' }], ['agent', 'Agent', {}]];

/** @type {Record<string, string>} */
const fields = { user_input: 'asked', narrative: 'said', rationale: 'why', parameters: 'parameters', result: 'result', response: 'answer', error: 'error', tool_name: 'tool', message: 'message', title: 'job', prompt: 'prompt' };

export class SearchResults extends HTMLElement {
  /** Called when results come into view or leave it. @type {(shown: boolean) => void} */
  onShown = () => {};
  /** @type {Record<string, Set<string>>} */
  #want = Object.fromEntries(facets.map(([name]) => [name, new Set()]));
  #query = '';
  #timer = 0;
  #asked = 0;
  #sum = h('p', { class: 'found-sum', role: 'status' });
  #facets = h('div', { class: 'facets' });
  #list = h('ol', { class: 'found' });

  /** @param {HTMLInputElement} field */
  attach(field) {
    this.append(this.#sum, this.#facets, this.#list);
    field.addEventListener('input', () => this.query(field.value));
    field.addEventListener('keydown', (e) => {
      if (e.key === 'ArrowDown') this.#focus(0, e);
      if (e.key === 'Enter') /** @type {HTMLElement | null} */ (this.#list.querySelector('a'))?.click();
    });
    this.addEventListener('keydown', (e) => {
      const links = [...this.#list.querySelectorAll('a')], at = links.findIndex((a) => a === document.activeElement);
      if (at < 0) return;
      if (e.key === 'ArrowDown') this.#focus(at + 1, e);
      if (e.key === 'ArrowUp') { if (at) this.#focus(at - 1, e); else field.focus(); }
    });
    this.field = field;
    if (field.value) this.query(field.value);
  }
  /** @type {HTMLInputElement | null} */
  field = null;

  /** @param {number} at @param {Event} e */
  #focus(at, e) {
    const link = this.#list.querySelectorAll('a')[at];
    if (!link) return;
    e.preventDefault();
    link.focus();
  }

  /** @param {string} text */
  query(text) {
    this.#query = text.trim();
    clearTimeout(this.#timer);
    if (!this.#query && !this.#chosen()) return this.close();
    this.#timer = window.setTimeout(() => this.#run(), pause);
  }

  /** Leaves the search. @returns {boolean} whether there was one */
  close() {
    const was = !this.hidden || !!this.field?.value;
    clearTimeout(this.#timer);
    this.#asked++;
    if (this.field) this.field.value = '';
    this.#query = '';
    for (const s of Object.values(this.#want)) s.clear();
    show(this, false);
    this.onShown(false);
    return was;
  }

  #chosen() { return Object.values(this.#want).some((s) => s.size); }

  async #run() {
    const mine = ++this.#asked;
    if (this.hidden) { setText(this.#sum, 'Searching…'); fill(this.#list); fill(this.#facets); }
    show(this, true);
    this.onShown(true);
    try {
      const found = await api.search({ q: this.#query, ...Object.fromEntries(Object.entries(this.#want).map(([k, v]) => [k, [...v]])) });
      if (mine === this.#asked) this.#draw(found);
    } catch (e) {
      if (mine !== this.#asked) return;
      setText(this.#sum, e instanceof Error ? e.message : 'The search failed.');
      fill(this.#list);
    }
  }

  /** @param {any} found */
  #draw(found) {
    const n = found.hits.length;
    setText(this.#sum, !n ? 'Nothing found. Every word has to stand in one reason, call or message.' :
      `${found.total > n ? `${n} of ${found.total} places` : plural(n, 'place')}${found.truncated ? ', in the latest turns' : ''}`);
    fill(this.#facets, ...facets.map(([name, title, words]) => this.#facet(name, title, words, found.facets[name] || [])));
    fill(this.#list, ...found.hits.map(hit));
  }

  /** @param {string} name @param {string} title @param {Record<string, string>} words @param {{ value: string, count: number }[]} items */
  #facet(name, title, words, items) {
    const want = this.#want[name];
    const values = items.filter((i) => i.value && (i.count || want.has(i.value))).slice(0, 12);
    if (values.length < 2 && !want.size) return null;
    return h('div', { role: 'group', 'aria-label': title }, h('span', { class: 'facet-title' }, title),
      ...values.map(({ value, count }) => h('button', {
        type: 'button', class: 'facet', 'data-facet': name, 'data-value': value, 'aria-pressed': String(want.has(value)), click: () => this.#choose(name, value),
      }, words[value] || value, h('span', { class: 'count' }, count))));
  }

  /** @param {string} name @param {string} value */
  async #choose(name, value) {
    const want = this.#want[name];
    if (!want.delete(value)) want.add(value);
    if (!this.#query && !this.#chosen()) return this.close();
    await this.#run();
    const again = [...this.#facets.querySelectorAll('button')].find((b) => b.dataset.facet === name && b.dataset.value === value);
    again?.focus();
  }
}

/** @param {any} x */
function hit(x) {
  const href = formatRoute(x.job_id ? { job: x.job_id, call: x.call_id } : { thread: x.thread_id, turn: x.turn_number, call: x.call_id });
  return h('li', null, h('a', { href },
    h('span', { class: 'found-head' }, h('b', null, x.tool_name ? h('code', null, x.tool_name) : fields[x.field] || x.field),
      x.outcome && x.outcome !== 'success' && h('span', { class: x.outcome === 'error' || x.outcome === 'rejected' ? 'bad' : 'dim outcome' }, x.outcome),
      h('span', { class: 'dim' }, [x.turn_number ? `turn ${x.turn_number}` : 'job', ago(ms(x.at), Date.now())].join(' · '))),
    h('span', { class: 'snippet', dir: 'auto' }, x.tool_name && x.field !== 'rationale' && h('span', { class: 'dim' }, `${fields[x.field] || x.field}: `),
      ...x.snippet.map((/** @type {any} */ p) => p.match ? h('mark', null, p.text) : p.text))));
}

customElements.define('candor-search', SearchResults);
