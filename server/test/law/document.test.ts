import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { noticeOfGrounds, periodInWords } from '../../src/law/grounds.ts';
import { rulesets } from '../../src/law/index.ts';

const document = readFileSync(join(import.meta.dirname, '../../../docs/law.md'), 'utf8');

/** Returns the cells of the rows in a section, without the two rows of its head. */
function rowsOf(section: string): string[][] {
  const [, text = ''] = document.split(`\n## ${section}\n`);
  const lines = text
    .split('\n## ')[0]!
    .split('\n')
    .filter((line) => line.startsWith('|'));
  return lines.slice(2).map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

test('lists the checks of the ruleset, with their sources and dates', () => {
  expect(rowsOf('Checks')).toEqual(
    rulesets.england.map(({ id, severity, appliesTo, source, from }) => [
      `\`${id}\``,
      severity,
      appliesTo.join(', '),
      source,
      from,
    ]),
  );
});

test('lists the least notice of every ground', () => {
  const listed = rowsOf('Notice by a landlord').flatMap(([period, grounds]) =>
    grounds!.split(', ').map((ground) => [ground, period]),
  );
  const known = [...noticeOfGrounds].map(([ground, period]) => [
    ground,
    periodInWords(period).replace('no least notice', 'none'),
  ]);
  expect(listed).toEqual(known);
});
