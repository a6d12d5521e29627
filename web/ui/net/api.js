// The server's routes, one function each. Who is asking is in a cookie that no
// script can read.

/** An answer that is no success. Its message says what was wrong and what to do. */
export class ApiError extends Error {
  /** @param {number} status @param {string} code @param {string} message */
  constructor(status, code, message) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/** @param {string} method @param {string} path @param {unknown} [body] @returns {Promise<any>} */
async function call(method, path, body) {
  let res;
  try {
    res = await fetch(path, {
      method, credentials: 'same-origin', cache: 'no-store',
      headers: body === undefined ? {} : { 'Content-Type': 'application/json' },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
  } catch {
    throw new ApiError(0, 'offline', 'The server cannot be reached. It is tried again as soon as it is back.');
  }
  const text = await res.text();
  let data = null;
  try { data = text ? JSON.parse(text) : null; } catch { /* an answer of something between us and the server */ }
  if (res.ok) return data;
  throw new ApiError(res.status, data?.error || 'failed', data?.message || `The server answered with ${res.status}.`);
}

/** @param {string} path @param {Record<string, any>} query what is empty is left out */
export function url(path, query) {
  const q = new URLSearchParams();
  for (const [k, v] of Object.entries(query)) {
    for (const one of Array.isArray(v) ? v : [v]) if (one !== undefined && one !== null && one !== '') q.append(k, String(one));
  }
  const s = q.toString();
  return s ? `${path}?${s}` : path;
}

export const whoami = () => call('GET', '/api/login');
/** @param {string} token */
export const login = (token) => call('POST', '/api/login', { token });
export const logout = () => call('POST', '/api/logout', {});
export const status = () => call('GET', '/api/gateway/status');
export const threads = () => call('GET', '/api/chat/threads');
export const newThread = () => call('POST', '/api/chat/thread/new', {});
/** @param {string} thread @param {{ limit?: number, before?: string }} [page] */
export const history = (thread, page = {}) => call('GET', url('/api/chat/history', { thread_id: thread, render: 'html', ...page }));
/** @param {string} thread @param {number} turn */
export const turn = (thread, turn) => call('GET', url('/api/chat/turn', { thread_id: thread, turn, render: 'html' }));
/** @param {string} thread @param {string} content */
export const send = (thread, content) => call('POST', '/api/chat/send', { content, thread_id: thread });
/** @param {string} thread */
export const interrupt = (thread) => call('POST', '/api/chat/interrupt', { thread_id: thread });
/** @param {string} request @param {string} action */
export const approve = (request, action) => call('POST', '/api/chat/approval', { request_id: request, action });
export const jobs = () => call('GET', '/api/jobs');
/** @param {string} id */
export const job = (id) => call('GET', `/api/jobs/${encodeURIComponent(id)}`);
/** @param {string} id @param {number} after */
export const jobEvents = (id, after) => call('GET', url(`/api/jobs/${encodeURIComponent(id)}/events`, { after }));
/** @param {string} id @param {string} content */
export const promptJob = (id, content) => call('POST', `/api/jobs/${encodeURIComponent(id)}/prompt`, { content });
/** @param {string} id */
export const cancelJob = (id) => call('POST', `/api/jobs/${encodeURIComponent(id)}/cancel`, {});
/** @param {Record<string, any>} query q, tool, outcome, source, redacted, agent, limit */
export const search = (query) => call('GET', url('/api/chat/search', query));
/** @param {string} thread @param {string} format @param {number} [turn] */
export const exportURL = (thread, format, turn) => url('/api/chat/export', { thread_id: thread, format, turn });
