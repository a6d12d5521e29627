// The server's routes, one function each. The login is a cookie, which no script can read,
// and a key that goes with it in a header.

import { keepPageKey, pageKey } from '../lib/pagekey.js';

/** @import * as wire from '../wire.d.ts' */
/** @import { Kind, Space } from '../state/types.d.ts' */

/** An answer that is no success. Its message says what was wrong and what to do. */
export class ApiError extends Error {
  /** @param {number} status 0 if there was no answer @param {string} message @param {string} [code] */
  constructor(status, message, code = '') {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/**
 * Reports whether an error means that nobody is signed in.
 * @param {unknown} e
 */
export function isSignedOut(e) { return e instanceof ApiError && e.status === 401; }

/**
 * Reports whether an error means that the server is away, or its storage is: nobody knows then
 * whether it took what was sent.
 * @param {unknown} e
 */
export function isAway(e) {
  return e instanceof ApiError && ([0, 502, 504].includes(e.status) || e.code === 'storage_failed');
}

/**
 * Reports whether an error may pass by itself.
 * @param {unknown} e
 */
export function mayPass(e) { return isAway(e) || (e instanceof ApiError && [429, 503].includes(e.status)); }

/**
 * Reports whether an error means that changed parameters were not taken. The question is still open then.
 * @param {unknown} e
 */
export function isRefusedEdit(e) {
  return e instanceof ApiError && ['bad_arguments', 'denied_arguments', 'no_edit', 'invalid_json'].includes(e.code);
}

/**
 * Sends a request with the login and returns its answer, which is a success.
 * @param {string} method @param {string} path @param {object | string} [body] JSON, or what becomes JSON
 * @param {{ signal?: AbortSignal, keepalive?: boolean }} [how] keepalive lets it outlive the page
 */
export async function ask(method, path, body, how) {
  /** @type {Record<string, string>} */
  const headers = {}, key = pageKey();
  if (key) headers['Candor-Page-Key'] = key;
  if (body) headers['Content-Type'] = 'application/json';
  let res;
  try {
    const json = typeof body === 'object' ? JSON.stringify(body) : body;
    res = await fetch(path, { method, headers, credentials: 'same-origin', cache: 'no-store', body: json, ...how });
  } catch {
    throw new ApiError(0, 'The server cannot be reached. Try again once it is back.');
  }
  if (res.ok) return res;
  const data = parse(await res.text());
  const message = data?.message || `The server answered with ${res.status}.`;
  throw new ApiError(res.status, message, data?.error);
}

/**
 * @param {string} text
 * @returns {{ message?: string, error?: string } | null} null if something between us and the server answered
 */
function parse(text) {
  try { return text ? JSON.parse(text) : null; } catch { return null; }
}

/** @template T @param {string} method @param {string} path @param {object | string} [body] @returns {Promise<T>} */
async function call(method, path, body) {
  const res = await ask(method, path, body);
  return /** @type {T} */ (parse(await res.text()));
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
/** @param {wire.LoginRequest} by a token, or the code of a link */
export async function login(by) {
  /** @type {wire.LoginResponse} */
  const { page_key } = await call('POST', '/api/login', by);
  keepPageKey(page_key);
}
export async function logout() {
  await call('POST', '/api/logout', {});
  keepPageKey('');
}

/** @returns {Promise<wire.StatusInfo>} */
export const status = () => call('GET', '/api/gateway/status');

/** @param {string} [before] @returns {Promise<wire.ThreadList>} */
export const threads = (before) => call('GET', url('/api/chat/threads', { before }));
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
/** @param {string} request_id @param {string} action @param {string} [value] another decision */
export const approve = (request_id, action, value) =>
  call('POST', '/api/chat/approval', { request_id, action, value });
/**
 * Approves a call with other parameters, which go as they were written: a number of many digits would not survive being
 * read here.
 * @param {string} id of the request @param {string} action @param {string} parameters JSON
 */
export const approveEdited = (id, action, parameters) => call('POST', '/api/chat/approval/edit',
  `{"request_id":${JSON.stringify(id)},"action":${JSON.stringify(action)},"arguments":${parameters}}`);
/** @param {Record<string, Value | Value[]>} query q and facets @returns {Promise<wire.SearchResponse>} */
export const search = (query) => call('GET', url('/api/chat/search', query));

/** @returns {Promise<{ spaces: Space[] }>} the spaces that the user owns */
export const spaces = () => call('GET', '/api/mew/spaces');
/** @param {string} space @param {'join' | 'leave'} how */
export const takePart = (space, how) => call('POST', `/api/mew/spaces/${encodeURIComponent(space)}/${how}`, {});

/** @param {string} [before] @returns {Promise<wire.JobList>} */
export const jobs = (before) => call('GET', url('/api/jobs', { before }));
/** @param {string} id @param {string} [before] @returns {Promise<wire.JobDetail>} */
export const job = (id, before) => call('GET', url(jobPath(id), { render: 'html', before }));
/** @param {string} id @param {number} after @returns {Promise<wire.JobEventPage>} */
export const jobEvents = (id, after) => call('GET', url(`${jobPath(id)}/events`, { after }));
/** @param {string} id @param {string} content */
export const promptJob = (id, content) => call('POST', `${jobPath(id)}/prompt`, { content });
/** @param {string} id */
export const cancelJob = (id) => call('POST', `${jobPath(id)}/cancel`, {});
/** @param {string} title @param {string} prompt @returns {Promise<wire.JobInfo>} */
export const openJob = (title, prompt) => call('POST', '/api/jobs', { title, prompt });
/** @param {string} id @returns {Promise<wire.JobInfo>} */
export const restartJob = (id) => call('POST', `${jobPath(id)}/restart`, {});

/**
 * Deletes a thread or a job for good. The answer comes before the storage is cleared, if that takes long.
 * @param {Kind} kind @param {string} id @param {boolean} [keepalive] the page is being left
 */
export const remove = (kind, id, keepalive) =>
  ask('DELETE', kind === 'job' ? jobPath(id) : `/api/chat/threads/${encodeURIComponent(id)}`, {}, { keepalive });
