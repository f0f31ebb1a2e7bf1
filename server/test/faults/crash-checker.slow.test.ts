import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { withClient } from '../../src/db/database.ts';
import { startEmbeddedDatabase } from '../../src/db/embedded.ts';
import { CrashChecker, newSeed } from './crash-checker/checker.ts';
import { textOf } from './crash-checker/json.ts';
import { run } from './crash-checker/run.ts';

const projectDir = fileURLToPath(new URL('../../../', import.meta.url));
const rounds = Number(process.env.CRASH_ROUNDS ?? 30);
const seed = Number(process.env.CRASH_SEED ?? newSeed());

test(`nothing answered is lost or done twice in ${rounds} crashes`, async () => {
  const { violations } = await run({ rounds, seed, kill: 'mixed', clients: 16 }, (line) => {
    process.stdout.write(`${line}\n`);
  });
  expect(violations).toEqual([]);
});

describe('the checker reports exactly what is missing when somebody removes', () => {
  let checker: CrashChecker;

  beforeEach(async () => {
    checker = await CrashChecker.create({ seed, kill: 'server', clients: 4 });
    await checker.deployment.start();
    await checker.playRound();
  });
  afterEach(() => checker.close());

  test('a reference that was answered', async () => {
    const { observation, violations } = await checker.inspect();
    expect(violations).toEqual([]);
    const id = textOf(observation.references.items[3], 'id');
    await remove('tenant_references', id);
    expect(await findings()).toEqual([`lost_record ${id}`, 'wrong_count /v1/references']);
  });

  test('an event of an update', async () => {
    const { observation, violations } = await checker.inspect();
    expect(violations).toEqual([]);
    const event = observation.events.items.find(({ type }) => type === 'reference.updated')!;
    await remove('events', textOf(event, 'id'));
    expect(await findings()).toEqual([`lost_event ${textOf(event, 'data', 'object', 'id')}`, 'wrong_count /v1/events']);
  });

  /** With the server stopped, straight in its database. */
  async function remove(table: 'tenant_references' | 'events', id: string): Promise<void> {
    await checker.deployment.stop();
    const database = await startEmbeddedDatabase({ dataDir: checker.deployment.dataDir, projectDir });
    try {
      const { rowCount } = await withClient(database.connection, (client) =>
        client.query(`delete from ${table} where id = $1`, [id]),
      );
      expect(rowCount).toBe(1);
    } finally {
      await database.stop();
    }
    await checker.deployment.start();
  }

  async function findings(): Promise<string[]> {
    const { violations } = await checker.inspect();
    return violations.map(({ rule, about }) => `${rule} ${about}`).sort();
  }
});
