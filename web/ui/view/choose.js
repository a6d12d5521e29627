// The choice of a turn to compare another with: of any conversation, and then one of its turns.

import { fill, h, loadStyles, show } from '../lib/dom.js';
import { openDialog } from '../lib/dialog.js';
import { cut, firstLine } from '../lib/format.js';

/** @import { Choice } from './types.d.ts' */

await Promise.all(['ondemand', 'closer'].map((name) => loadStyles(`/ui/css/${name}.css`)));

/** @param {Choice} choice */
export function openChooser({ number, places, read, done }) {
  const list = h('ul', { class: 'choose' }), note = h('p', { class: 'note', role: 'status' });
  const older = h('button', { type: 'button', hidden: true, click: () => draw(true) }, 'Earlier turns');
  /** @type {HTMLSelectElement} */
  const field = h('select', { id: 'choose-place', change: () => draw(false) }, ...places.map((p, i) =>
    h('option', { value: i }, (i ? p.kind === 'job' ? 'Job: ' : '' : 'This one: ') + cut(p.title, 80))));
  const dialog = openDialog(`Compare turn ${number} with`,
    h('p', { class: 'choose-place' }, h('label', { for: 'choose-place' }, 'Conversation'), field), list, note, older);

  /** @param {boolean} further whether to read one page more */
  async function draw(further) {
    const at = field.selectedIndex, place = places[at];
    if (!further) fill(list);
    note.textContent = 'Loading its turns…';
    const { turns, more } = await read(place, further).catch(() => ({ turns: [], more: false }));
    if (field.selectedIndex !== at) return; // somebody chose another one meanwhile
    const others = turns.filter((t) => at > 0 || t.number !== number);
    note.textContent = others.length ? '' : 'There is no other turn.';
    show(older, more);
    fill(list, ...others.map((t) => {
      const choose = () => { dialog.close(); done(place, t.number); };
      return h('li', null, h('button', { type: 'button', click: choose },
        h('b', null, t.number), ' ', h('span', { dir: 'auto' }, firstLine(t.input || '', 200))));
    }));
  }
  draw(false);
}
