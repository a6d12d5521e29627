// What a model writes is read as Markdown while it does.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { marks, markup } from '../../state/markdown.js';

// Writes blocks and marks as a line of tags.
const inline = (all) => all.map((m) => {
  const inner = m.marks ? inline(m.marks) : m.text;
  return m.kind ? `<${m.kind}>${inner}</${m.kind}>` : inner;
}).join('');
const written = (blocks) => blocks.map((b) => b.blocks ? `<${b.kind}>${written(b.blocks)}</${b.kind}>`
  : `<${b.kind}>${b.marks ? inline(b.marks) : b.text}</${b.kind}>`).join('');
const read = (text, open) => written(markup(text, open));

test('words have marks', () => {
  for (const [text, want] of [
    ['It rounds **before** the sum.', 'It rounds <strong>before</strong> the sum.'],
    ['so *it* is, and _that_, **bo *th* s**', 'so <em>it</em> is, and <em>that</em>, <strong>bo <em>th</em> s</strong>'],
    ['see `a_b_c` and ``a`b``', 'see <code>a_b_c</code> and <code>a`b</code>'],
    ['snake_case_name, 2 * 3 * 4, __init__ and \\*no\\*', 'snake_case_name, 2 * 3 * 4, <strong>init</strong> and *no*'],
    ['a *b and ** c', 'a *b and ** c'],
    ['**[REDACTED:aws_key_id]** _x_', '<strong>[REDACTED:aws_key_id]</strong> <em>x</em>'],
    ['<b>no</b>', '<b>no</b>'],
  ]) assert.equal(inline(marks(text, false)), want);
});

test('what is begun at the end of a stream counts as closed, and a sign alone is not shown yet', () => {
  for (const [text, want] of [
    ['It rounds **bef', 'It rounds <strong>bef</strong>'], ['It rounds **', 'It rounds '],
    ['It rounds **before*', 'It rounds <strong>before</strong>'], ['so *i', 'so <em>i</em>'],
    ['see `a_b', 'see <code>a_b</code>'], ['2 * 3', '2 * 3'], ['**a** and `', '<strong>a</strong> and '],
  ]) assert.equal(inline(marks(text, true)), want, text);
});

test('paragraphs, headings, code, quotes and lists are blocks', () => {
  for (const [text, want] of [
    ['One\ntwo\n\nthree', '<p>One\ntwo</p><p>three</p>'],
    ['# Why\nSo.\n### Then ##', '<h1>Why</h1><p>So.</p><h3>Then</h3>'],
    ['Run:\n```sh\ngo test\n\n# no\n```\nDone.', '<p>Run:</p><pre>go test\n\n# no</pre><p>Done.</p>'],
    ['- a\n- b\n  more\n\n- c', '<ul><li><p>a</p></li><li><p>b\nmore</p></li><li><p>c</p></li></ul>'],
    ['1. a\n   - b\n2. c\n\nEnd', '<ol><li><p>a</p><ul><li><p>b</p></li></ul></li><li><p>c</p></li></ol><p>End</p>'],
    ['1. a\n\n   b\n- c', '<ol><li><p>a</p><p>b</p></li></ol><ul><li><p>c</p></li></ul>'],
    ['> a\n> b\n\nc', '<blockquote><p>a\nb</p></blockquote><p>c</p>'],
    ['', ''], ['#no', '<p>#no</p>'], ['-1 is less', '<p>-1 is less</p>'],
  ]) assert.equal(read(text), want);
  assert.equal(read('It is:\n```go\nfunc', true), '<p>It is:</p><pre>func</pre>', 'code that streams in');
  assert.equal(read('**a\n\n- *b', true), '<p>**a</p><ul><li><p><em>b</em></p></li></ul>', 'only the last block is open');
});

test('no text is too deep or takes long', () => {
  const long = 10_000, began = performance.now();
  for (const bit of ['*a ', '**', '- ', '> ', '`', '_a', '**a ', '[REDACTED', '1. \n', '`a', '\n- a\n\n', '```\n']) {
    for (const open of [true, false]) read(bit.repeat(long), open);
  }
  assert.ok(performance.now() - began < 5000, `${performance.now() - began} ms`);
});
