// Elements are built here only. Texts become text nodes and attributes come from an
// allowlist, so the words of others cannot become markup. html() is the one exception,
// for what the server sanitized.

/** @import { Child, ElementById, ElementOf, Prop, Props } from './types.d.ts' */

const allowed = new Set(['id', 'class', 'role', 'type', 'title', 'tabindex', 'for', 'name', 'placeholder', 'rows',
  'autocomplete', 'spellcheck', 'download', 'dir', 'value', 'datetime', 'enterkeyhint', 'scope', 'hidden', 'maxlength',
  'rel']);

/**
 * Builds an element. Properties that are functions become listeners, href has to stay
 * on this server, and false, null and undefined are left out.
 * @template {string} K @param {K} tag @param {Props | null} [props] @param {...Child} children
 * @returns {ElementOf<K>}
 */
export function h(tag, props, ...children) {
  const el = document.createElement(tag);
  for (const [name, value] of Object.entries(props || {})) attribute(el, name, value);
  el.append(...nodes(children));
  return /** @type {ElementOf<K>} */ (el);
}

/**
 * Returns a function that builds elements and keeps each by its class.
 * @param {Record<string, HTMLElement>} kept
 */
export function partsIn(kept) {
  return (/** @type {string} */ name, /** @type {string} */ tag, /** @type {Props} */ props = {}) =>
    kept[name] = h(tag, { class: name, ...props });
}

/**
 * Sets or removes an attribute of the allowlist, or adds a listener.
 * @param {Element} el @param {string} name @param {Prop} value
 */
export function attribute(el, name, value) {
  if (typeof value === 'function') return el.addEventListener(name, value);
  const known = allowed.has(name) || name.startsWith('aria-') || name.startsWith('data-');
  if (!known && !(name === 'href' && /^(#|\/(?!\/))/.test(String(value)))) throw new Error(`no attribute ${name}`);
  if (value === false || value === null || value === undefined) return el.removeAttribute(name);
  const next = value === true && !name.startsWith('aria-') ? '' : String(value);
  if (el.getAttribute(name) !== next) el.setAttribute(name, next);
}

/** @param {Child[]} children */
function nodes(children) {
  return children.filter((c) => c !== null && c !== undefined && c !== false)
    .map((c) => c instanceof Node ? c : document.createTextNode(String(c)));
}

/** @param {Element} el @param {...Child} children the new children */
export function fill(el, ...children) { el.replaceChildren(...nodes(children)); }

/**
 * Replaces the children of an element; those in place keep their focus and scroll position.
 * @param {Element} el @param {Node[]} children
 */
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

/** @param {Element} el @param {string} text */
export function setText(el, text) { if (el.textContent !== text) el.textContent = text; }

/** @param {HTMLElement} el @param {boolean} visible */
export function show(el, visible) { if (el.hidden === visible) el.hidden = !visible; }

const trusted = window.trustedTypes?.createPolicy('candor', { createHTML: (/** @type {string} */ s) => s });

/**
 * Sets HTML that the server made of Markdown and sanitized (response_html,
 * narrative_html). Nothing else may ever be passed.
 * @param {Element} el @param {string} sanitized
 */
export function html(el, sanitized) {
  el.innerHTML = trusted ? trusted.createHTML(sanitized) : sanitized;
  for (const a of el.querySelectorAll('a')) { a.target = '_blank'; a.rel = 'noopener noreferrer nofollow'; }
}

/**
 * Lets an element come in softly, unless the reader wants no motion.
 * @param {HTMLElement} el
 */
export function arrive(el) {
  if (!matchMedia('(prefers-reduced-motion: reduce)').matches) el.animate({ opacity: [0, 1] }, 120);
}

/**
 * Runs a change that moves nodes, then restores the focus if the change lost it.
 * @param {() => void} change
 */
export function keepFocus(change) {
  const had = document.activeElement;
  change();
  if (had instanceof HTMLElement && had !== document.activeElement && had.isConnected) {
    had.focus({ preventScroll: true });
  }
}

/**
 * Returns an element of index.html.
 * @template {string} K @param {K} id
 */
export function $(id) {
  const el = document.getElementById(id);
  if (!el) throw new Error(`the page has no #${id}`);
  return /** @type {ElementById<K>} */ (el);
}

/** @type {Map<string, Promise<unknown>>} */
const styles = new Map();

/**
 * Adds a stylesheet once and waits for it, so a module loaded on demand draws with its styles.
 * @param {string} href
 */
export function loadStyles(href) {
  const known = styles.get(href);
  if (known) return known;
  const done = new Promise((settle) => {
    document.head.append(h('link', { rel: 'stylesheet', href, load: settle, error: settle }));
  });
  styles.set(href, done);
  return done;
}
