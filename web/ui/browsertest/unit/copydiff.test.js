import assert from 'node:assert/strict';
import { test } from 'node:test';
import { asCurl, asJSON, asMarkdown, asText, callMarkdown, why } from '../../view/copy.js';
import { align, compareTexts, diffCalls, diffParams, diffWords, runsOf, sums } from '../../state/diff.js';
import { emptyCall, emptyTurn } from '../../state/fold.js';

const call = (id, more = {}) => ({
  ...emptyCall(id),
  tool: 'look',
  why: 'to see',
  source: 'model',
  outcome: 'success',
  took: 5,
  params: { q: id },
  ...more,
});
const turn = {
  ...emptyTurn(2),
  input: 'what *is* it?',
  response: 'It **is**.',
  state: 'completed',
  calls: [call('a'), call('b', { source: 'fallback', why: 'Tool selected.' })],
};

test('a copy marks reasons that are not the model’s own words', () => {
  assert.equal(why(call('a')), 'look: to see');
  for (const text of [asText(turn), asMarkdown(turn)]) assert.match(text, /no reason given/);
  assert.equal(JSON.parse(asJSON(turn)).tool_decisions[1].rationale_source, 'fallback');
});

test('Markdown in the words of others is escaped', () => {
  const hostile = call('a', {
    tool: 'x`](http://evil)',
    why: '<img src=x> [click](http://evil) **bold**',
    params: { s: '```\n# out' },
  });
  const text = callMarkdown(hostile);
  assert.ok(!/(^|[^\\])<img/.test(text) && !/(^|[^\\])\[click\]/.test(text), text);
  assert.match(text, /\n {2}````json\n/, 'a fence longer than theirs');
});

test('the curl command quotes any thread id as one argument', () => {
  assert.equal(
    asCurl('http://h', "a'; rm -rf /", 3),
    `curl -s 'http://h/api/chat/turn?thread_id=a'\\''%3B%20rm%20-rf%20%2F&turn=3' -H "Authorization: Bearer $CANDOR_TOKEN"\n`,
  );
});

test('calls are aligned by tool, in order', () => {
  const tools = (s) => [...s].map((tool, i) => call(String(i), { tool, params: {} }));
  const names = (pairs) => pairs.map(([l, r]) => (l?.tool || '-') + (r?.tool || '-')).join(' ');
  assert.equal(names(align(tools('abcd'), tools('bxd'))), 'a- bb c- -x dd');
  assert.equal(names(align([], tools('ab'))), '-a -b');
});

test('of two calls of a tool, the one with the same parameters is the partner', () => {
  const pairs = align(
    [call('1', { params: { q: 'y' } })],
    [call('2', { params: { q: 'x' } }), call('3', { params: { q: 'y' } })],
  );
  assert.deepEqual(
    pairs.map(([l, r]) => [l?.id, r?.id]),
    [
      [undefined, '2'],
      ['1', '3'],
    ],
  );
});

test('a difference names only what changed', () => {
  const [same, changed] = diffCalls(
    [call('a'), call('b')],
    [call('a'), call('b', { why: 'to see more', params: { q: 'b', n: 1 }, took: 9 })],
  );
  assert.equal(same.kind, 'same');
  assert.deepEqual([changed.kind, changed.why, changed.outcome, changed.took], ['changed', true, false, 4]);
  assert.deepEqual(changed.params, [{ key: 'n', left: null, right: '1' }]);
  assert.deepEqual(diffParams([1], [2]), [{ key: '', left: '[\n 1\n]', right: '[\n 2\n]' }]);
  assert.deepEqual(diffParams({ a: 'x' }, { a: 'y' }), [{ key: 'a', left: 'x', right: 'y' }], 'without quotes');
  assert.equal(diffParams({ a: '1' }, { a: 1 }).length, 1, 'a text is no number');
});

