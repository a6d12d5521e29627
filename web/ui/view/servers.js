// The MCP servers, and what was not read of telemetry, below the lists of the rail. Loaded once there are some.

import { $, fill, h, show } from '../lib/dom.js';
import { cut, plural } from '../lib/format.js';

/** @import { MCPServer, UnreadTelemetry } from '../wire.d.ts' */

const rows = h('ul', { id: 'servers' });
const list = h('section', { 'aria-labelledby': 'servers-title', hidden: true },
  h('h2', { id: 'servers-title' }, 'MCP servers'), rows);
const lostRows = h('ul', { id: 'unread' });
const lost = h('section', { 'aria-labelledby': 'unread-title', hidden: true },
  h('h2', { id: 'unread-title' }, 'Telemetry not read'), lostRows);
let shown = '';

/**
 * @param {MCPServer[]} all
 * @param {UnreadTelemetry[]} unread
 */
export function drawServers(all, unread) {
  const now = JSON.stringify([all, unread]);
  if (now === shown) return;
  shown = now;
  $('lists').append(list, lost);
  show(list, all.length > 0);
  show(lost, unread.length > 0);
  fill(rows, ...all.map(serverRow));
  fill(lostRows, ...unread.map(({ what, name, count }) =>
    h('li', { class: 'note', dir: 'auto' }, `${count} × ${what}${name ? ` (${name})` : ''}`)));
}

/** @param {MCPServer} s */
function serverRow({ name, state, tools }) {
  const dot = h('i', { class: 'dot', 'aria-hidden': 'true', 'data-state': state === 'down' ? 'failed' : state });
  const words = h('span', { class: 'words' }, state === 'up' ? plural(tools, 'tool') : state);
  return h('li', { class: state === 'starting' ? 'server live' : 'server' },
    dot, h('span', { class: 'name', dir: 'auto' }, cut(name, 80)), words);
}
