// What is told to who listens rather than looks: changes of state, never the words
// of a model as they come.

import { plural } from '../lib/format.js';
import { headline } from '../state/outline.js';

/** @import { Frame, Link, State } from '../state/types.d.ts' */

/** @param {(text: string) => void} say @returns {(s: State, a: import('../state/reduce.js').Action) => void} */
export function announce(say) {
  let link = '';
  return (s, a) => {
    if (a.type === 'link') {
      if (link && a.link.state !== link) sayLink(a.link, say);
      link = a.link.state;
    }
    if (a.type !== 'event' || (a.frame.thread_id || a.frame.job_id) !== s.active.id) return;
    const words = ofFrame(s, a.frame);
    if (words) say(words);
  };
}

/** @param {Link} l @param {(text: string) => void} say */
function sayLink(l, say) {
  if (l.state === 'lost') say('The connection is lost. It is tried again.');
  if (l.state === 'resumed') say(`Connected again, with ${plural(l.count, 'event')} that were missed.`);
  if (l.state === 'reset') say('Connected again. Everything was read anew.');
}

/** @param {State} s @param {Frame} f */
function ofFrame(s, f) {
  const turn = () => s.conversations[s.active.id]?.turns.find((t) => t.number === f.turn_number);
  if (f.type === 'thinking' && !f.step) return `Turn ${f.turn_number} has begun.`;
  if (f.type === 'approval_needed') return `${f.tool_name} needs your approval.`;
  const ended = f.type === 'response' || f.type === 'error' || f.state === 'interrupted', t = ended && turn();
  if (!t) return '';
  const how = f.type === 'response' ? 'answered' : f.type === 'error' ? 'failed' : 'was stopped';
  return `Turn ${t.number} ${how}: ${headline(t, 0).detail}.`;
}
