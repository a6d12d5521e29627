// What stands in place of a conversation that there is nothing of. Loaded with the first of these.

import { h } from '../lib/dom.js';

/** @param {string} kind @param {string} participant whose turns the conversation would have */
export function notice(kind, participant) {
  switch (kind) {
    case 'gone': return [h('h2', null, 'Conversation not found'), h('p', null, 'It may be another user’s, ' +
      'it may have been deleted, or the server was restarted: by default it keeps ' +
      'conversations in memory.')];
    case 'deleted': return [h('h2', null, 'This was deleted'), h('p', null, 'You deleted it, here or in another ' +
      'window, or it expired. Nothing of it is kept.')];
  }
  return [h('h2', null, h('bdi', null, participant), ' has said nothing yet'), h('p', null, 'What it ' +
    'is asked, why, and its answers appear here as they happen. To ask it something, write a message.')];
}
