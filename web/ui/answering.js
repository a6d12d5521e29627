// What the keys that answer a question do. Loaded with the first question.

/** @import { Router } from './navigate.js' */

/**
 * Answers one of the questions of the open conversation: the chosen one, or the only one. What is chosen has a frame.
 * Where none is, or it is out of view, approving only goes to one; denying leads to the field for the words at once.
 * @param {Router} router @param {{ number: number, id: string }[]} all the turns and calls @param {string} action
 */
export function reply(router, all, action) {
  const { view } = router.context, { turn, decision } = router.here();
  const focused = all.find((w) => w.number === turn?.number && w.id === decision?.dataset.call);
  const chosen = focused || (view.alone ? all[0] : null);
  const { number, id } = chosen || all[0];
  const row = () => view.element(number)?.decisions.find((d) => d.dataset.call === id);
  const shown = row()?.checkVisibility();
  if (!shown) {
    router.openTab('turns', 0, false);
    view.goTo(number, id);
  }
  const at = row();
  if (!at) return;
  if (action === 'deny') write(at);
  else if (!shown || !chosen) at.select();
  else if (inView(at)) /** @type {HTMLElement | null} */ (at.querySelector(`.ask [data-action=${action}]`))?.click();
}

/**
 * Leads to the field for the words of a denial, which Enter sends.
 * @param {HTMLElement} row
 */
function write(row) {
  /** @type {HTMLElement | null} */
  const field = row.querySelector('.ask .words');
  if (!field) { // the question is not drawn yet
    row.focus();
    row.addEventListener('grown', () => row.contains(document.activeElement) && write(row), { once: true });
    return;
  }
  inView(row);
  field.focus({ preventScroll: true });
}

/**
 * Reports whether all of a question is in view, or its end where it is higher than the view; else goes there.
 * @param {HTMLElement} row
 */
function inView(row) {
  const ask = row.querySelector('.ask');
  if (!ask) return false;
  const from = row.getBoundingClientRect(), to = ask.getBoundingClientRect();
  const view = row.closest('#stream')?.getBoundingClientRect() || from, fits = from.height < view.height - 48;
  if ((fits ? from.top : to.bottom) >= view.top && to.bottom <= view.bottom + 1) return true;
  row.scrollIntoView({ block: fits ? 'center' : 'end' });
  row.focus({ preventScroll: true });
  return false;
}
