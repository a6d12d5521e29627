// How numbers, times and texts read. All functions are pure.

/** @import { Finding } from '../state/types.d.ts' */
/** A span of time as a person says it: 12 ms, 4.1 s, 42 s, 2 min 05 s. @param {number} ms */
export function span(ms) {
  if (!(ms >= 0)) return '';
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 9950) return `${(ms / 1000).toFixed(1)} s`;
  const s = Math.round(ms / 1000);
  if (s < 60) return `${s} s`;
  if (s < 3600) return `${Math.floor(s / 60)} min ${pad(s % 60)} s`;
  return `${Math.floor(s / 3600)} h ${pad(Math.floor(s / 60) % 60)} min`;
}

/** A running counter has no fractions, so that it does not flicker. @param {number} ms */
export function counter(ms) {
  return ms < 60_000 ? `${Math.max(0, Math.floor(ms / 1000))} s` : span(Math.floor(ms / 1000) * 1000);
}

/** @param {number} n */
function pad(n) { return String(n).padStart(2, '0'); }

/** "1 tool", "3 tools". @param {number} n @param {string} noun @param {string} [many] */
export function plural(n, noun, many = noun + 's') { return `${n} ${n === 1 ? noun : many}`; }

/** The time of day, or the day where it is another one. @param {number} at @param {number} now */
export function clock(at, now) {
  const d = new Date(at), time = `${pad(d.getHours())}:${pad(d.getMinutes())}`;
  if (d.toDateString() === new Date(now).toDateString()) return time;
  return `${d.getDate()} ${months[d.getMonth()]}, ${time}`;
}
const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** How long ago, in one short word. @param {number} at @param {number} now */
export function ago(at, now) {
  const s = Math.max(0, (now - at) / 1000);
  if (s < 45) return 'now';
  if (s < 3600) return `${Math.max(1, Math.round(s / 60))} min`;
  if (s < 86_400) return `${Math.round(s / 3600)} h`;
  if (s < 7 * 86_400) return `${Math.round(s / 86_400)} d`;
  const d = new Date(at);
  return `${d.getDate()} ${months[d.getMonth()]}`;
}

/** @param {number} bytes */
export function size(bytes) {
  if (bytes < 1000) return plural(bytes, 'byte');
  if (bytes < 1_000_000) return `${(bytes / 1000).toFixed(bytes < 9950 ? 1 : 0)} kB`;
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}

/** A value as indented JSON. Text that is JSON already is indented too. @param {unknown} value */
export function pretty(value) {
  if (value === undefined) return '';
  let v = value;
  if (typeof v === 'string') { try { v = JSON.parse(v); } catch { return v + ''; } }
  return JSON.stringify(v, null, 2);
}

/** The first line of a text without Markdown's marks, cut to a length. @param {string} text @param {number} [max] */
export function firstLine(text, max = 160) {
  const line = text.split('\n').map((l) => l.trim()).find((l) => l && !/^([-*_]{3,}|```.*)$/.test(l)) || '';
  const plain = line.replace(/^(#{1,6}|>|[-*+]|\d+[.)])\s+/, '').replace(/[*`~]{1,3}(\S(?:.*?\S)?)[*`~]{1,3}/g, '$1').replace(/(^|\s)_{1,2}(\S(?:.*?\S)?)_{1,2}(?!\w)/g, '$1$2');
  return cut(plain, max);
}

/** Cuts at a whole character. @param {string} text @param {number} max */
export function cut(text, max) {
  const all = [...text];
  return all.length <= max ? text : all.slice(0, max - 1).join('').trimEnd() + '…';
}

/** "aws-key", "aws-key ×3". @param {Finding} f */
export function finding(f) { return f.count > 1 ? `${f.rule} ×${f.count}` : f.rule; }

/** Milliseconds since 1970 of an RFC 3339 time; 0 for none. @param {string | null | undefined} at */
export function ms(at) { return at ? Date.parse(at) || 0 : 0; }
