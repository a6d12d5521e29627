// The dialog that exports a conversation, a turn of it, or a job: the form of the file, and what it holds.

import { exportFile, saveAs } from '../net/exports.js';
import { h } from '../lib/dom.js';
import { openDialog } from '../lib/dialog.js';
import { toast } from '../lib/toast.js';

/** @import { Kind } from '../state/types.d.ts' */

/** The forms of the file, and what each is good for. */
const forms = [
  ['html', 'A page', 'one file that any browser opens'],
  ['md', 'Markdown', 'for a ticket or a wiki'],
  ['jsonl', 'JSON lines', 'for programs: a line for each turn'],
];

/** What an export may leave out, by its name in the API. */
const parts = [
  ['reasoning', 'Reasons and plans'], ['parameters', 'Parameters of calls'], ['results', 'Results of calls'],
];

/** @param {Kind} kind @param {string} id @param {number} [turn] if not the whole of a conversation */
export function openExport(kind, id, turn) {
  const radios = forms.map(([value, label, words], i) => choice('radio', value, label, words, i === 0));
  const boxes = parts.map(([value, label]) => choice('checkbox', value, label, '', true));
  const save = async () => {
    const format = radios.find((r) => r.input.checked)?.input.value;
    const omit = boxes.filter((b) => !b.input.checked).map((b) => b.input.value).join(',');
    dialog.close();
    try {
      const { name, content } = await exportFile(kind, id, { turn, format, omit });
      saveAs(name, content);
      toast(`${name} is saved.`);
    } catch (e) { toast(e instanceof Error ? e.message : String(e)); }
  };
  const dialog = openDialog(turn ? `Export turn ${turn}` : `Export the ${kind === 'job' ? 'job' : 'conversation'}`,
    h('div', { class: 'export' },
      h('fieldset', null, h('legend', null, 'As'), ...radios.map((r) => r.label)),
      h('fieldset', null, h('legend', null, 'With'), ...boxes.map((b) => b.label))),
    h('p', { class: 'note' }, 'Messages and answers are in every export. Secrets are already masked.'),
    h('p', { class: 'export-save' }, h('button', { type: 'button', class: 'primary', click: save }, 'Save')));
  radios[0].input.focus();
}

/**
 * @param {string} type @param {string} value @param {string} name @param {string} words @param {boolean} chosen
 */
function choice(type, value, name, words, chosen) {
  /** @type {HTMLInputElement} */
  const input = h('input', { type, name: `export-${type}`, value });
  input.checked = chosen;
  return { input, label: h('label', null, input, h('span', null, name), words && h('span', { class: 'note' }, words)) };
}
