// What the keys do, in words and in groups, for the map of keys.

/** @import { KeyGroup } from './types.d.ts' */

/** @type {KeyGroup[]} */
export const keyGroups = [
  ['Move', [
    ['j', 'Next turn'], ['k', 'Previous turn'], [']', 'Next decision'], ['[', 'Previous decision'],
    ['g e', 'Latest turn'], ['/', 'Search'],
  ]],
  ['Open', [
    ['o', 'Open or close the turn or decision'], ['Enter', 'Open or close what has the focus'],
    ['e', 'Open or close the reasons of all turns'], ['m', 'Menu of the turn or decision'],
    ['g t', 'Timeline'], ['g c', 'Conversation'],
  ]],
  ['A call that waits for you; of several, a first press goes to one', [
    ['y', 'Approve'], ['a', 'Always allow its tool; press it twice'], ['d', 'Deny: say why not, then Enter'],
  ]],
  ['A decision', [
    ['c', 'Copy why'], ['l', 'Copy a link'], ['+', 'Good; again withdraws it'], ['-', 'Bad; again withdraws it'],
  ]],
  ['The timeline', [['+', 'Zoom in'], ['-', 'Zoom out']]],
  ['Conversations', [
    ['i', 'Write a message'], ['n', 'New conversation'], ['x x', 'Delete it'], ['u', 'Take back a deletion'],
  ]],
  ['The page', [['?', 'This map'], ['Esc', 'Close, or leave the field']]],
];
