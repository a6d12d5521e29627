import assert from 'node:assert/strict';
import { test } from 'node:test';
import { emptyCall, emptyTurn } from '../../state/fold.js';
import { gotOf } from '../../state/outline.js';
import { chief, chipped, failureOf, lastPlan, progress, rowsOf, used } from '../../state/summary.js';

const call = (id, tool, more = {}) => ({ ...emptyCall(id), tool, outcome: 'success', step: 1, ...more });
const node = (...of) => ({ call: call(...of), sub: null });
const shape = (nodes) => rowsOf(nodes).map((row) => row.map((n) => n.call.id).join());

test('three calls of a tool in a batch fold into one row, two do not', () => {
  assert.deepEqual(shape([node('a', 'read'), node('b', 'grep'), node('c', 'read'), node('d', 'read')]), ['a,c,d', 'b']);
  assert.deepEqual(shape([node('a', 'read'), node('b', 'read')]), ['a', 'b']);
});

test('a call that failed, waits or was asked about stands outside the fold', () => {
  const three = [node('a', 'read'), node('b', 'read'), node('c', 'read')];
  for (const more of [{ outcome: 'error' }, { outcome: 'rejected' }, { request: {} }, { approval: 'approve' }]) {
    assert.deepEqual(shape([...three, node('d', 'read', more)]), ['a,b,c', 'd'], JSON.stringify(more));
  }
  const sub = { call: call('d', 'read'), sub: { name: 'x', steps: [] } };
  assert.deepEqual(shape([...three, sub]), ['a,b,c', 'd']);
  assert.deepEqual(shape([...three, node('d', 'read', { outcome: 'pending' })]), ['a,b,c,d']);
});

const turn = (calls, more = {}) => ({ ...emptyTurn(1), calls, startedAt: 1000, ...more });

test('a closed turn names what waits and failed, then what changed something, then what read', () => {
  const got = used(turn([
    call('1', 'read_file', { object: 'a.go' }), call('2', 'read_file', { object: 'b.go' }),
    call('3', 'delete_file', { object: 'old.yaml' }), call('4', 'run_tests', { outcome: 'error', object: './...' }),
    call('5', 'apply_patch', { outcome: 'pending', request: {}, object: 'c.go' }),
  ]));
  assert.deepEqual(got.map((u) => [u.tool, u.object, u.kind]), [
    ['apply_patch', 'c.go', 'waits'], ['run_tests', './...', 'bad'], ['delete_file', 'old.yaml', ''],
    ['read_file', '×2', ''],
  ]);
});

test('for a closed turn stands the reason of what failed, then of what changed something, then of the first', () => {
  const calls = [call('1', 'read_file'), call('2', 'write_file'), call('3', 'grep', { outcome: 'rejected' })];
  assert.equal(chief(turn(calls)).id, '3');
  assert.equal(chief(turn(calls.slice(0, 2))).id, '2');
  assert.equal(chief(turn([calls[0], call('4', 'grep')])).id, '1');
  assert.equal(chief(turn([call('5', 'write_file', { agent: 'x' }), calls[0]])).id, '1', 'not of a sub-agent');
  assert.equal(chief(turn([])), undefined);
});

test('a closed turn names no more than a few, and of sub-agents only what went badly', () => {
  const many = Array.from({ length: 9 }, (_, i) => call(String(i), `tool_${i}`));
  assert.equal(used(turn(many)).length, 5);
  const inner = [call('1', 'grep', { agent: 'x' }), call('2', 'grep', { agent: 'x', outcome: 'error' })];
  assert.deepEqual(used(turn(inner)).map((u) => u.kind), ['bad']);
});

