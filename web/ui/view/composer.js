// <candor-composer>: where the user writes. Enter sends, Shift+Enter breaks the line.
// While a turn runs, messages wait in order, and Stop is shown. What is sent leaves the
// field at once, so that whoever goes on writes a message of its own.

import './waiting.js';
import { attribute, h, setText, show } from '../lib/dom.js';
import { cut } from '../lib/format.js';

/** How long a message is under way before the page says so, in ms. */
const shownAfter = 400;

/** @import { State } from '../state/types.d.ts' */
/** @import { ComposerActs } from './types.d.ts' */

export class Composer extends HTMLElement {
  /** @type {ComposerActs | null} */
  acts = null;
  #field = h('textarea', {
    id: 'message', rows: 1, enterkeyhint: 'send', autocomplete: 'off', placeholder: 'Ask the agent', maxlength: 200_000,
  });
  #label = h('label', { class: 'sr', for: 'message' }, 'Message to the agent');
  #send = h('button', { type: 'button', id: 'send', class: 'primary' }, 'Send');
  #stop = h('button', { type: 'button', id: 'stop', hidden: true }, 'Stop');
  #problem = h('p', { class: 'problem', id: 'send-problem', role: 'alert', hidden: true });
  #waiting = document.createElement('candor-waiting');
  #box = h('div', { class: 'field' }, this.#label, this.#field, this.#stop, this.#send);
  #sending = h('p', { class: 'note peek', id: 'sending', dir: 'auto', hidden: true });
  /**
   * What was sent and is yet to be accepted, in order.
   * @type {{ text: string }[]}
   */
  #under = [];
  #shift = false;

  connectedCallback() {
    if (this.firstChild) return;
    this.#waiting.acts = {
      edit: (key) => this.acts?.edit(key, this.#field.value), cancel: (key) => this.acts?.cancel(key),
    };
    this.append(this.#waiting, this.#sending, this.#problem, this.#box);
    this.#send.addEventListener('click', () => this.#submit());
    this.#stop.addEventListener('click', () => this.acts?.stop());
    this.#field.addEventListener('input', () => this.#grow());
    this.#field.addEventListener('keydown', (e) => {
      this.#shift = e.shiftKey;
      if (e.key !== 'Enter' || e.shiftKey || e.isComposing) return;
      e.preventDefault();
      this.#submit();
    });
    // On-screen keyboards may report a line break but no key.
    this.#field.addEventListener('beforeinput', (e) => {
      if (e.inputType !== 'insertLineBreak' || this.#shift) return;
      e.preventDefault();
      this.#submit();
    });
  }

  /**
   * Draws the field, or only what waits where nothing can be said any more.
   * @param {State} s @param {{ running: boolean, hint: string, hidden: boolean, to: string }} state
   */
  update(s, state) {
    this.#waiting.update(s);
    show(this, !state.hidden || s.waiting.length > 0);
    show(this.#box, !state.hidden);
    show(this.#stop, state.running);
    attribute(this.#field, 'placeholder', state.hint);
    setText(this.#label, `Message to ${state.to || 'the agent'}`);
    attribute(this.#stop, 'title', state.to && `Asks ${state.to} to stop`);
  }

  /** @param {string} text */
  fill(text) {
    this.#write(text);
    this.focusField();
  }

  /** @param {string} text */
  #write(text) {
    this.#field.value = text;
    this.#grow();
  }

  focusField() { this.#field.focus(); }

  /** What stands in the field. */
  get written() { return this.#field.value; }

  /** Whether a message is under way. */
  get sends() { return this.#under.length > 0; }

  /** Whether nothing is written, and nothing is under way. */
  get empty() { return !this.written && !this.sends; }

  /** @param {string} text */
  complain(text) {
    setText(this.#problem, text);
    show(this.#problem, !!text);
    attribute(this.#field, 'aria-describedby', text ? 'send-problem' : null);
  }

  async #submit() {
    const text = this.written, one = { text };
    this.focusField(); // now: whoever leaves it before the server answers is not called back
    if (!text.trim()) return;
    this.complain('');
    this.#write('');
    this.#under.push(one);
    setTimeout(() => this.#drawSending(), shownAfter);
    const taken = await this.acts?.send(text);
    this.#under = this.#under.filter((o) => o !== one);
    this.#drawSending();
    if (!taken) this.#write([text, this.written].filter(Boolean).join('\n\n'));
  }

  #drawSending() {
    setText(this.#sending, `Sending: ${this.#under.map((o) => cut(o.text, 80)).join(' · ')}`);
    show(this.#sending, this.#under.length > 0);
  }

  /** Grows with the text, up to a third of the page. */
  #grow() {
    this.#field.style.height = 'auto';
    this.#field.style.height = `${Math.min(this.#field.scrollHeight + 2, innerHeight / 3)}px`;
  }
}

customElements.define('candor-composer', Composer);
