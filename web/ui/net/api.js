// The server's routes, one function each. The session is in a cookie that no script
// can read.

/** @import * as wire from '../wire.d.ts' */

/** An answer that is no success. Its message says what was wrong and what to do. */
export class ApiError extends Error {
  /** @param {number} status 0 if there was no answer @param {string} message */
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

/**
 * Reports whether an error means that nobody is signed in.
 * @param {unknown} e
 */
export function isSignedOut(e) { return e instanceof ApiError && e.status === 401; }

/** @template T @param {string} method @param {string} path @param {object} [body] @returns {Promise<T>} */
async function call(method, path, body) {
  let res;
  try {
    res = await fetch(path, {
      method, credentials: 'same-origin', cache: 'no-store',
      headers: body && { 'Content-Type': 'application/json' }, body: body && JSON.stringify(body),
    });
  } catch {
    throw new ApiError(0, 'The server cannot be reached. It is tried again as soon as it is back.');
  }
  const text = await res.text();
  let data = null;
  try { data = text ? JSON.parse(text) : null; } catch { /* something between us and the server answered */ }
  if (res.ok) return data;
  throw new ApiError(res.status, data?.message || `The server answered with ${res.status}.`);
}

/** @typedef {string | number | undefined} Value */

/**
 * Builds a URL; empty values are left out.
 * @param {string} path @param {Record<string, Value | Value[]>} query
 */
export function url(path, query) {
  const q = new URLSearchParams();
  for (const [k, v] of Object.entries(query)) {
    for (const one of [v].flat()) if (one !== undefined && one !== '') q.append(k, String(one));
  }
  const s = q.toString();
  return s ? `${path}?${s}` : path;
}

/** @param {string} id */
const jobPath = (id) => `/api/jobs/${encodeURIComponent(id)}`;

/** @returns {Promise<wire.LoginInfo>} */
export const whoami = () => call('GET', '/api/login');
/** @param {string} token @returns {Promise<wire.LoginInfo>} */
export const login = (token) => call('POST', '/api/login', { token });
export const logout = () => call('POST', '/api/logout', {});

/** @returns {Promise<wire.StatusInfo>} */
export const status = () => call('GET', '/api/gateway/status');

/** @returns {Promise<wire.ThreadList>} */
export const threads = () => call('GET', '/api/chat/threads');
/** @returns {Promise<wire.ThreadInfo>} */
export const newThread = () => call('POST', '/api/chat/thread/new', {});
/** @param {string} thread_id @param {{ limit: number, before?: string }} p @returns {Promise<wire.HistoryResponse>} */
export const history = (thread_id, p) => call('GET', url('/api/chat/history', { thread_id, render: 'html', ...p }));
/** @param {string} thread_id @param {number} turn @returns {Promise<wire.TurnDetail>} */
export const turn = (thread_id, turn) => call('GET', url('/api/chat/turn', { thread_id, turn, render: 'html' }));
/**
 * Sends a message. A command is answered at once and begins no turn.
 * @param {string} thread_id @param {string} content
 * @returns {Promise<wire.SendResponse & Partial<wire.CommandResponse>>}
 */
export const send = (thread_id, content) => call('POST', '/api/chat/send', { content, thread_id });
/** @param {string} thread_id */
export const interrupt = (thread_id) => call('POST', '/api/chat/interrupt', { thread_id });
/** @param {string} request_id @param {string} action */
export const approve = (request_id, action) => call('POST', '/api/chat/approval', { request_id, action });
/** @param {Record<string, string | string[]>} query q and facets @returns {Promise<wire.SearchResponse>} */
export const search = (query) => call('GET', url('/api/chat/search', query));

/** @returns {Promise<wire.JobList>} */
export const jobs = () => call('GET', '/api/jobs');
/** @param {string} id @returns {Promise<wire.JobDetail>} */
export const job = (id) => call('GET', url(jobPath(id), { render: 'html' }));
/** @param {string} id @param {number} after @returns {Promise<wire.JobEventPage>} */
export const jobEvents = (id, after) => call('GET', url(`${jobPath(id)}/events`, { after }));
/** @param {string} id @param {string} content */
export const promptJob = (id, content) => call('POST', `${jobPath(id)}/prompt`, { content });
/** @param {string} id */
export const cancelJob = (id) => call('POST', `${jobPath(id)}/cancel`, {});
/** @param {string} id @returns {Promise<wire.JobInfo>} */
export const restartJob = (id) => call('POST', `${jobPath(id)}/restart`, {});
