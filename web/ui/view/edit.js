// The parameters of a call as a person changes them before it runs, and afterwards what they changed.

import { attribute, h, loadStyles, setText, show } from '../lib/dom.js';
import { diffParams, diffWords } from '../state/diff.js';

/** @import { Call, ParamDelta, Request, Stretch } from '../state/types.d.ts' */
/** @import { EditField } from './types.d.ts' */

await loadStyles('/ui/css/ondemand.css'); // a call of an earlier visit has changes and no question

/**
 * Puts a field with the parameters in their place. Mistakes in it are said as they are made.
 * @param {Request} q @param {string} tool @param {HTMLElement} params shows them
 * @param {HTMLElement} button opened the field, and closes it @param {() => void} changed
 * @returns {EditField}
 */
export function editField(q, tool, params, button, changed) {
  const before = JSON.stringify(q.params, null, 2);
  const area = h('textarea', {
    class: 'edit', rows: '3', spellcheck: 'false', autocomplete: 'off', 'aria-label': `Parameters of ${tool}, as JSON`,
  });
  const problem = h('p', { class: 'edit-problem', role: 'status', hidden: true });
  const complain = (/** @type {string} */ why) => {
    setText(problem, why);
    show(problem, !!why);
    attribute(area, 'aria-invalid', !!why);
  };
  area.value = before;
  attribute(area, 'rows', Math.min(16, area.value.split('\n').length));
  area.addEventListener('input', () => { complain(mistake(area.value)); changed(); });
  const old = [...params.childNodes], label = button.textContent || '';
  params.replaceChildren(area, problem);
  setText(button, 'Leave it as it was');
  area.focus();
  return {
    // Texts are compared: what JSON.parse reads of 1.0000000000000001 is 1.
    text: () => !mistake(area.value) && area.value !== before ? area.value : '',
    wrong: () => {
      const why = mistake(area.value);
      complain(why);
      if (why) area.focus();
      return !!why;
    },
    send: async (action, answer) => {
      const why = await answer(action, undefined, area.value);
      complain(why);
      if (why) area.focus();
    },
    close: () => {
      params.replaceChildren(...old);
      setText(button, label);
      return null;
    },
  };
}

/**
 * Says why a text cannot be parameters; '' if it can.
 * @param {string} text
 */
function mistake(text) {
  try {
    const v = JSON.parse(text);
    return typeof v === 'object' && v && !Array.isArray(v) ? '' : 'The parameters must be one object, in braces.';
  } catch (e) {
    return `Not valid JSON: ${e instanceof Error ? e.message : e}`;
  }
}

/**
 * Builds what shows the parameters that a person changed: as they were, and with what the tool ran.
 * @param {Call} c
 */
export function changes(c) {
  const all = diffParams(c.params, c.edited);
  const parts = all.flatMap((d) => [h('dt', { dir: 'auto' }, d.key || 'parameters'), ...sides(d)]);
  const what = all.length > 0 ? ':' : ', in a way that this page cannot show. An export has both versions.';
  return [h('p', { class: 'note' }, `Changed by ${c.editedBy || 'a person'} before it ran${what}`),
    h('dl', { class: 'edited' }, ...parts)];
}

/** @param {ParamDelta} d */
function sides({ left, right }) {
  const words = left !== null && right !== null ? diffWords(left, right) : null;
  const old = words ? marked(words.left) : [left || '""'], now = words ? marked(words.right) : [right || '""'];
  return [
    left !== null && h('dd', { class: 'was' }, h('del', { dir: 'auto' }, ...old)),
    right !== null && h('dd', null, h('ins', { dir: 'auto' }, ...now)),
  ];
}

/** @param {Stretch[]} all */
function marked(all) { return all.map((s) => s.same ? s.text : h('mark', null, s.text)); }
