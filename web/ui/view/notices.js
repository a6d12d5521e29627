// Why a conversation has no turns, where that is rare: each is known from an answer of the server, with which this
// is loaded.

import { h } from '../lib/dom.js';

/** @param {string} kind @param {string} who the participant of a quiet one */
export function notice(kind, who) {
  if (kind === 'deleted') return [h('h2', null, 'This was deleted'), h('p', null, 'You deleted it, here or in ' +
    'another window, or it expired. Nothing of it is kept.')];
  if (kind === 'quiet') return [h('h2', null, h('bdi', null, who), ' has said nothing yet'), h('p', null, 'What it ' +
    'is asked, why, and its answers appear here as they happen. To ask it something, write a message.')];
  return [h('h2', null, 'Conversation not found'), h('p', null, 'It may be another user’s, ' +
    'it may have been deleted, or the server was restarted: by default it keeps conversations in memory.')];
}
