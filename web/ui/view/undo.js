// <candor-undo>: what was deleted and can still be taken back, each with a button.

import { $, attribute, h, loadStyles, show } from '../lib/dom.js';

export class UndoList extends HTMLElement {
  /** @type {Map<string, HTMLElement>} */
  #rows = new Map();

  connectedCallback() {
    attribute(this, 'role', 'region');
    attribute(this, 'aria-label', 'Deleted just now');
    show(this, this.#rows.size > 0);
  }

  /**
   * Adds a row. Its button gets the focus, since the row of the list that had it is gone.
   * @param {string} key @param {string} words @param {() => void} undo
   */
  add(key, words, undo) {
    loadStyles('/ui/css/ondemand.css');
    /** @type {HTMLElement} */
    const button = h('button', { type: 'button', 'aria-keyshortcuts': 'u', click: undo }, 'Undo');
    const row = h('p', null, h('span', { dir: 'auto' }, words), ' ', button);
    this.#rows.set(key, row);
    this.append(row);
    show(this, true);
    button.focus({ preventScroll: true });
  }

  /**
   * Removes a row; if it has the focus, the main part of the page gets it.
   * @param {string} key
   */
  drop(key) {
    const row = this.#rows.get(key);
    if (row?.contains(document.activeElement)) $('main').focus({ preventScroll: true });
    row?.remove();
    this.#rows.delete(key);
    show(this, this.#rows.size > 0);
  }
}

customElements.define('candor-undo', UndoList);
