// What screen readers are told: changes of state, never the words of a model as they
// arrive.

import { plural } from '../lib/format.js';
import { headline } from '../state/outline.js';

/** @import { Action, Frame, Link, State } from '../state/types.d.ts' */

/**
 * Returns an effect of the store that announces what it sees.
 * @param {(text: string) => void} say @returns {(s: State, a: Action) => void}
 */
export function announce(say) {
  let last = '';
  return (s, a) => {
    if (a.type === 'link') {
      const words = last && a.link.state !== last && ofLink(a.link);
      if (words) say(words);
      last = a.link.state;
    }
    if (a.type !== 'event' || idOf(a.frame) !== s.active.id) return;
    const words = ofFrame(s, a.frame);
    if (words) say(words);
  };
}

/** @param {Frame} f */
function idOf(f) { return 'job_id' in f ? f.job_id : f.thread_id; }

/** @param {Link} l */
function ofLink(l) {
  switch (l.state) {
    case 'lost': return 'Connection lost. Trying again.';
    case 'resumed': return `Connected again; ${plural(l.count, 'missed event')} loaded.`;
    case 'reset': return 'Connected again. Everything was reloaded.';
  }
  return '';
}

/** @param {State} s @param {Frame} f */
function ofFrame(s, f) {
  switch (f.type) {
    case 'thinking': return f.step ? '' : `Turn ${f.turn_number} has begun.`;
    case 'approval_needed': return `${f.tool_name} needs your ${f.low_confidence ? 'answer' : 'approval'}.`;
    case 'response': return ofEnd(s, f.turn_number, 'answered');
    case 'error': return ofEnd(s, f.turn_number, 'failed');
    case 'status': return f.state === 'interrupted' ? ofEnd(s, f.turn_number, 'was stopped') : '';
  }
  return '';
}

/** @param {State} s @param {number | undefined} number @param {string} how */
function ofEnd(s, number, how) {
  const t = s.conversations[s.active.id]?.turns.find((t) => t.number === number);
  // What the last steps used is not known before the turn is fetched; a part is no sum.
  if (!t) return '';
  const { label, detail } = headline(t.stale ? { ...t, tokens: 0 } : t, 0);
  const [, time] = / (?:for|in|after) (.*)/.exec(label) || [];
  return `Turn ${t.number} ${how}${time ? ` after ${time}` : ''}: ${detail.replaceAll(' · ', ', ')}.`;
}
