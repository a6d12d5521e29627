// What people call the agents of a turn. (The element itself is drawn in a browser.)

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { applyFrame, emptyTurn } from '../../state/fold.js';
import { nameOf } from '../../state/agents.js';

const at = '2026-11-22T10:00:00Z';
const task = (call, to, more) => ({ type: 'handoff', at, call_id: call, from: '', to, text: 'look', ...more });

test('an agent has its name, and a number behind it if it is not the first of that name', () => {
  const named = { name: 'helper', model: 'small-1', effort: 'high' };
  const t = [
    task('a', 'delegate_1', named), task('b', 'delegate_2', named), task('c', 'audit_3'),
    { ...task('a', ''), from: 'delegate_1' },
  ].reduce(applyFrame, emptyTurn(1));
  const [first, , , answer] = t.handoffs;
  assert.deepEqual([first.name, first.model, first.effort], ['helper', 'small-1', 'high']);
  assert.equal(answer.model, '');
  assert.deepEqual(['delegate_1', 'delegate_2', 'audit_3', ''].map((id) => nameOf(t.handoffs, id)),
    ['helper', 'helper 2', 'audit_3', 'Main agent']);
});
