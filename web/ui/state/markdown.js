// The blocks and marks of Markdown in what a model writes, while it does: what is not closed yet counts as closed at
// the end. The server makes the answer of it later; this is for the time before. All functions are pure.

/** @import { Mark, Markup } from './types.d.ts' */

/** The deepest nesting of lists and quotes. */
const maxDepth = 6;

const fence = /^ {0,3}(```+|~~~+)/, heading = /^ {0,3}(#{1,6})\s+(.*?)[\s#]*$/, quote = /^ {0,3}> ?/;
const item = /^( {0,3})([-*+]|\d{1,9}[.)])( +|$)/;

/**
 * Returns the blocks of a text.
 * @param {string} text @param {boolean} [open] whether more of it may come @param {number} [depth] @returns {Markup[]}
 */
export function markup(text, open = false, depth = 0) {
  /** @type {Markup[]} */
  const out = [], lines = text.split('\n');
  for (let i = 0; i < lines.length;) {
    const block = lines[i].trim() ? take(lines, i, open, depth) : { next: i + 1 };
    if (block.as) out.push(block.as);
    i = block.next;
  }
  return out;
}

/**
 * Takes the block that begins at a line, and says which line comes after it.
 * @param {string[]} lines @param {number} at @param {boolean} open @param {number} depth
 * @returns {{ as?: Markup, next: number }}
 */
function take(lines, at, open, depth) {
  const [, mark] = fence.exec(lines[at]) || [], [, hashes, title] = heading.exec(lines[at]) || [];
  if (mark) return code(lines, at, mark);
  if (hashes) {
    const last = open && at === lines.length - 1;
    return { as: { kind: `h${hashes.length}`, marks: marks(title, last) }, next: at + 1 };
  }
  if (depth < maxDepth && item.test(lines[at])) return list(lines, at, open, depth);
  if (depth < maxDepth && quote.test(lines[at])) {
    const next = after(lines, at, (line) => quote.test(line));
    const inner = lines.slice(at, next).map((line) => line.replace(quote, '')).join('\n');
    return { as: { kind: 'blockquote', blocks: markup(inner, open && next === lines.length, depth + 1) }, next };
  }
  const next = after(lines, at, (line) => !!line.trim() && !begins(line)), last = open && next === lines.length;
  return { as: { kind: 'p', marks: marks(lines.slice(at, next).map((l) => l.trimStart()).join('\n'), last) }, next };
}

/** Says whether a line ends a paragraph. @param {string} line */
function begins(line) { return fence.test(line) || heading.test(line) || quote.test(line) || item.test(line); }

/**
 * Returns the first line after one for which something does not hold.
 * @param {string[]} lines @param {number} at @param {(line: string) => boolean} holds
 */
function after(lines, at, holds) {
  let next = at + 1;
  while (next < lines.length && holds(lines[next])) next++;
  return next;
}

/** @param {string[]} lines @param {number} at @param {string} mark */
function code(lines, at, mark) {
  const end = after(lines, at, (line) => !line.trim().startsWith(mark));
  return { as: { kind: 'pre', text: lines.slice(at + 1, end).join('\n') }, next: end + 1 };
}

/**
 * Takes a list. What is indented below an item is of it, and so is what goes on without a blank line.
 * @param {string[]} lines @param {number} at @param {boolean} open @param {number} depth
 */
function list(lines, at, open, depth) {
  const ordered = (line = '') => /\d/.test(item.exec(line)?.[2] || '');
  const kind = ordered(lines[at]) ? 'ol' : 'ul';
  const of = (line = '') => item.test(line) && ordered(line) === (kind === 'ol');
  /** @type {Markup[]} */
  const items = [];
  let i = at;
  while (i < lines.length && of(lines[i])) {
    const head = item.exec(lines[i])?.[0] || '', indent = new RegExp(`^ {2,${head.length + 1}}`);
    const within = (line = '') => indent.test(line) || (!!line.trim() && !begins(line));
    let next = after(lines, i, within);
    while (next < lines.length - 1 && !lines[next].trim() && indent.test(lines[next + 1])) {
      next = after(lines, next, within);
    }
    const inner = [lines[i].slice(head.length), ...lines.slice(i + 1, next).map((line) => line.replace(indent, ''))];
    items.push({ kind: 'li', blocks: markup(inner.join('\n'), open && next === lines.length, depth + 1) });
    i = next;
    if (!lines[i]?.trim() && of(lines[i + 1])) i++; // a blank line between items
  }
  return { as: { kind, blocks: items }, next: i };
}

/** What was taken out of a text, an escaped sign, code, strong words and words with stress; none is very long. */
const closed = String.raw`(\[REDACTED(?::[\w.-]{1,60})?\])|\\([!-/:-@[-\x60{-~])|(\x60+)([^]{1,300}?)\3(?!\x60)` +
  String.raw`|(\*\*|(?<!\w)__)(?=\S)([^]{0,300}?\S)\5(?!\w*__)|(\*|(?<!\w)_)(?![\s*_])([^]{0,300}?[^\s*_])\7(?![*\w])`;
/** The same, and at the end what was begun. */
const pending = String.raw`|(\x60+|\*\*|(?<!\w)__|(?<![\w*])\*|(?<!\w)_)(?!\s)([^\x60]{0,300})$`;

const ended = new RegExp(closed, 'g'), goesOn = new RegExp(closed + pending, 'g');

/**
 * Returns the marks within a paragraph.
 * @param {string} text @param {boolean} open whether more of it may come @param {number} [depth] @returns {Mark[]}
 */
export function marks(text, open, depth = 0) {
  if (depth >= maxDepth) return text ? [{ kind: '', text }] : [];
  /** @type {Mark[]} */
  const out = [], plain = (text = '') => {
    const last = out[out.length - 1];
    if (last?.kind === '' && text) out[out.length - 1] = { kind: '', text: last.text + text };
    else if (text) out.push({ kind: '', text });
  };
  let at = 0;
  for (const m of text.matchAll(open ? goesOn : ended)) {
    plain(text.slice(at, m.index));
    at = m.index + m[0].length;
    const [, redacted, escaped, , inCode, two, strong, one, stressed, begun, rest] = m;
    const sign = two || one || begun || '', inner = strong || stressed || rest?.replace(/[*_]+$/, '') || '';
    if (redacted || escaped) plain(redacted || escaped);
    else if (inCode !== undefined || sign.startsWith('`')) out.push({ kind: 'code', text: (inCode ?? inner).trim() });
    else if (inner) out.push({ kind: sign.length > 1 ? 'strong' : 'em', marks: marks(inner, open, depth + 1) });
  }
  plain(text.slice(at));
  return out.filter((m) => m.text || m.marks?.length);
}
