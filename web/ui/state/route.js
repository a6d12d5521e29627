// Deep links. The fragment of an address is #t=<thread>&turn=3&d=call_2 or #job=<id>&…;
// view=timeline opens that tab, diff=<turn> compares with another turn, which dt=<thread> or
// dj=<job> says is of another conversation. #find=<words> is a search, its facets
// beside the words by their names.

/** @import { Route } from './types.d.ts' */

/** @param {string} hash @returns {Route} */
export function parseRoute(hash) {
  const q = new URLSearchParams(hash.replace(/^#/, ''));
  return {
    thread: q.get('t') || '', job: q.get('job') || '', turn: number(q.get('turn')), call: q.get('d') || '',
    view: q.get('view') === 'timeline' ? 'timeline' : '', diff: number(q.get('diff')), isNew: q.has('new'),
    diffThread: q.get('dt') || '', diffJob: q.get('dj') || '', find: q.get('find'),
  };
}

/** @param {Partial<Route>} r */
export function formatRoute(r) {
  const q = new URLSearchParams();
  if (r.isNew) q.set('new', '');
  if (r.thread) q.set('t', r.thread);
  if (r.job) q.set('job', r.job);
  if (r.turn) q.set('turn', String(r.turn));
  if (r.call) q.set('d', r.call);
  if (r.view) q.set('view', r.view);
  if (r.diff) q.set('diff', String(r.diff));
  if (r.diffThread) q.set('dt', r.diffThread);
  if (r.diffJob) q.set('dj', r.diffJob);
  const s = q.toString().replace(/=$/, '');
  return s ? '#' + s : '';
}

/**
 * Returns the code in the address that serve and login print, or nothing. isToken tells of a
 * link with a token, as earlier versions printed it.
 * @param {string} hash @returns {{ code: string, isToken: boolean } | null}
 */
export function loginIn(hash) {
  const q = new URLSearchParams(hash.replace(/^#/, '')), code = q.get('code') || '', isToken = q.has('token');
  return code || isToken ? { code, isToken } : null;
}

/** @param {string | null} s */
function number(s) { const n = Number(s); return Number.isInteger(n) && n > 0 ? n : 0; }
