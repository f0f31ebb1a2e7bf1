import { expect, test } from 'vitest';
import { findIn } from '../../../scripts/plain-english.ts';

const long = Array.from({ length: 21 }, (_, index) => `word${index}`).join(' ');

test('finds pronouns and long sentences in comments, but not in code, when a source file is read', () => {
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

test('finds them in the text of a document, but not in its code and tables, when it is read', () => {
  const document = ['# Who', '', 'Nobody waits.', '', '```sh', 'who', '```', '', '| who |', '', `- ${long}.`].join(
    '\n',
  );
  expect(findIn('a.md', document).findings.map(({ line, kind }) => [line, kind])).toEqual([
    [3, 'pronouns'],
    [11, 'longSentences'],
  ]);
});

test('finds them in the comments of a migration when it is read', () => {
  expect(findIn('a.sql', '-- Who asks.\nselect who from people;').findings).toHaveLength(1);
});
