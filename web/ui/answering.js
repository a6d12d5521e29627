// What the keys that answer a question do. Loaded with the first question.

/** @import { Router } from './navigate.js' */

/**
 * Answers one of the questions of the open conversation: the chosen one, or the only one.
 * @param {Router} router @param {{ number: number, id: string }[]} all the turns and calls @param {string} action
 */
export function reply(router, all, action) {
  const { view } = router.context, { turn, decision } = router.here();
  const chosen = all.find((w) => w.number === turn?.number && w.id === decision?.dataset.call);
  const one = chosen || all[0], row = view.element(one.number)?.decisions.find((d) => d.dataset.call === one.id);
  if (!row?.checkVisibility()) router.openTab('turns', 0, false).then(() => view.goTo(one.number, one.id));
  else if (chosen || all.length === 1) answer(row, action);
  else row.select();
}

/**
 * Answers the question of a row if all of it is in view, or its end where it is higher than the view; else goes there.
 * @param {HTMLElement} row @param {string} action
 */
function answer(row, action) {
  const ask = row.querySelector('.ask');
  if (!ask) return;
  const from = row.getBoundingClientRect(), to = ask.getBoundingClientRect();
  const view = row.closest('#stream')?.getBoundingClientRect() || from, fits = from.height < view.height - 48;
  if ((fits ? from.top : to.bottom) < view.top || to.bottom > view.bottom + 1) {
    row.scrollIntoView({ block: fits ? 'center' : 'end' });
    row.focus({ preventScroll: true });
    return;
  }
  /** @type {HTMLElement | null} */
  const at = ask.querySelector(action === 'deny' ? '.words' : `[data-action=${action}]`);
  if (action === 'deny') at?.focus(); // Enter denies, with what is said there
  else at?.click();
}
