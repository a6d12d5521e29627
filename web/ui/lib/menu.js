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
  show(box, true);
  draw(button, items);
}

/**
 * Draws a menu, or one that opens in its place and leads back to it.
 * @param {HTMLElement} button @param {Item[]} items @param {{ name: string, items: Item[] }} [from] the menu before
 */
function draw(button, items, from) {
  const rest = items.map((one) => row(one, (sub) => draw(button, sub.items, { name: sub.label, items })));
  const back = from && h('button', {
    type: 'button', class: 'menu-back', role: 'menuitem', tabindex: '-1', click: () => {
      draw(button, from.items);
      [...rows()].find((el) => el.textContent === from.name)?.focus();
    },
  }, from.name);
  fill(box, back, ...rest);
  moveTo(button);
  rows()[from ? 1 : 0]?.focus();
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

/** @param {Item} item @param {(item: { label: string, items: Item[] }) => void} open */
function row(item, open) {
  if (!item) return null;
  if ('title' in item) return h('p', { class: 'menu-title', role: 'presentation' }, item.title);
  if ('items' in item) {
    return h('button', {
      type: 'button', class: 'menu-more', role: 'menuitem', tabindex: '-1', 'aria-haspopup': 'menu',
      click: () => open(item),
    }, item.label);
  }
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
  else if (e.key === 'ArrowRight' && all[at]?.matches('.menu-more')) all[at].click();
  else if (e.key === 'ArrowLeft' && all[0].matches('.menu-back')) all[0].click();
  else if (e.key === 'Escape' || e.key === 'Tab') closeMenu(true);
  else return;
  if (e.key !== 'Tab') e.preventDefault();
  e.stopPropagation();
}
