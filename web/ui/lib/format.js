// Numbers, times and texts as people read them. All functions are pure.

/**
 * Returns <1 ms, 12 ms, 4.1 s, 42 s or 2 min 05 s.
 * @param {number} ms
 */
export function span(ms) {
  if (!(ms >= 0)) return '';
  if (ms < 1) return '<1 ms';
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 9950) return `${(ms / 1000).toFixed(1)} s`;
  const s = Math.round(ms / 1000);
  if (s < 60) return `${s} s`;
  if (s < 3600) return `${Math.floor(s / 60)} min ${pad(s % 60)} s`;
  return `${Math.floor(s / 3600)} h ${pad(Math.floor(s / 60) % 60)} min`;
}

/**
 * Returns ~4.1 s for a time that nobody measured.
 * @param {number} ms @param {boolean} near
 */
export function about(ms, near) { return (near && ms >= 1 ? '~' : '') + span(ms); }

/** What a time is that nobody measured. */
export const nearly = 'By the times at which the server received its reports; nobody measured it';

/**
 * Formats a counter without fractions, so it does not flicker.
 * @param {number} ms
 */
export function counter(ms) {
  return ms < 60_000 ? `${Math.max(0, Math.floor(ms / 1000))} s` : span(Math.floor(ms / 1000) * 1000);
}

/** @param {number} n */
function pad(n) { return String(n).padStart(2, '0'); }

/**
 * Returns "1 tool" or "3 tools".
 * @param {number} n @param {string} noun @param {string} [many]
 */
export function plural(n, noun, many = noun + 's') { return `${n} ${n === 1 ? noun : many}`; }

/**
 * Formats the time of day, with the date unless it is today.
 * @param {number} at @param {number} now
 */
export function clock(at, now) {
  const d = new Date(at), time = `${pad(d.getHours())}:${pad(d.getMinutes())}`;
  if (d.toDateString() === new Date(now).toDateString()) return time;
  return `${d.getDate()} ${months[d.getMonth()]}, ${time}`;
}
const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/**
 * Formats how long ago something happened.
 * @param {number} at @param {number} now
 */
export function ago(at, now) {
  const s = Math.max(0, (now - at) / 1000);
  if (s < 45) return 'now';
  if (s < 3600) return `${Math.max(1, Math.round(s / 60))} min`;
  if (s < 86_400) return `${Math.round(s / 3600)} h`;
  if (s < 7 * 86_400) return `${Math.round(s / 86_400)} d`;
  const d = new Date(at);
  return `${d.getDate()} ${months[d.getMonth()]}`;
}

/**
 * Formats when something happened as a part of a sentence.
 * @param {number} at @param {number} now
 */
export function since(at, now) {
  const words = ago(at, now);
  return words === 'now' ? 'just now' : /^\d+ (min|h|d)$/.test(words) ? `${words} ago` : `on ${words}`;
}

/** @param {number} bytes */
export function size(bytes) {
  if (bytes < 1000) return plural(bytes, 'byte');
  if (bytes < 1_000_000) return `${(bytes / 1000).toFixed(bytes < 9950 ? 1 : 0)} kB`;
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}

/**
 * Indents a value as JSON; a string that holds JSON is indented too.
 * @param {unknown} value
 */
export function pretty(value) {
  if (value === undefined) return '';
  let v = value;
  if (typeof v === 'string') { try { v = JSON.parse(v); } catch { return v + ''; } }
  return JSON.stringify(v, null, 2);
}

/**
 * Returns the first line of a text, without Markdown's marks.
 * @param {string} text @param {number} [max]
 */
export function firstLine(text, max = 160) {
  const line = text.split('\n').map((l) => l.trim()).find((l) => l && !/^([-*_]{3,}|```.*)$/.test(l)) || '';
  const plain = line.replace(/^(#{1,6}|>|[-*+]|\d+[.)])\s+/, '')
    .replace(/[*`~]{1,3}(\S(?:.*?\S)?)[*`~]{1,3}/g, '$1')
    .replace(/(^|\s)_{1,2}(\S(?:.*?\S)?)_{1,2}(?!\w)/g, '$1$2');
  return cut(plain, max);
}

/**
 * Shortens a text to max code points.
 * @param {string} text @param {number} max
 */
export function cut(text, max) {
  const all = [...text];
  return all.length <= max ? text : all.slice(0, max - 1).join('').trimEnd() + '…';
}

/**
 * Parses an RFC 3339 time into ms since 1970; 0 if there is none.
 * @param {string | null | undefined} at
 */
export function ms(at) { return at ? Date.parse(at) || 0 : 0; }
