// Exports of conversations and jobs as files, loaded with the first one.

import { h } from '../lib/dom.js';
import { ask, url } from './api.js';

/** @import { Kind } from '../state/types.d.ts' */
/** @import { Value } from './api.js' */

/**
 * Returns an export as a file. It is fetched, since a link could not carry the login's key.
 * @param {Kind} kind @param {string} id @param {Record<string, Value>} query
 */
export async function exportFile(kind, id, query) {
  const path = kind === 'job' ? url(`/api/jobs/${encodeURIComponent(id)}/export`, query)
    : url('/api/chat/export', { thread_id: id, ...query });
  const res = await ask('GET', path);
  const name = /filename="([^"]+)"/.exec(res.headers.get('Content-Disposition') || '')?.[1];
  return { name: name || 'conversation', content: await res.blob() };
}

/**
 * Lets the browser save a file, as if its link had been clicked.
 * @param {string} name @param {Blob} content
 */
export function saveAs(name, content) {
  const link = h('a', { download: name });
  link.href = URL.createObjectURL(content);
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
