import assert from 'node:assert/strict';
import { test } from 'node:test';
import { coloured, patchLines } from '../../state/colours.js';
import { readResult, readable } from '../../state/content.js';

const text = (preview) => readResult(preview).blocks.map((b) => [b.kind, b.text]);

test('the text of a result is taken out of its envelope, with its line breaks', () => {
  const envelope = JSON.stringify({ content: [{ type: 'text', text: '=== RUN\n    ok' }, { type: 'text', text: 'end' }] });
  assert.deepEqual(text(envelope), [['text', '=== RUN\n    ok\nend']]);
  const picture = { content: [{ type: 'image', mimeType: 'image/png', data: 'aGk=' }], isError: false };
  assert.deepEqual(text(JSON.stringify(picture)), [['text', '[image, image/png]']]);
});

test('what only looks like an envelope is shown as it is', () => {
  for (const value of [{ content: [] }, { content: [{ text: 'x' }] }, { content: [{ type: 'text', text: 'x' }], more: 1 }]) {
    assert.match(JSON.stringify(readable(value, 'r')), /content/);
  }
});

test('a result that was cut is read as far as it goes', () => {
  const whole = JSON.stringify({ content: [{ type: 'text', text: 'one "two"\nthree\u0007 four' }] });
  for (let n = 30; n < whole.length; n++) {
    const got = text(whole.slice(0, n) + '…');
    assert.equal(got.length, 1);
    if (got[0][1].includes('content')) continue; // it was cut before the text began
    assert.ok('one "two"'.startsWith(got[0][1].split(/[…\n]/)[0]), `${n}: ${got[0][1]}`);
    assert.ok(!got[0][1].includes('\\'), `${n}: ${got[0][1]}`);
  }
  assert.deepEqual(readResult('{"a": [1, 2…').pairs, [{ name: 'a', text: '[1,2]' }]);
  assert.deepEqual(text('no JSON at all…'), [['text', 'no JSON at all…']]);
});

test('short members stand beside their names, long ones and those of several lines in blocks', () => {
  const { pairs, blocks } = readable({
    path: 'a/b.go', n: 3, on: true, none: null, empty: '', list: ['x'], script: 'a\nb', long: 'x'.repeat(121),
    deep: { a: { b: 'c'.repeat(60) } },
  }, 'parameters');
  assert.deepEqual(pairs.map((p) => `${p.name}=${p.text}`),
    ['path=a/b.go', 'n=3', 'on=true', 'none=null', 'empty=', 'list=["x"]']);
  assert.deepEqual(blocks.map((b) => `${b.name} ${b.kind}`), ['script text', 'long text', 'deep json']);
});

test('JSON within a text is indented, and a text that begins like JSON is kept', () => {
  assert.deepEqual(text(JSON.stringify('{"a":1}')), [['json', '{\n  "a": 1\n}']]);
  assert.deepEqual(text(JSON.stringify('[not json]')), [['text', '[not json]']]);
});

test('a patch is known by its head and its changes', () => {
  const patch = '@@ -1,2 +1,2 @@\n same\n-old\n+new\n';
  assert.equal(readable({ patch }, 'p').blocks[0].kind, 'patch');
  for (const t of ['- one\n- two\n', '--- PASS: Test\n- a list\n', '@@ nothing changes\n', '+1\n+2\n']) {
    assert.equal(readable({ t: t + 'x\n' }, 'p').blocks[0].kind, 'text', t);
  }
  assert.deepEqual(patchLines(patch).map((l) => l.kind), ['head', 'same', 'removed', 'added']);
});

test('what has colours makes the same text again', () => {
  const marked = (kind, text) => coloured(kind, text).filter((p) => p.as).map((p) => `${p.as} ${p.text}`);
  const json = '{\n  "path": "a/b.go",\n  "say \\"x\\"": [1, -2.5e3, true, null, "true: 7"]\n}';
  assert.deepEqual(marked('json', json), ['key "path"', 'path "a/b.go"', 'key "say \\"x\\""', 'value 1',
    'value -2.5e3', 'value true', 'value null']);
  const log = 'FAIL internal/invoice/totals.go:41: want 1/2, see /etc/hosts, ./x, totals.go:7:3 and https://a.b/c.go ' +
    'or v1.4.0, a.b@c.de, and/or, rates.example/v1.';
  assert.deepEqual(marked('text', log),
    ['internal/invoice/totals.go:41', '/etc/hosts', './x', 'totals.go:7:3'].map((p) => `path ${p}`));
  for (const text of [json, log, '', '"', '"open', '///', '\\"', '{"a":"\\', '/'.repeat(5000), 'a/'.repeat(5000) + 'b.c']) {
    for (const kind of ['json', 'text', 'patch']) {
      assert.equal(coloured(kind, text).map((p) => p.text).join(''), text);
    }
  }
});

test('only the beginning of a long text has colours, and hostile text takes no longer', () => {
  const parts = coloured('json', '[' + '1, '.repeat(100_000));
  assert.ok(parts.length < 15_000, String(parts.length));
  const hostile = ['a.'.repeat(50_000), 'a/'.repeat(50_000), '"' + '\\"'.repeat(50_000), '-1e'.repeat(50_000)];
  for (const text of hostile) for (const kind of ['json', 'text']) coloured(kind, text);
});
