import { readFileSync } from 'node:fs';
import { injectionStrings } from './injection-strings.ts';

const bigList = new URL('../bad-input/data/naughty-strings/blns.json', import.meta.url);

/** The Big List of Naughty Strings as it was published. Some strings are in it twice, and one is empty. */
export const bigListBytes: Buffer = readFileSync(bigList);

/** Strings that the list lacks: those special to this server's own parts, and the ranges of Unicode. */
const ownStrings: readonly string[] = [
  // Characters that serializers, array literals and SQL use themselves.
  '`',
  'ends with a backslash\\',
  'ends with two\\\\',
  '\\"',
  '"\\',
  '"},{"',
  '","',
  '{a,b}',
  '{}',
  '{{}}',
  '{"a","b"}',
  '[]',
  '[1]={2}',
  ',,',
  '"NULL"',
  '\\N',
  '\\.',
  "'; drop table customers; --",
  "' or '1'='1",
  '$1',
  '${1+1}',
  '%s %d %n',
  ':name',
  '\\u0041',
  '\\u0000',
  '\\x41',
  '\\n',
  '&lt;b&gt;&amp;',
  '<script>alert(1)</script>',
  '{"__proto__":{"polluted":true}}',
  '../../etc/passwd',
  // White space and control characters.
  '  both ends  ',
  '\t',
  '\n',
  '\r',
  '\r\n',
  'line one\nline two\ttabbed',
  '\b\f\v',
  '\u0001\u0002\u001f',
  '\u007f',
  '\u0080\u009f',
  '\u00a0',
  '\u2028',
  '\u2029',
  '\u200b\u200d',
  '\ufeffafter a mark',
  // The ranges of Unicode.
  'é',
  'e\u0301',
  'ﬁ',
  'ß',
  'İstanbul ı',
  'Σίσυφος ς',
  'Привет',
  '田中さん',
  'مرحبا',
  'שלום',
  '\u202eright to left\u202c',
  '\u0627\u0628 abc \u05d0\u05d1',
  'Z\u0351\u036b\u0343\u036a\u0302\u036b\u033d\u034f\u0334\u0319\u0324',
  '🏠',
  '👩‍👩‍👧‍👦',
  '🇬🇧🏴󠁧󠁢󠁳󠁣󠁴󠁿',
  '👍🏽',
  '\ufffd',
  '\ufffe\uffff',
  '\u{10ffff}',
  '\ue000',
  '😀'.repeat(250),
  // Texts that look like something else.
  '1e309',
  '0x1F',
  '2026-11-01',
  'ref_0VbZtc5J00baoBiLwEcRMm',
  '__proto__',
  'constructor',
  'toString',
  'valueOf',
  'x'.repeat(500),
];

/**
 * Texts that programs have been seen to change, cut or choke on. Each must come back exactly as it was sent. None is empty, has a NUL, an
 * unpaired surrogate, or more than 500 characters; the server refuses those.
 */
export const naughtyStrings: readonly string[] = [
  ...new Set([...ownStrings, ...injectionStrings, ...(JSON.parse(bigListBytes.toString('utf8')) as string[])]),
].filter((text) => text !== '' && Array.from(text).length <= 500);
