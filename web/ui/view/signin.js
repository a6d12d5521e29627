// <candor-signin>: says how to get a link that signs in, and takes a token, which the page
// sends once and does not keep.

import * as api from '../net/api.js';
import { h, loadStyles, setText, show } from '../lib/dom.js';

await loadStyles('/ui/css/ondemand.css');

export class SignIn extends HTMLElement {
  /** Called when somebody has signed in. */
  done = () => {};
  #field = h('input', {
    id: 'token', type: 'password', autocomplete: 'current-password', spellcheck: 'false',
    'aria-describedby': 'token-problem',
  });
  #problem = h('p', { class: 'problem', id: 'token-problem', role: 'alert', hidden: true });
  #how = h('p', null, 'Open the link that the server printed when it started. It works once and expires after ten ' +
    'minutes. Run ', h('code', null, 'candor login'), ' for a new one.');
  #why = h('p', { class: 'problem', role: 'alert', hidden: true });

  /** @param {string} why what to explain first, instead of how to sign in, if anything */
  open(why) {
    if (!this.firstChild) this.#build();
    show(this, true);
    setText(this.#why, why);
    show(this.#why, !!why);
    show(this.#how, !why);
    this.#explain('');
    this.#field.focus();
  }

  #build() {
    const submit = (/** @type {Event} */ e) => { e.preventDefault(); this.#submit(); };
    this.append(h('form', { submit, 'aria-labelledby': 'signin-title' },
      h('p', { class: 'mark', 'aria-hidden': 'true' }, h('i'), 'Candor'),
      h('h1', { id: 'signin-title' }, 'Why did the agent do that?'),
      this.#how, this.#why, h('p', null, 'Or sign in with a token.'),
      h('label', { for: 'token' }, 'Token'), this.#field, this.#problem,
      h('button', { type: 'submit', class: 'primary' }, 'Sign in')));
  }

  /** @param {string} problem */
  #explain(problem) {
    setText(this.#problem, problem);
    show(this.#problem, !!problem);
  }

  async #submit() {
    const token = this.#field.value.trim();
    if (!token) return this.#explain('The token is missing.');
    try {
      await api.login({ token });
    } catch (e) {
      return this.#explain(e instanceof Error ? e.message : 'Signing in failed.');
    }
    this.#field.value = '';
    show(this, false);
    this.done();
  }
}

customElements.define('candor-signin', SignIn);
