// <candor-attached>: what is to be known of the session of another program's agent besides its turns: which program and
// model, where it works, by which channels it is heard, and for how many of its calls there is a reason.
// Also who told what of one of its calls.

import { attribute, fill, h, loadStyles } from '../lib/dom.js';
import { ago, ms, plural, span } from '../lib/format.js';
import { isQuiet } from '../state/heard.js';
import { saidIn } from '../state/said.js';

/** @import { AttachedInfo, Channel, SightedInfo, ThreadInfo } from '../wire.d.ts' */
/** @import { Call, Turn } from '../state/types.d.ts' */

await loadStyles('/ui/css/ondemand.css');

/** @type {Record<Channel, string>} */
const channels = { hooks: 'hooks', file: 'session file', telemetry: 'telemetry', wrapper: 'wrapper' };

/** How long ago a channel may have told something to count as one that tells, in ms. */
const lately = 60_000;

export class Attached extends HTMLElement {
  #what = h('p', { class: 'head' }); #why = h('p', { class: 'dim' });
  #drawn = '';

  /** @param {ThreadInfo} t @param {Turn[]} turns those that were read @param {number} now the server's time */
  update(t, turns, now) {
    if (!t.attached) return;
    if (!this.firstChild) {
      attribute(this, 'role', 'group');
      attribute(this, 'aria-label', 'The agent');
      this.append(this.#what, this.#why);
    }
    const own = words(turns), calls = own.calls;
    // While a turn goes on the reason of its calls may still be told.
    const ended = turns.some((turn) => turn.calls.length && turn.state !== 'processing' && turn.state !== 'queued');
    const key = JSON.stringify([t.origin?.participant, told(t.attached, now), own, ended]);
    if (key === this.#drawn) return;
    this.#drawn = key;
    fill(this.#what, ...parts(t, now), calls > 0 && h('span', { class: 'coverage' }, 'reasons for ',
      h('b', null, String(own.reason)), ` of ${plural(calls, 'call')} shown; the model’s own words before `,
      h('b', null, String(own.any)),
      own.any > 0 && ` (${own.reason} by reason, ${own.text} by text, ${own.thought} by thought)`));
    fill(this.#why, ...ended ? unexplained(t.origin?.participant || '', own) : []);
  }
}

/**
 * Counts the calls, and those before which the model said why in words of its own, by where they stand.
 * @param {Turn[]} turns
 */
function words(turns) {
  const n = { calls: 0, reason: 0, text: 0, thought: 0, any: 0 };
  for (const t of turns) {
    for (const c of t.calls) {
      const s = saidIn(t, c), summed = s?.source === 'summary';
      const has = { reason: c.source === 'model', text: !!s?.text && !summed,
        thought: !!s?.thought || summed || c.source === 'thought' };
      for (const key of /** @type {const} */ (['reason', 'text', 'thought'])) n[key] += Number(has[key]);
      n.calls++;
      n.any += Number(has.reason || has.text || has.thought);
    }
  }
  return n;
}

/** What candor attach calls the programs whose model its hooks can ask for reasons, and whether thoughts can be had. */
const asking = new Map([['Claude Code', ['claude', true]], ['Codex', ['codex', true]], ['Gemini CLI', ['gemini']],
  ['Qwen Code', ['qwen']]]);

/**
 * Says that no call has a reason, or a thought, and what helps.
 * @param {string} program @param {ReturnType<typeof words>} n
 */
function unexplained(program, n) {
  const [name, thinks] = asking.get(program) || [], attach = (/** @type {string} */ flag, /** @type {string} */ what) =>
    [what, h('code', null, `candor attach ${name} ${flag}`)];
  return [
    n.reason === 0 && 'None of these calls has a reason: the agent gave none.',
    ...name && n.reason === 0 ? attach('--ask-reasons', ' To ask its model for one before each call: ') : [],
    ...thinks && n.thought === 0 ? attach('--thinking', ' To be told its thoughts: ') : [],
  ];
}

/** @param {AttachedInfo} a @param {number} now */
function told(a, now) {
  return [a.version, a.model, a.folder, isQuiet(ms(a.told_at), now),
    ...a.channels.map((c) => `${c.channel} ${ago(ms(c.heard_at), now)}`)];
}

/** @param {ThreadInfo} t @param {number} now */
function parts(t, now) {
  const a = /** @type {AttachedInfo} */ (t.attached);
  const dim = (/** @type {string} */ text) => text && h('bdi', null, text);
  return [
    h('b', null, t.origin?.participant || ''), dim(a.version), dim(a.model),
    a.folder && h('code', { dir: 'auto' }, a.folder),
    ...a.channels.map((c) => {
      const at = ms(c.heard_at), now_ = now - at < lately && !isQuiet(ms(a.told_at), now);
      return h('span', { class: 'channel', 'data-live': String(now_), title: 'When it last reported' },
        h('i', { class: 'dot', 'aria-hidden': 'true' }), `${channels[c.channel]}, ${ago(at, now)}`);
    }),
  ];
}

/**
 * Lists which channels told what of a call.
 * @param {Call} c @param {SightedInfo} by
 */
export function provenance(c, by) {
  const row = (/** @type {string} */ what, /** @type {Channel[] | undefined} */ list, text = '') =>
    (text || list?.length) && h('tr', null, h('th', { scope: 'row' }, what), h('td', { dir: 'auto' }, text),
      h('td', { class: 'dim' }, agreed(list)));
  return h('table', { class: 'provenance' }, h('caption', null, 'Who reported what'), h('tbody', null,
    row('call', by.called, [c.tool, c.object].filter(Boolean).join(' ')),
    row('reason', by.reason, c.source === 'fallback' ? 'none given' : c.why),
    by.described && row('what it does', by.called, by.described),
    row('result', by.result, by.partial ? 'only its beginning is known' : c.got),
    row('time', by.took, c.took === null ? '' : span(c.took))));
}

/** @param {Channel[] | undefined} list the one whose word is shown first */
function agreed(list) {
  if (!list?.length) return 'not reported';
  const [first, ...others] = list.map((c) => channels[c]);
  return others.length ? `${first}; ${others.join(' and ')} as well` : first;
}

customElements.define('candor-attached', Attached);
