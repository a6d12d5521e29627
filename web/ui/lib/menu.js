// A menu that opens at a button, for the keyboard as for the mouse.

import { attribute, fill, h, loadStyles, show } from './dom.js';

/** @import { Item } from './types.d.ts' */

await loadStyles('/ui/css/ondemand.css');

const box = h('div', { class: 'menu', role: 'menu', id: 'menu', hidden: true });
/** @type {HTMLElement | null} */
let owner = null;

/**
 * Opens the menu at a button, or closes it if it is open there.
 * @param {HTMLElement} button @param {Item[]} items
 */
export function openMenu(button, items) {
  if (owner === button) return closeMenu();
  closeMenu();
  if (!box.isConnected) install();
  owner = button;
  attribute(button, 'aria-expanded', 'true');
  fill(box, ...items.map(row));
  show(box, true);
  moveTo(button);
  rows()[0]?.focus();
}

/** @returns {NodeListOf<HTMLElement>} */
function rows() { return box.querySelectorAll('[role^=menuitem]'); }

/** @param {boolean} [focus] whether the button gets the focus back */
function closeMenu(focus = false) {
  if (!owner) return;
  const had = owner;
  owner = null;
  attribute(had, 'aria-expanded', 'false');
  show(box, false);
  if (focus) had.focus();
}

/** @param {Item} item */
function row(item) {
  if (!item) return null;
  if ('title' in item) return h('p', { class: 'menu-title', role: 'presentation' }, item.title);
  const role = item.checked === undefined ? 'menuitem' : 'menuitemradio';
  const run = () => { closeMenu(true); item.run?.(); };
  return h('button', { type: 'button', role, tabindex: '-1', 'aria-checked': item.checked, click: run }, item.label);
}

/** @param {HTMLElement} button */
function moveTo(button) {
  const r = button.getBoundingClientRect(), own = box.getBoundingClientRect();
  const below = r.bottom + 4 + own.height <= innerHeight, left = Math.min(r.left, innerWidth - own.width - 8);
  box.style.left = `${Math.max(8, left)}px`;
  box.style.top = `${Math.max(8, below ? r.bottom + 4 : r.top - own.height - 4)}px`;
}

/** @param {EventTarget | null} target */
function inMenu(target) { return target instanceof Node && (box.contains(target) || !!owner?.contains(target)); }

function install() {
  document.body.append(box);
  document.addEventListener('keydown', (e) => { if (owner) onKey(e); }, true);
  document.addEventListener('pointerdown', (e) => { if (!inMenu(e.target)) closeMenu(); });
  box.addEventListener('focusout', (e) => {
    if (e.relatedTarget instanceof Node && !box.contains(e.relatedTarget)) closeMenu();
  });
}

/** @param {KeyboardEvent} e */
function onKey(e) {
  const all = [...rows()], at = all.findIndex((el) => el === document.activeElement);
  const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: all.length - 1 }[e.key];
  if (to !== undefined) all[(to + all.length) % all.length]?.focus();
  else if (e.key === 'Escape' || e.key === 'Tab') closeMenu(true);
  else return;
  if (e.key !== 'Tab') e.preventDefault();
  e.stopPropagation();
}
