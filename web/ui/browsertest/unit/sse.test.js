// The parser of event streams, fed with texts in every part.

import assert from 'node:assert/strict';
import test from 'node:test';
import { Parser } from '../../net/sse.js';

const stream = ': candor\nretry: 2500\n\n' +
  'data: {"a":1}\nevent: status\nid: s-1\n\n' +
  ': beat\n' +
  'event:thinking\ndata:two\ndata: lines\nid: s-2.1\n\n' +
  'event: nothing\n\n' +
  'data\nid: s-3\n\n' +
  'data:  x\nevent: last\n\n' +
  'data: cut off\n';

const messages = [
  { name: 'status', data: '{"a":1}', id: 's-1' },
  { name: 'thinking', data: 'two\nlines', id: 's-2.1' },
  { name: 'message', data: '', id: 's-3' },
  { name: 'last', data: ' x', id: 's-3' },
];

test('a stream is read alike in whatever parts it arrives', () => {
  for (const end of ['\n', '\r\n', '\r']) {
    const text = stream.replaceAll('\n', end);
    for (let size = 1; size <= text.length; size++) {
      const parser = new Parser(), got = [];
      for (let at = 0; at < text.length; at += size) got.push(...parser.push(text.slice(at, at + size)));
      assert.deepEqual(got, messages, `${JSON.stringify(end)}, ${size} at a time`);
      assert.equal(parser.retry, 2500);
    }
  }
});

test('an id with a NUL and a delay that is no number are ignored', () => {
  const parser = new Parser();
  assert.deepEqual(parser.push('id: a\0b\nretry: soon\ndata: x\n\n'), [{ name: 'message', data: 'x', id: '' }]);
  assert.equal(parser.retry, 0);
});
