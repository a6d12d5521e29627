// What a person chose, kept in the browser: no word of a conversation is.

const defaults = { theme: 'system', reasoning: 'auto', density: 'normal', keys: 'on' };
/** @typedef {keyof typeof defaults} Pref */

/** The choices there are, with their words. @type {Record<Pref, [string, string][]>} */
export const choices = {
  theme: [['system', 'System'], ['light', 'Light'], ['dark', 'Dark']],
  reasoning: [['auto', 'Latest'], ['expanded', 'All'], ['collapsed', 'None']],
  density: [['normal', 'Normal'], ['compact', 'Compact']],
  keys: [['on', 'On'], ['off', 'Off']],
};

const name = (/** @type {string} */ key) => `candor.${key}`;

/** @param {string} key @returns {any} */
function read(key) { try { return JSON.parse(localStorage.getItem(name(key)) || 'null'); } catch { return null; } }
/** @param {string} key @param {unknown} value */
function write(key, value) { try { localStorage.setItem(name(key), JSON.stringify(value)); } catch { /* then it is forgotten */ } }

/** @param {Pref} key @returns {string} */
export function pref(key) {
  const v = read(key);
  return choices[key].some(([c]) => c === v) ? v : defaults[key];
}

/** @param {Pref} key @param {string} value */
export function setPref(key, value) {
  write(key, value);
  applyPrefs();
}

/** Puts what concerns the whole page on its root. */
export function applyPrefs() {
  const root = document.documentElement;
  root.dataset.theme = pref('theme');
  root.dataset.density = pref('density');
}

/** Which threads and jobs were seen, and when. @returns {Record<string, string>} */
export function seen() {
  const v = read('seen');
  return v && typeof v === 'object' && !Array.isArray(v) ? v : {};
}

/** @param {Record<string, string>} all the latest 500 are kept */
export function setSeen(all) {
  const latest = Object.entries(all).sort((a, b) => a[1] < b[1] ? 1 : -1).slice(0, 500);
  write('seen', Object.fromEntries(latest));
}
