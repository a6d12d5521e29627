// What in parameters and results has a colour of its own: the members and values of JSON, the lines of a patch, and
// the paths of files. All functions are pure.

/** @import { Block } from './types.d.ts' */
/** @typedef {{ as: '' | 'key' | 'value' | 'path', text: string }} Part */

/** Of a longer text only the beginning has colours: they are for reading, and each costs an element. */
const maxColoured = 20_000;

/** A member's name, a string, a number or a word of JSON. */
const json = /("(?:[^"\\\n]|\\.)*")(\s*:)?|(-?\b\d+(?:\.\d+)?(?:[eE][-+]?\d+)?\b|\b(?:true|false|null)\b)/g;

/** What may be a path, with what may follow it. */
const word = /[\w.@+~:/-]{3,300}/g;

/**
 * Returns a text in parts, each with what it is; '' is nothing special. The parts make the text again.
 * @param {Block['kind']} kind @param {string} text @returns {Part[]}
 */
export function coloured(kind, text) {
  /** @type {Part[]} */
  const out = [];
  let at = 0;
  for (const m of text.slice(0, maxColoured).matchAll(kind === 'json' ? json : word)) {
    const found = kind === 'json' ? inJSON(m) : inText(m[0]);
    if (!found.as) continue;
    if (m.index > at) out.push({ as: '', text: text.slice(at, m.index) });
    out.push(found);
    at = m.index + found.text.length;
  }
  if (at < text.length) out.push({ as: '', text: text.slice(at) });
  return out;
}

/** @param {RegExpExecArray} m @returns {Part} */
function inJSON([all, string, colon]) {
  if (!string) return { as: 'value', text: all };
  return { as: colon ? 'key' : isPath(string.slice(1, -1)) ? 'path' : '', text: string };
}

/** @param {string} found @returns {Part} */
function inText(found) {
  const text = found.replace(/[:.,-]+$/, '');
  return { as: isPath(text) ? 'path' : '', text };
}

/** A path from a root, and one that has folders or a line's number, and an ending. */
const rooted = /^(~|\.{1,2})?(\/[\w.@+-]+)+\/?(:\d+)*$/;
const withEnding = /^((\.?[\w@+-][\w.@+-]*\/)+[\w.@+-]*\.[a-zA-Z]\w{0,9}(:\d+)*|[\w@+-]+\.[a-zA-Z]\w{0,9}(:\d+)+)$/;

/**
 * Reports whether a word is the path of a file: it begins at a root, has folders and an ending, or leads to a line.
 * @param {string} text
 */
function isPath(text) {
  if (/\s|:\/\//.test(text)) return false;
  return rooted.test(text) || withEnding.test(text);
}

/**
 * Returns the kind of each line of a patch.
 * @param {string} text @returns {{ kind: 'head' | 'added' | 'removed' | 'same', text: string }[]}
 */
export function patchLines(text) {
  return text.replace(/\n$/, '').split('\n').map((line) => {
    if (/^(@@|diff |index |--- |\+\+\+ |\*\*\* )/.test(line)) return { kind: 'head', text: line };
    if (line.startsWith('+')) return { kind: 'added', text: line };
    return line.startsWith('-') ? { kind: 'removed', text: line } : { kind: 'same', text: line };
  });
}
