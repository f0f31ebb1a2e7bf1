import { expect, test } from 'vitest';
import { findIn } from '../../scripts/plain-english.ts';

const long = Array.from({ length: 21 }, (_, index) => `word${index}`).join(' ');

test('finds pronouns and long sentences when they stand in comments, and none in code', () => {
  const source = [
    '/** Whoever calls it waits. */',
    "const who = 'nobody';",
    `// ${long}.`,
    '/**',
    ' * Short. It is read once.',
    ' *',
    ' * @throws if nobody answers.',
    ' */',
  ].join('\n');
  expect(findIn('a.ts', source).findings.map(({ line, kind }) => [line, kind])).toEqual([
    [1, 'pronouns'],
    [4, 'pronouns'],
    [3, 'longSentences'],
  ]);
});

test('finds them when they stand in the text of a document, and none in its code and tables', () => {
  const document = ['# Who', '', 'Nobody waits.', '', '```sh', 'who', '```', '', '| who |', '', `- ${long}.`].join(
    '\n',
  );
  expect(findIn('a.md', document).findings.map(({ line, kind }) => [line, kind])).toEqual([
    [3, 'pronouns'],
    [11, 'longSentences'],
  ]);
});

test('finds them when they stand in the comments of a migration', () => {
  expect(findIn('a.sql', '-- Who asks.\nselect who from people;').findings).toHaveLength(1);
});
