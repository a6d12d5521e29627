// Notifications outside of the tab, for questions that come while it is hidden. They name the tool and nothing else:
// others may see what stands there.

import { h } from '../lib/dom.js';
import { cut } from '../lib/format.js';
import { formatRoute } from '../state/route.js';

/** @import { Frame } from '../state/types.d.ts' */

/** The open notifications, by the id of their request. @type {Map<string, Notification>} */
const open = new Map();

/**
 * Shows a question that comes while the tab is hidden, and closes what was answered.
 * @param {Frame} f
 */
export function notify(f) {
  if (f.type === 'approval_answered') {
    open.get(f.request_id)?.close();
    open.delete(f.request_id);
  }
  if (f.type !== 'approval_needed' || !document.hidden) return;
  const note = new Notification(`${cut(f.tool_name, 60)} waits for you`, {
    body: 'Open Candor to see why, and answer.', tag: f.request_id, icon: '/ui/icon.svg',
  });
  note.onclick = () => {
    window.focus();
    location.hash = formatRoute({ thread: f.thread_id, turn: f.turn_number, call: f.call_id });
    note.close();
  };
  open.set(f.request_id, note);
}

/** Builds what a person clicks to be told outside of the tab; null where that is decided or cannot be. */
export function offer() {
  if (!('Notification' in window) || Notification.permission !== 'default') return null;
  /** @type {HTMLElement} */
  const button = h('button', { type: 'button', class: 'whole', click: async () => {
    if (await Notification.requestPermission() !== 'default') button.remove();
  } }, 'Send me a desktop notification');
  return button;
}
