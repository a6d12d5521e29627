// What a person chose, kept in the browser. No word of a conversation is.

const defaults = { theme: 'system', reasoning: 'auto', density: 'normal', keys: 'on' };
/** @typedef {keyof typeof defaults} Pref */

/**
 * The values of each preference, with their labels.
 * @type {Record<Pref, [string, string][]>}
 */
export const choices = {
  theme: [['system', 'System'], ['light', 'Light'], ['dark', 'Dark']],
  reasoning: [['auto', 'Latest'], ['expanded', 'All'], ['collapsed', 'None']],
  density: [['normal', 'Normal'], ['compact', 'Compact']],
  keys: [['on', 'On'], ['off', 'Off']],
};

/** @param {string} name @returns {unknown} */
function read(name) {
  try { return JSON.parse(localStorage.getItem(`candor.${name}`) || 'null'); } catch { return null; }
}

/** @param {string} name @param {unknown} value */
function write(name, value) {
  try { localStorage.setItem(`candor.${name}`, JSON.stringify(value)); } catch { /* it lasts until the page is left */ }
}

/** @param {Pref} name */
export function pref(name) {
  const v = read(name);
  return choices[name].find(([c]) => c === v)?.[0] || defaults[name];
}

/** @param {Pref} name @param {string} value */
export function setPref(name, value) {
  write(name, value);
  applyPrefs();
}

/** Sets what concerns the whole page on its root. */
export function applyPrefs() {
  const root = document.documentElement;
  root.dataset.theme = pref('theme');
  root.dataset.density = pref('density');
  if (pref('density') === 'compact') import('./dom.js').then(({ loadStyles }) => loadStyles('/ui/css/compact.css'));
}

/**
 * Returns the updated_at that was last seen of each thread and job.
 * @returns {Record<string, string>}
 */
export function seen() { return { .../** @type {Record<string, string>} */ (read('seen')) }; }

/**
 * Stores what was seen: the latest 500.
 * @param {Record<string, string>} all
 */
export function setSeen(all) {
  write('seen', Object.fromEntries(Object.entries(all).sort((a, b) => a[1] < b[1] ? 1 : -1).slice(0, 500)));
}
