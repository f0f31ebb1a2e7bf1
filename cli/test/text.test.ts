import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { safeLines, safeText } from '../src/output/text.ts';
import { anyCodePoint } from '../../server/test/support/any-code-point.ts';

test('leaves nothing but colours, line ends and tabs that a terminal obeys', () => {
  const pieces = fc.constantFrom(
    'a',
    '\n',
    '\t',
    '\r',
    '\u001b[1m',
    '\u001b[39m',
    '\u001b]0;title\u0007',
    '\u001b[2J',
    '\u202e',
  );
  fc.assert(
    fc.property(fc.array(fc.oneof(pieces, fc.string({ unit: anyCodePoint }))), (texts) => {
      // oxlint-disable-next-line no-control-regex -- A colour begins with one.
      const plain = safeLines(texts.join('')).replaceAll(/[\n\t]|\u001b\[\d+m/g, '');
      expect(safeText(plain)).toBe(plain);
    }),
  );
});

test('changes nothing in what the commands print themselves', () => {
  const own = '\u001b[1mSigned in\u001b[22m\n\tto Größe 🏠';
  expect(safeLines(own)).toBe(own);
});
