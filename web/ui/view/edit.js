// The parameters of a call as a person changes them before it runs, and afterwards what they changed.

import { attribute, fill, h, loadStyles, setText, show } from '../lib/dom.js';
import { plural } from '../lib/format.js';
import { diffLines, diffParams, diffWords, isObject } from '../state/diff.js';

/** @import { Call, ParamDelta, Request, Stretch } from '../state/types.d.ts' */
/** @import { EditField } from './types.d.ts' */

await loadStyles('/ui/css/ondemand.css'); // a call of an earlier visit has changes and no question

/** How many lines of a parameter are in view before it scrolls. */
const inView = 12;

/**
 * Puts a field for each parameter in the place of what shows them, and below them what was changed.
 * @param {Request} q @param {string} tool @param {HTMLElement} params shows them
 * @param {string[]} written what stood in the fields before, if they were open before @param {() => void} changed
 * @returns {EditField}
 */
export function editField(q, tool, params, written, changed) {
  const old = [...params.childNodes], entries = isObject(q.params) ? Object.entries(q.params) : [];
  const whole = entries.length ? '' : 'parameters'; // of what has no parameters, all is one field
  const fields = (whole ? [[whole, q.params]] : entries).map(([key, value]) => new Field(tool, String(key), value));
  const areas = fields.map((f) => f.area);
  const problem = h('p', { class: 'edit-problem', role: 'status', hidden: true }), list = h('pre', { class: 'code' });
  const title = h('b'), changes = h('section', { class: 'block', hidden: true },
    h('header', null, title, h('span', null, 'the model is told')), list);
  const complain = (/** @type {string} */ why) => {
    setText(problem, why);
    show(problem, !!why);
  };
  const changedOnes = () => fields.filter((f) => f.changed);
  const draw = () => {
    const mine = changedOnes();
    for (const f of fields) f.draw();
    setText(title, plural(mine.length, 'change'));
    show(changes, mine.length > 0);
    fill(list, ...mine.flatMap((f) => f.lines()));
    changed();
  };
  const text = () => whole ? fields[0].json : `{${fields.map((f) => f.member).filter(Boolean).join(', ')}}`;
  const mistakes = () => fields.map((f) => f.mistake(!!whole)).find(Boolean) || '';
  params.replaceChildren(h('div', { class: 'form' }, ...fields.map((f) => f.label)), problem, changes);
  fields.forEach(({ area }, i) => {
    area.value = written[i] ?? area.value;
    area.addEventListener('input', () => { complain(mistakes()); draw(); });
    area.setSelectionRange(0, 0); // or it opens at its end
  });
  draw();
  params.scrollTop = 0;
  areas[0].focus({ preventScroll: true });
  return {
    areas, count: () => mistakes() ? 0 : changedOnes().length,
    wrong: () => {
      const why = mistakes();
      complain(why);
      if (why) fields.find((f) => f.mistake(!!whole))?.area.focus();
      return !!why;
    },
    send: async (action, answer) => {
      const why = await answer(action, undefined, text());
      complain(why);
      if (why) (changedOnes()[0] || fields[0]).area.focus();
    },
    close: () => {
      params.replaceChildren(...old);
      return areas.map((a) => a.value);
    },
  };
}

/** A parameter that a person can change: a text as it is, line by line, anything else as JSON. */
class Field {
  /** @param {string} tool @param {string} key @param {unknown} value */
  constructor(tool, key, value) {
    this.key = key;
    this.isText = typeof value === 'string';
    this.before = typeof value === 'string' ? value : JSON.stringify(value, null, 2);
    this.area = h('textarea', { class: 'edit', spellcheck: 'false', autocomplete: 'off', dir: 'auto', rows: '1',
      'aria-label': `${key} of ${tool}${this.isText ? '' : ', as JSON'}` });
    this.area.value = this.before;
    this.shown = this.area.value; // with the line breaks of a field
    this.yours = h('span', { class: 'yours' });
    this.label = h('label', null, h('span', { dir: 'auto' }, key), this.area, this.yours);
  }

  get changed() { return this.area.value !== this.shown; }

  /** The value as JSON; '' of one that was emptied and so is left out. */
  get json() {
    // Texts are compared: what JSON.parse reads of 1.0000000000000001 is 1.
    if (!this.isText) return this.changed ? this.area.value.trim() : this.before;
    const { value } = this.area, text = this.before.includes('\r\n') ? value.replaceAll('\n', '\r\n') : value;
    return JSON.stringify(this.changed ? text : this.before);
  }

  get member() { return this.json && `${JSON.stringify(this.key)}: ${this.json}`; }

  /** Says why the value cannot be one; '' if it can. @param {boolean} whole whether it is all parameters */
  mistake(whole) {
    if (this.isText || !this.changed || !this.json && !whole) return '';
    try {
      const value = JSON.parse(this.json);
      return whole && !isObject(value) ? 'The parameters must be one object, in braces.' : '';
    } catch (e) {
      return `${this.key}: not valid JSON: ${e instanceof Error ? e.message : e}`;
    }
  }

  draw() {
    const { area } = this, n = this.lines().filter((l) => l.className === 'added').length;
    setText(this.yours, !this.changed ? '' : this.shown.includes('\n') ? `${plural(n, 'line')} yours` : 'yours');
    attribute(area, 'aria-invalid', !!this.mistake(false));
    attribute(area, 'rows', '1');
    attribute(area, 'rows', Math.min(inView, Math.max(1, Math.round((area.scrollHeight - 12) / 20))));
  }

  /** Shows the lines that are changed, as they were and as they are. */
  lines() {
    if (!this.changed) return [];
    const several = this.shown.includes('\n') || this.area.value.includes('\n');
    const { left, right } = diffLines(this.shown, this.area.value);
    const side = (/** @type {Stretch[]} */ all, /** @type {string} */ as, /** @type {string} */ sign) => {
      let n = 0;
      return all.flatMap(({ same, text }) => text.replace(/\n$/, '').split('\n').map((line) => {
        n++;
        const where = h('i', null, sign, several ? `${this.key}:${n}` : this.key);
        return same ? [] : h('span', { class: as }, where, `${line}\n`);
      })).flat();
    };
    return [...side(left, 'removed', '− '), ...side(right, 'added', '+ ')];
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
