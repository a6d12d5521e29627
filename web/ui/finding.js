// The search over what is open: the addresses that lead to it and away from it, and the focus before it. It is
// loaded with the first search.

import { $, show } from './lib/dom.js';
import { formatRoute, parseRoute } from './state/route.js';
import './view/search.js';

/** @import { Context } from './types.d.ts' */

export class Finding {
  /** The address of what the search covers. */
  #under = '';
  /** Whether a hit was opened, so that its address is followed even if it is that of what the search covers. */
  #opened = false;
  /** @type {Element | null} */
  #from = null;

  /** @param {Context} context */
  constructor(context) {
    this.context = context;
    $('results').onClose = () => this.leave();
    $('results').onOpen = () => { this.#opened = true; };
  }

  /**
   * Begins a search: that of the address, or one for what was typed meanwhile.
   * @param {Element | null} from what had the focus
   */
  begin(from) {
    const { kind, id } = this.context.store.state.active, { find } = parseRoute(location.hash);
    this.#under = find === null ? location.hash : formatRoute(kind === 'new' ? { isNew: true } : { [kind]: id });
    this.#opened = false;
    this.#from = from;
    if (find === null) history[history.state === 'left' ? 'replaceState' : 'pushState'](null, '', '#find=');
    $('search').value ||= find || '';
    $('results').open();
  }

  /** Ends the search, and returns to what it covers. */
  leave() {
    // Going back would end in another task, and undo what is done until then. The entry is used again instead.
    history.replaceState('left', '', this.#under || location.pathname);
    this.#opened = false;
    this.uncover();
  }

  /** Uncovers what is open, and reports whether the address is that of what was covered. */
  uncover() {
    if ($('results').hidden) return false;
    show($('results'), false);
    $('main').classList.remove('finding');
    $('search').value = '';
    const back = location.hash === this.#under && !this.#opened;
    const from = this.#from instanceof HTMLElement && this.#from.closest('main') ? this.#from : $('stream');
    if (back) from.focus({ preventScroll: true });
    return back;
  }
}
