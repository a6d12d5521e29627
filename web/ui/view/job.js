// <candor-job>: what is to be known of a job besides its turns: whether a worker is at it, how one is started, and
// how the job ended.

import { attribute, fill, h, loadStyles, setText } from '../lib/dom.js';
import { openDialog } from '../lib/dialog.js';
import { ms, plural, since } from '../lib/format.js';
import { openJob } from '../net/api.js';
import { formatRoute } from '../state/route.js';
import { toClipboard } from './copy.js';

/** @import { JobInfo } from '../wire.d.ts' */
/** @import { Job } from '../state/types.d.ts' */

await loadStyles('/ui/css/ondemand.css');

/** The tokens of jobs that this page opened, which the server shows once. @type {Map<string, JobInfo>} */
const opened = new Map();

/**
 * Keeps the token of a job until the page is left, and shows it if the job is open already.
 * @param {JobInfo} job
 */
function keepToken(job) {
  opened.set(job.job_id, job);
  document.querySelector('candor-job')?.redraw();
}

/** Opens a job for a program of the user's. */
export async function watchOwn() {
  const job = await openJob('My agent', 'What my own agent does, and why.');
  keepToken(job);
  location.hash = formatRoute({ job: job.job_id });
}

export class JobView extends HTMLElement {
  #state = h('strong'); #detail = h('span', { class: 'dim' });
  #restart = h('button', { type: 'button', click: () => this.#confirm() }, 'Restart');
  #failure = h('p', { class: 'failed', dir: 'auto' }); #start = h('div', { class: 'start' });
  #drawn = '';
  /** @type {Job | null} */
  #job = null;
  /** @type {(id: string) => Promise<JobInfo | void>} */
  #act = async () => {};

  /** @param {Job} job @param {number} now the server's time @param {(id: string) => Promise<JobInfo | void>} restart */
  update(job, now, restart) {
    if (!this.firstChild) {
      attribute(this, 'role', 'group');
      attribute(this, 'aria-label', 'The job');
      this.append(h('p', { class: 'head' }, this.#state, ' ', this.#detail, this.#restart), this.#failure, this.#start);
    }
    this.#job = job;
    this.#act = restart;
    const ended = !!job.ended_at;
    attribute(this, 'data-state', job.state);
    setText(this.#state, stateOf(job));
    setText(this.#detail, detailOf(job, now));
    this.#restart.hidden = !ended;
    setText(this.#failure, job.state === 'failed' ? job.error || job.message || 'The worker gave no reason.' : '');
    this.#drawStart(job);
  }

  /**
   * Draws the line that starts a worker, while none is at the job.
   * @param {Job} job
   */
  #drawStart(job) {
    const known = opened.get(job.job_id), token = known?.run === job.run ? known.token : '';
    const waits = job.state === 'pending' && !job.worker_seen_at, key = waits ? `${job.job_id} ${token}` : '';
    if (key === this.#drawn) return;
    this.#drawn = key;
    if (!waits) return fill(this.#start);
    fill(this.#start, ...(token ? lineOf('Your own agent reports here what it does, and why. From a shell:',
      'The line that posts a reason', ownLine(job.job_id, token)) : []),
    ...lineOf(token ? 'Or run Candor’s worker:' : 'To start one:', 'The line that starts a worker',
      `CANDOR_JOB_TOKEN=${token || '…'} candor worker --server ${location.origin} --job ${job.job_id}`),
    h('p', { class: 'note' }, token ? 'The token is shown until you leave this page; the server does not keep it.'
      : 'The token was shown when the job was opened. Without it, stop the job and restart it for a new one.'));
  }

  /** Asks before it restarts the job: that begins nothing by itself. */
  #confirm() {
    const begin = () => { dialog.close(); this.#begin(); };
    const dialog = openDialog('Restart this job?',
      h('p', null, 'Candor starts no program: the job will wait for a worker, with a new token. Whoever runs the ' +
        'program of this job has to start it again.'),
      h('p', { class: 'export-save' }, h('button', { type: 'button', class: 'primary', click: begin }, 'Restart')));
  }

  async #begin() {
    if (!this.#job) return;
    this.#restart.disabled = true;
    const info = await this.#act(this.#job.job_id);
    this.#restart.disabled = false;
    if (info) keepToken(info);
    this.redraw();
  }

  /** Draws again how a worker is started. */
  redraw() { if (this.#job) this.#drawStart(this.#job); }
}

/**
 * Returns a line to copy, with what it is for.
 * @param {string} words @param {string} name @param {string} line
 */
function lineOf(words, name, line) {
  const copy = h('button', { type: 'button', click: async () => {
    setText(copy, await toClipboard(line) ? 'Copied' : 'Not copied');
  } }, 'Copy');
  return [h('p', null, words), h('pre', { tabindex: '0', 'aria-label': name }, line), copy];
}

/**
 * Returns the command that posts a call with its reason to a job.
 * @param {string} id @param {string} token
 */
function ownLine(id, token) {
  const call = { event: 'tool_use', tool_name: 'shell', call_id: 'toolu_01', input: { command: 'git log -3' },
    narrative: 'I begin with the history.', rationale: 'The latest commits show what was touched.' };
  return `curl ${location.origin}/api/jobs/${id}/events -H 'Authorization: Bearer ${token}' \\\n`
    + `  -H 'Content-Type: application/json' -d '${JSON.stringify(call)}'`;
}

/** @param {Job} j */
function stateOf(j) {
  switch (j.state) {
    case 'pending': return j.worker_seen_at ? 'A worker has started it' : 'Waiting for a worker';
    case 'running': return 'A worker is on it';
    case 'completed': return 'Completed';
    case 'failed': return 'Failed';
    case 'cancelled': return 'Stopped by its user';
  }
  return j.state;
}

/** @param {Job} j @param {number} now */
function detailOf(j, now) {
  const seen = ms(j.worker_seen_at), ended = ms(j.ended_at);
  return [
    j.run > 1 && `run ${j.run}`, j.dropped_runs && `${plural(j.dropped_runs, 'older run')} dropped from memory`,
    !ended && seen && `heard ${since(seen, now)}`, ended && since(ended, now),
    j.ignored_members && `${plural(j.ignored_members, 'unknown member')} of its posts ignored`,
  ].filter(Boolean).join(' · ');
}

customElements.define('candor-job', JobView);
