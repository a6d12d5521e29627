// The styles of what opens on demand. Who imports this is loaded once they are in.

import { h } from './dom.js';

await new Promise((then) => document.head.append(h('link', { rel: 'stylesheet', href: '/ui/parts.css', load: then, error: then })));
