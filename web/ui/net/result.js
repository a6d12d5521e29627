// The whole result of a job's call, which only its log has, since its turns have a part. Loaded with the first.

import * as api from './api.js';

/**
 * Returns the result of a call, or undefined if the log has none.
 * @param {string} job @param {string} call
 */
export async function resultOf(job, call) {
  for (let after = 0, more = true; more;) {
    const { events, has_more } = await api.jobEvents(job, after), list = events.map((e) => e.data);
    const found = list.find((f) => f.type === 'job_tool_result' && f.call_id === call);
    if (found?.type === 'job_tool_result') return found.output;
    more = has_more && events.length > 0;
    if (more) after = events[events.length - 1].id;
  }
}
