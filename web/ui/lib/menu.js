// A menu that opens at a button, for the keyboard as for the mouse.

import { attribute, fill, h, loadStyles, show } from './dom.js';

await loadStyles('/ui/css/ondemand.css');

/** @typedef {{ label: string, run?: () => void, href?: string, download?: boolean, checked?: boolean } | { title: string } | null | false | undefined} Item */

const box = h('div', { class: 'menu', role: 'menu', id: 'menu', hidden: true });
/** @type {HTMLElement | null} */
let owner = null;

/** Opens the menu below a button, or closes it if it is open there. @param {HTMLElement} button @param {Item[]} items */
export function openMenu(button, items) {
  if (owner === button) return closeMenu();
  closeMenu();
  if (!box.isConnected) install();
  owner = button;
  attribute(button, 'aria-expanded', 'true');
  fill(box, ...items.map(row));
  show(box, true);
  place(button);
  /** @type {HTMLElement | null} */ (box.querySelector('[role^=menuitem]'))?.focus();
}

/** @param {boolean} [focus] back to the button */
function closeMenu(focus = false) {
  if (!owner) return false;
  const had = owner;
  owner = null;
  attribute(had, 'aria-expanded', 'false');
  show(box, false);
  if (focus) had.focus();
  return true;
}

/** @param {Item} item */
function row(item) {
  if (!item) return null;
  if ('title' in item) return h('p', { class: 'menu-title', role: 'presentation' }, item.title);
  const props = { role: item.checked === undefined ? 'menuitem' : 'menuitemradio', tabindex: '-1', 'aria-checked': item.checked };
  const run = () => { closeMenu(true); item.run?.(); };
  if (item.href) return h('a', { ...props, href: item.href, download: item.download ? '' : false, click: run }, item.label);
  return h('button', { ...props, type: 'button', click: run }, item.label);
}

/** @param {HTMLElement} button */
function place(button) {
  const r = button.getBoundingClientRect(), own = box.getBoundingClientRect();
  const below = r.bottom + 4 + own.height <= innerHeight, left = Math.min(r.left, innerWidth - own.width - 8);
  box.style.left = `${Math.max(8, left)}px`;
  box.style.top = `${Math.max(8, below ? r.bottom + 4 : r.top - own.height - 4)}px`;
}

function install() {
  document.body.append(box);
  document.addEventListener('keydown', (e) => { if (owner) move(e); }, true);
  document.addEventListener('pointerdown', (e) => {
    const at = /** @type {Node} */ (e.target);
    if (owner && !box.contains(at) && !owner.contains(at)) closeMenu();
  });
  box.addEventListener('focusout', (e) => {
    if (e.relatedTarget && !box.contains(/** @type {Node} */(e.relatedTarget))) closeMenu();
  });
}

/** @param {KeyboardEvent} e */
function move(e) {
  const rows = /** @type {HTMLElement[]} */ ([...box.querySelectorAll('[role^=menuitem]')]);
  const at = rows.indexOf(/** @type {HTMLElement} */(document.activeElement));
  const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: rows.length - 1 }[e.key];
  if (to !== undefined) rows[(to + rows.length) % rows.length]?.focus();
  else if (e.key === 'Escape' || e.key === 'Tab') closeMenu(true);
  else return;
  if (e.key !== 'Tab') e.preventDefault();
  e.stopPropagation();
}
