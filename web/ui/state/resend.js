// Which of the messages that wait for the server goes next, and which of them it has already. All functions are
// pure; they are loaded once something waits and the server is there.

import { editWaiting } from './outbox.js';

/** @import { State, Turn, Waiting } from './types.d.ts' */

/**
 * Returns the message to send next. What the server refused waits for a person, and what was
 * written behind it waits with it; a conversation that is being deleted gets nothing.
 * @param {State} s
 */
export function nextWaiting(s) {
  return s.waiting.find((m, i) => !s.hidden[m.thread] &&
    !s.waiting.slice(0, i + 1).some((before) => before.thread === m.thread && before.problem));
}

/**
 * Returns the first turn after a message was written that has its words: the server took the
 * message, and the answer that said so was lost.
 * @param {Waiting} m @param {Pick<Turn, 'number' | 'input'>[]} turns
 */
export function takenAs(m, turns) {
  return turns.find((t) => t.number > m.after && t.input !== null && sameWords(m.text, t.input));
}

/**
 * Reports whether the server's copy of a message may be of this text. In the copy secrets are
 * masked, and signs that cannot be seen are left out.
 * @param {string} text @param {string} input
 */
export function sameWords(text, input) {
  if (text.trim() === input.trim()) return true;
  const words = plain(text), parts = input.split(/\[REDACTED:[^\]]*\]/).map(plain);
  if (parts.length === 1) return words !== '' && words === parts[0];
  let at = parts[0].length;
  if (!words.startsWith(parts[0])) return false;
  for (const part of parts.slice(1)) {
    const found = words.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return words.endsWith(parts[parts.length - 1]);
}

/** @param {string} text */
function plain(text) { return text.normalize('NFKC').replace(/[^\p{L}\p{N}]+/gu, ''); }

/**
 * Drops a message that has become a turn. What waits behind it is looked for after that turn.
 * @param {Waiting[]} all @param {Waiting} done @param {number} turn
 */
export function withoutSent(all, done, turn) {
  return editWaiting(all, done.key, () => null)
    .map((m) => m.thread === done.thread ? { ...m, after: Math.max(m.after, turn) } : m);
}