test('the foot of a running turn says what runs and for how long', () => {
  const runs = call('2', 'run_tests', { object: './...', outcome: 'pending', startedAt: 4000, step: 3 });
  const t = turn([call('1', 'grep', { outcome: 'error', startedAt: 2000, took: 500 }), runs], { tokens: 18204 });
  assert.deepEqual(progress(t, 16_000), {
    step: 'Step 3', tool: 'run_tests', object: './...', what: '', time: '12 s', waits: false,
    sum: '1 of 2 done · 1 failed · 18,204 tokens',
  });
  const two = progress({ ...t, calls: [...t.calls, { ...runs, id: '3', startedAt: 5000 }] }, 16_000);
  assert.deepEqual([two.what, two.time], ['and 1 more', '12 s']);
});

test('between its calls a running turn is thinking since the last of them ended', () => {
  const t = turn([call('1', 'grep', { startedAt: 2000, took: 500 })]);
  assert.deepEqual([progress(t, 5500).what, progress(t, 5500).time], ['the model is thinking', '3 s']);
  assert.equal(progress(turn([]), 3000).sum, '');
  const draft = { agent: '', step: 2, text: 'So', at: 0 };
  assert.equal(progress({ ...t, drafts: [draft] }, 5500).what, 'the model is writing');
});

test('a turn that waits for a person counts no seconds', () => {
  const t = turn([call('1', 'rm', { outcome: 'pending', request: {}, startedAt: 2000, object: 'x' })]);
  const { what, time, tool, waits } = progress(t, 9000);
  assert.deepEqual([what, time, tool, waits], ['waits for you', '', 'rm', true]);
  const two = { ...t, calls: [...t.calls, { ...t.calls[0], id: '2', tool: 'mv' }] };
  assert.deepEqual(['', '2'].map((at) => progress(two, 9000, at)).map((p) => `${p.tool} ${p.what}`),
    ['rm waits for you, and 1 more', 'mv waits for you, and 1 more']);
});

test('what was taken out of a text is known by its rule', () => {
  assert.deepEqual(chipped('a [REDACTED:github-pat] b [REDACTED] [REDACTED'), [
    { rule: '', text: 'a ' }, { rule: 'github-pat', text: 'redacted: github-pat' }, { rule: '', text: ' b ' },
    { rule: 'secret', text: 'redacted: secret' }, { rule: '', text: ' [REDACTED' },
  ]);
});

test('a call says in a line what came of it', () => {
  for (const [more, want] of [
    [{ outcome: 'error', error: 'no such file\nat 3' }, 'no such file'],
    [{ got: '3 matches', size: 40 }, '3 matches'],
    [{ outcome: 'error', error: 'exit status 1', got: 'FAIL, 161 lines' }, 'FAIL, 161 lines'],
    [{ size: 12_000 }, '12 kB'],
    [{ outcome: 'pending' }, ''],
  ]) assert.equal(gotOf(call('1', 't', more)), want);
});

test('a failed turn says so in one sentence', () => {
  const said = (error) => failureOf(turn([], { error }));
  assert.equal(said('the model provider failed: 503 overloaded'), 'The model provider failed: 503 overloaded');
  assert.equal(said('no connection'), 'The turn failed: no connection');
  assert.equal(said('<b>the</b> end failed'), 'The turn failed: <b>the</b> end failed');
  assert.equal(said(''), 'The turn failed, and the server gave no reason.');
});

test('a closed turn quotes its last plan, and while it runs the end of what streams in', () => {
  const draft = (text, agent = '') => ({ agent, step: 2, text, html: '', source: '', at: 0, next: 1 });
  const says = (drafts, more) => lastPlan(turn([], { narrative: '**Then** I fix it.', drafts, ...more }));
  const runs = { state: 'processing' };
  assert.equal(says([], runs), 'Then I fix it.');
  assert.equal(says([draft('One.\nTwo.\n')], runs), 'Two.');
  assert.equal(says([draft('Mine.'), draft('Theirs.', 'scout')], runs), 'Mine.', 'not of a sub-agent');
  assert.equal(says([draft('One.')], { state: 'completed' }), 'Then I fix it.');
  const long = says([draft(`begin ${'x'.repeat(200)} end`)], runs);
  assert.ok(long.length === 140 && long.startsWith('…x') && long.endsWith(' end'), long);
});
