// Parameters and results as people read them: the text out of a tool's envelope, line breaks kept, JSON indented, a
// patch known as one. All functions are pure.

import { pretty } from '../lib/format.js';

/** @import { Block, Readable } from './types.d.ts' */

/** The longest text that stands beside its name instead of in a block of its own. */
const maxInline = 120;

/**
 * Returns a value as short pairs and as blocks: an object's members by name, everything else as one block.
 * @param {unknown} value @param {string} name of the block of a value that has no members @returns {Readable}
 */
export function readable(value, name) {
  const inner = unwrapped(value);
  if (!isObject(inner)) return { pairs: [], blocks: [blockOf(name, inner)] };
  /** @type {Readable} */
  const out = { pairs: [], blocks: [] };
  for (const [key, member] of Object.entries(inner)) {
    const short = inline(member);
    if (short === null) out.blocks.push(blockOf(key, member));
    else out.pairs.push({ name: key, text: short });
  }
  return out;
}

/**
 * Returns a result that came as JSON, which may be cut, as people read it.
 * @param {string} preview
 */
export function readResult(preview) {
  const value = parsed(preview);
  return readable(value === undefined ? preview : value, 'result');
}

/** @param {unknown} v @returns {v is Record<string, unknown>} */
function isObject(v) { return typeof v === 'object' && v !== null && !Array.isArray(v); }

/**
 * Returns a value that fits beside its name, as text; null if it does not.
 * @param {unknown} v
 */
function inline(v) {
  const text = typeof v === 'string' ? v : JSON.stringify(v) ?? '';
  const nested = typeof v === 'object' && v !== null && text.length > 40;
  return nested || text.length > maxInline || /[\n\r]/.test(text) ? null : text;
}

/** @param {string} name @param {unknown} v @returns {Block} */
function blockOf(name, v) {
  if (typeof v !== 'string') return { name, kind: 'json', text: pretty(v) };
  if (isPatch(v)) return { name, kind: 'patch', text: v };
  const inner = /^\s*[[{]/.test(v) ? whole(v) : undefined;
  return inner === undefined ? { name, kind: 'text', text: v } : { name, kind: 'json', text: pretty(inner) };
}

/**
 * Reports whether a text is a patch: it has a hunk's head, or the marks of an edit, and lines that change.
 * @param {string} text
 */
function isPatch(text) {
  const head = /^(@@ |diff --git |--- \S.*\n\+\+\+ |\*\*\* (Begin Patch|Update File|Add File|Delete File))/m.test(text);
  return head && /^[+-](?![+-])/m.test(text);
}

/**
 * Takes the text out of the envelope that MCP servers send: {"content": [{"type": "text", "text": …}]}.
 * @param {unknown} value
 */
function unwrapped(value) {
  if (!isObject(value) || !Array.isArray(value.content) || !value.content.length) return value;
  const known = ['content', 'isError', 'structuredContent', '_meta'];
  if (!Object.keys(value).every((k) => known.includes(k))) return value;
  const parts = value.content.map((part) => isObject(part) ? textIn(part) : null);
  return parts.every((p) => p !== null) ? parts.join('\n') : value;
}

/** @param {Record<string, unknown>} part of an envelope */
function textIn(part) {
  if (part.type === 'text' && typeof part.text === 'string') return part.text;
  if (typeof part.type !== 'string') return null;
  return `[${[part.type, part.mimeType].filter((x) => typeof x === 'string').join(', ')}]`;
}

/** @param {string} text @returns {unknown} undefined if it is no JSON */
function whole(text) { try { return JSON.parse(text); } catch { return undefined; } }

/**
 * Parses JSON; of JSON that was cut, marked by an ellipsis at its end, what is there.
 * @param {string} text @returns {unknown} undefined if it is none
 */
function parsed(text) {
  const value = whole(text);
  return value === undefined && text.endsWith('…') ? whole(closed(text.slice(0, -1))) : value;
}

/**
 * Closes the string, the lists and the objects that a cut left open.
 * @param {string} text
 */
function closed(text) {
  /** @type {string[]} */
  const open = [];
  let quoted = false, escaped = false;
  for (const c of text) {
    if (escaped) escaped = false;
    else if (quoted) { if (c === '\\') escaped = true; else if (c === '"') quoted = false; }
    else if (c === '"') quoted = true;
    else if (c === '{' || c === '[') open.push(c === '{' ? '}' : ']');
    else if (c === '}' || c === ']') open.pop();
  }
  const rest = quoted ? text.replace(/\\(u[0-9a-fA-F]{0,3})?$/, '') + '…"' : text.replace(/[,:]\s*$/, '');
  return rest + open.reverse().join('');
}
