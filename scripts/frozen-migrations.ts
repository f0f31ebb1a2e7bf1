import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readMigrations } from '../server/src/db/migrate.ts';

/*
 * A migration of a release is frozen, because databases have run it. A change of its text would reach only new ones. The file
 * `server/sql/frozen.json` has the hash of each.
 */

/** The hashes of released migrations, by name. */
export type FrozenMigrations = Record<string, string>;

interface NamedMigration {
  name: string;
  checksum: string;
}

/** The file with the hashes, relative to the project. */
export const frozenFile = 'server/sql/frozen.json';

const frozenPath = join(import.meta.dirname, '..', frozenFile);

export function readFrozen(): FrozenMigrations {
  return JSON.parse(readFileSync(frozenPath, 'utf8')) as FrozenMigrations;
}

/** Migrations up to this one do not say whether they are additive. No release before it could run beside a newer database. */
const lastUnmarked = '0076_replica_identity';

/** Returns what differs from the frozen migrations, in sentences that say what to do. A new migration is no fault. */
export function faultsOfMigrations(frozen: FrozenMigrations, migrations: readonly NamedMigration[]): string[] {
  const found = new Map(migrations.map(({ name, checksum }) => [name, checksum]));
  const newest = Object.keys(frozen).toSorted().at(-1) ?? '0000';
  const numbers = [...found.keys(), newest].map((name) => Number(name.slice(0, 4)));
  const nextNumber = String(Math.max(...numbers) + 1).padStart(4, '0');
  const advice = `Restore it, and write a new file: server/sql/${nextNumber}_<what_it_does>.sql.`;
  return [
    ...Object.keys(frozen)
      .filter((name) => !found.has(name))
      .map((name) => `${name}.sql is gone, but released databases have run it. ${advice}`),
    ...migrations
      .filter(({ name, checksum }) => frozen[name] !== undefined && frozen[name] !== checksum)
      .map(({ name }) => `${name}.sql has changed, but released databases have run it. ${advice}`),
    // An upgrade would run it last, and a new database in its place.
    ...migrations
      .filter(({ name }) => frozen[name] === undefined && name < newest)
      .map(
        ({ name }) => `${name}.sql is new, and comes before the released ${newest}. Give it the number ${nextNumber}.`,
      ),
    ...migrations
      .filter(({ name }) => name > lastUnmarked && !/^\d{4}_(additive|breaking)_/.test(name))
      .map(
        ({ name }) =>
          `${name}.sql does not say whether processes of the former release can go on. Name it ${name.slice(0, 4)}_additive_… if they can, or else ${name.slice(0, 4)}_breaking_….`,
      ),
  ];
}

/**
 * Adds the migrations that are not frozen yet to the file, for a release.
 *
 * @returns their names.
 * @throws if a frozen migration has changed.
 */
export async function freezeMigrations(): Promise<string[]> {
  const frozen = readFrozen();
  const migrations = await readMigrations();
  const faults = faultsOfMigrations(frozen, migrations);
  if (faults.length > 0) throw new Error(faults.join('\n'));
  const added = migrations.filter(({ name }) => frozen[name] === undefined);
  const all = Object.fromEntries(migrations.map(({ name, checksum }) => [name, checksum]));
  if (added.length > 0) writeFileSync(frozenPath, `${JSON.stringify(all, null, 2)}\n`);
  return added.map(({ name }) => name);
}