test('a parameter named __proto__ is compared like any other', () => {
  const odd = JSON.parse('{"__proto__": 1}');
  assert.deepEqual(diffParams(odd, {}), [{ key: '__proto__', left: '1', right: null }]);
  assert.deepEqual(diffParams({ toString: 1 }, {}), [{ key: 'toString', left: '1', right: null }]);
});

test('changed words are marked on their side, and no word is lost', () => {
  const { left, right } = diffWords('the log says it', 'the metrics say it');
  assert.equal(left.map((r) => r.text).join(''), 'the log says it');
  assert.equal(right.map((r) => r.text).join(''), 'the metrics say it');
  assert.deepEqual(
    left
      .filter((r) => !r.same)
      .map((r) => r.text.trim())
      .join(' '),
    'log says',
  );
});

test('words are marked without the blanks and commas around them', () => {
  const a = 'Round each line half up, as the test does.', b = 'Round once, after the sum, as the ledger does.';
  const marked = (runs) => runs.filter((r) => !r.same).map((r) => r.text);
  const { left, right } = compareTexts(a, b);
  assert.deepEqual(marked(left), ['each line half up', 'test']);
  assert.deepEqual(marked(right), ['once, after the sum', 'ledger']);
  assert.deepEqual(marked(compareTexts('invoice/line.go', 'invoice/totals.go').right), ['totals']);
  const secret = diffWords('key [REDACTED:github-pat] used', 'key [REDACTED:aws-key] used');
  assert.deepEqual(marked(secret.left), ['[REDACTED:github-pat]'], 'what was taken out stays whole');
});

test('texts that have little in common count as changed as a whole', () => {
  assert.deepEqual(compareTexts('one two three', 'four five six').left, [{ same: false, text: 'one two three' }]);
  assert.deepEqual(compareTexts('', 'all of it'), { left: [], right: [{ same: false, text: 'all of it' }] });
  assert.deepEqual(compareTexts('as it was', 'as it was').right, [{ same: true, text: 'as it was' }]);
});

test('long texts are compared by words between their equal ends, and huge ones as a whole', () => {
  const long = Array.from({ length: 50_000 }, (_, i) => `w${i}`).join(' ');
  const { left, right } = diffWords(long, long.replace('w25000', 'changed'));
  assert.deepEqual([left.filter((r) => !r.same), right.filter((r) => !r.same)],
    [[{ same: false, text: 'w25000' }], [{ same: false, text: 'changed' }]]);
  assert.equal(diffWords(long, long.replaceAll('w', 'v')).left.length, 1);
});

test('equal calls that follow each other are one run', () => {
  const of = (...kinds) => runsOf(kinds.map((kind) => ({ kind }))).map((run) => run.map((d) => d.kind).join(' '));
  assert.deepEqual(of('same', 'same', 'changed', 'changed', 'same'), ['same same', 'changed', 'changed', 'same']);
});

test('two turns are counted by time, tokens, calls and failures, where these are known', () => {
  const t = (more) => ({ ...turn, startedAt: 1000, endedAt: 59_000, tokens: 2000, ...more });
  const b = t({ endedAt: 42_000, tokens: 1500, calls: [call('a', { outcome: 'error' })] });
  assert.deepEqual(sums(t(), b, 0).map((s) => `${s.name} ${s.left} → ${s.right} ${s.change}`.trim()),
    ['time 58 s → 41 s −17 s', 'tokens 2,000 → 1,500 −25 %', 'calls 2 → 1', 'failed 0 → 1']);
  const [time] = sums(t({ endedAt: 2204 }), t({ endedAt: 1602 }), 0);
  assert.deepEqual([time.left, time.right, time.change], ['1.2 s', '0.6 s', '−0.6 s'], 'in one unit');
  assert.deepEqual(sums(turn, turn, 0).map((s) => s.name), ['calls']);
});

test('two huge turns are compared in order instead of aligned', () => {
  const many = Array.from({ length: 5000 }, (_, i) => call(String(i)));
  assert.equal(diffCalls(many, many).length, 5000);
});
