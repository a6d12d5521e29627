import assert from 'node:assert/strict';
import { test } from 'node:test';
import { patchLines, readResult, readable } from '../../state/content.js';

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
