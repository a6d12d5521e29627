// Elements are built here and nowhere else. Texts become text nodes and
// attributes come from a list, so that no words of a model, tool, worker or user
// can become markup. html() is the one exception: for what the server sanitised.

/** @typedef {string | number | Node | null | undefined | false} Child */

const allowed = new Set(['id', 'class', 'role', 'type', 'title', 'tabindex', 'for', 'name', 'placeholder', 'rows', 'autocomplete',
  'spellcheck', 'download', 'dir', 'value', 'popover', 'popovertarget', 'datetime', 'enterkeyhint', 'scope', 'min', 'hidden',
  'autofocus', 'maxlength', 'rel']);

/**
 * An element. Of its properties, functions are listeners, href has to stay on
 * this server, and false, null and undefined are left out.
 * @template {string} K @param {K} tag @param {Record<string, any> | null} [props] @param {...Child} children
 * @returns {K extends keyof HTMLElementTagNameMap ? HTMLElementTagNameMap[K] : HTMLElement}
 */
export function h(tag, props, ...children) {
  const el = document.createElement(tag);
  for (const [name, value] of Object.entries(props || {})) attribute(el, name, value);
  el.append(...nodes(children));
  return /** @type {any} */ (el);
}

/** Sets or removes an attribute of the list. @param {HTMLElement} el @param {string} name @param {any} value */
export function attribute(el, name, value) {
  if (typeof value === 'function') return el.addEventListener(name, value);
  const known = allowed.has(name) || name.startsWith('aria-') || name.startsWith('data-');
  if (!known && !(name === 'href' && /^(#|\/(?!\/))/.test(value))) throw new Error(`no attribute ${name}`);
  if (value === false || value === null || value === undefined) el.removeAttribute(name);
  else {
    const next = value === true && !name.startsWith('aria-') ? '' : String(value);
    if (el.getAttribute(name) !== next) el.setAttribute(name, next);
  }
}

/** @param {Child[]} children @returns {Node[]} */
function nodes(children) {
  const out = [];
  for (const c of children) {
    if (c === null || c === undefined || c === false) continue;
    out.push(c instanceof Node ? c : document.createTextNode(String(c)));
  }
  return out;
}

/** Puts children in place of what an element has. @param {Element} el @param {...Child} children */
export function fill(el, ...children) { el.replaceChildren(...nodes(children)); }

/** Makes an element's children these, moving none that is in its place. @param {Element} el @param {Node[]} children */
export function place(el, children) {
  let at = el.firstChild;
  for (const c of children) {
    if (c === at) at = at.nextSibling;
    else el.insertBefore(c, at);
  }
  while (at) {
    const next = at.nextSibling;
    at.remove();
    at = next;
  }
}

/** Sets an element's text where it differs. @param {Element} el @param {string} text */
export function setText(el, text) { if (el.textContent !== text) el.textContent = text; }

/** Shows or hides. @param {HTMLElement} el @param {boolean} visible */
export function show(el, visible) { if (el.hidden === visible) el.hidden = !visible; }

const trusted = window.trustedTypes?.createPolicy('candor', { createHTML: (/** @type {string} */ s) => s });

/**
 * Puts HTML into an element that the server made of Markdown and sanitised
 * (response_html, narrative_html). Nothing else may ever be passed.
 * @param {Element} el @param {string} sanitised
 */
export function html(el, sanitised) {
  el.innerHTML = trusted ? trusted.createHTML(sanitised) : sanitised;
  for (const a of el.querySelectorAll('a')) { a.target = '_blank'; a.rel = 'noopener noreferrer nofollow'; }
}

/** Runs a change that moves nodes, and puts the focus back where it was. @param {() => void} change */
export function keepFocus(change) {
  const had = document.activeElement;
  change();
  if (had instanceof HTMLElement && had !== document.activeElement && had.isConnected) had.focus({ preventScroll: true });
}

/** An element of the shell. @template {HTMLElement} T @param {string} id @returns {T} */
export function $(id) {
  const el = document.getElementById(id);
  if (!el) throw new Error(`the page has no #${id}`);
  return /** @type {T} */ (el);
}

/** @type {Map<string, Promise<unknown>>} */
const styles = new Map();

/**
 * Adds a stylesheet once. It resolves when the browser has applied or failed to load it,
 * so a module that opens on demand can wait for its styles before it draws.
 * @param {string} href
 */
export function loadStyles(href) {
  const known = styles.get(href);
  if (known) return known;
  const loaded = new Promise((done) => {
    document.head.append(h('link', { rel: 'stylesheet', href, load: done, error: done }));
  });
  styles.set(href, loaded);
  return loaded;
}
