// What an empty page says: how to begin, with our agent or with another one.

import { h } from '../lib/dom.js';

/** @import { Backend } from '../state/types.d.ts' */
/** @import { ConversationActs } from './types.d.ts' */

/** What a visitor may try in any folder: with the offline model, which knows these requests, and with any other. */
const offline = [
  'What time is it, and which files are in this folder?',
  'Find the word TODO in this folder',
  'Remember that the release is on Friday',
];
const others = [
  'What can you do here, and with which tools?',
  'Look around in this folder: what is it about?',
  'What is the latest change here, and why was it made?',
];

/** @param {Backend | null} backend @param {ConversationActs} acts @returns {Node[]} */
export function welcome(backend, acts) {
  const isOffline = backend?.name === 'offline';
  const ask = (/** @type {string} */ text) => h('li', null,
    h('button', { type: 'button', click: () => acts.ask(text) }, text));
  const who = isOffline ? 'The offline model knows a few requests by their words. It needs no key and no network.'
    : `The model ${backend?.model || ''} gives a reason before every tool call.`.replace('  ', ' ');
  return [
    h('h2', { class: 'welcome' }, 'Ask something, and see why.'),
    h('p', null, 'Each reason appears here as the call is made, with its outcome; secrets are masked first.'),
    h('div', { class: 'doors' },
      h('section', null, h('h3', null, 'Ask this agent'), h('p', { dir: 'auto' }, who),
        h('ul', { class: 'examples', 'aria-label': 'Examples' }, ...(isOffline ? offline : others).map(ask))),
      h('section', null, h('h3', null, 'Watch your own agent'), h('p', null, 'It reports what it does, and why, ' +
        'with one request per call, from any language. Create a job to get the request to copy.'),
      h('button', { type: 'button', click: () => acts.watchOwn() }, 'Create a job'),
      h('p', null, 'For Claude Code run ', h('code', null, 'candor attach claude'),
        '; instead of claude, it takes codex, gemini, opencode or qwen.'))),
  ];
}
