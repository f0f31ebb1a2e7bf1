import { expect, test } from 'vitest';
import { faultsOfMigrations, readFrozen } from '../../../scripts/frozen-migrations.ts';
import { readMigrations } from '../../src/db/migrate.ts';

const frozen = { '0001_first': 'aa', '0003_third': 'cc' };
const kept = [
  { name: '0001_first', checksum: 'aa' },
  { name: '0003_third', checksum: 'cc' },
];

test('keeps every released migration as it was', async () => {
  expect(faultsOfMigrations(readFrozen(), await readMigrations())).toEqual([]);
});

test('accepts a new migration when its number follows the released ones', () => {
  expect(faultsOfMigrations(frozen, [...kept, { name: '0004_fourth', checksum: 'dd' }])).toEqual([]);
});

test('says how to write a new migration when a released one has changed', () => {
  expect(faultsOfMigrations(frozen, [kept[0]!, { name: '0003_third', checksum: 'other' }])).toEqual([
    '0003_third.sql has changed, but released databases have run it. Restore it, and write a new file: server/sql/0004_<what_it_does>.sql.',
  ]);
});

test('says how to write a new migration when a released one is gone or has another name', () => {
  expect(faultsOfMigrations(frozen, [kept[0]!, { name: '0004_third', checksum: 'cc' }])).toEqual([
    '0003_third.sql is gone, but released databases have run it. Restore it, and write a new file: server/sql/0005_<what_it_does>.sql.',
  ]);
});

test('asks for a higher number when a new migration comes before a released one', () => {
  expect(faultsOfMigrations(frozen, [...kept, { name: '0002_second', checksum: 'bb' }])).toEqual([
    '0002_second.sql is new, and comes before the released 0003_third. Give it the number 0004.',
  ]);
});

test('asks for a name that says whether the former release can go on when a new one lacks it', () => {
  const migrations = ['0078_additive_column', '0079_breaking_rename', '0080_table'];
  expect(
    faultsOfMigrations(
      {},
      migrations.map((name) => ({ name, checksum: 'aa' })),
    ),
  ).toEqual([
    '0080_table.sql does not say whether processes of the former release can go on. Name it 0080_additive_… if they can, or else 0080_breaking_….',
  ]);
});
