// The MCP servers below the lists of the rail. Loaded once the server has some.

import { $, fill, h, show } from '../lib/dom.js';
import { cut, plural } from '../lib/format.js';

/** @import { MCPServer } from '../wire.d.ts' */

const rows = h('ul', { id: 'servers' });
const list = h('section', { 'aria-labelledby': 'servers-title', hidden: true },
  h('h2', { id: 'servers-title' }, 'MCP servers'), rows);
let shown = '';

/** @param {MCPServer[]} all */
export function drawServers(all) {
  const now = JSON.stringify(all);
  if (now === shown) return;
  shown = now;
  $('lists').append(list);
  show(list, all.length > 0);
  fill(rows, ...all.map(serverRow));
}

/** @param {MCPServer} s */
function serverRow({ name, state, tools }) {
  const dot = h('i', { class: 'dot', 'aria-hidden': 'true', 'data-state': state === 'down' ? 'failed' : state });
  const words = h('span', { class: 'words' }, state === 'up' ? plural(tools, 'tool') : state);
  return h('li', { class: state === 'starting' ? 'server live' : 'server' },
    dot, h('span', { class: 'name', dir: 'auto' }, cut(name, 80)), words);
}
