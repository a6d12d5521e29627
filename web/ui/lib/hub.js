// Events between parts that do not know each other; app.js connects them.

/** @template {Record<string, unknown[]>} Events */
export class Hub {
  /** @type {{ [K in keyof Events]?: ((...args: Events[K]) => unknown)[] }} */
  #listeners = {};

  /** @template {keyof Events} K @param {K} name @param {(...args: Events[K]) => unknown} listener */
  on(name, listener) { (this.#listeners[name] ||= []).push(listener); }

  /** @template {keyof Events} K @param {K} name @param {Events[K]} args */
  emit(name, ...args) { for (const listener of this.#listeners[name] || []) listener(...args); }
}
