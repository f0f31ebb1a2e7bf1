import { randomBytes } from 'node:crypto';
import { onTestFinished, type TestContext } from 'vitest';
import { newMasterKey } from '../../src/server/config.ts';
import { makeKey } from '../../src/core/secrets/api-keys.ts';
import type { Connection } from '../../src/db/pools.ts';
import { Deployment } from '../faults/crash-checker/deployment.ts';
import { createTestDatabase } from './server.ts';

/** Real processes on one database, which a test kills, pauses and starts again. */
export interface Processes {
  /** Their database, for a test that needs it. */
  connection: Connection;
  secretKey: string;
  /**
   * Starts one more and waits until it serves.
   * @param settings of this process, such as its role.
   * @param program to run in place of the server's own.
   */
  start(settings: Record<string, string>, program?: string): Promise<Deployment>;
}

/**
 * Starts processes of one deployment for one test, and ends all of them with it.
 * @param connection of the test's own database; made if absent.
 * @param whenFinished the hook of this test. Tests that run at the same time must pass their own.
 */
export async function processesForTest(
  connection?: Connection,
  whenFinished: TestContext['onTestFinished'] = onTestFinished,
): Promise<Processes> {
  const database = connection ? null : await createTestDatabase();
  const shared = connection ?? database!.connection;
  const secretKey = makeKey('secret', 'sandbox', randomBytes);
  const common = { DATABASE_URL: urlOf(shared), TENURE_MASTER_KEY: newMasterKey() };
  const started: Deployment[] = [];
  whenFinished(async () => {
    await Promise.all(started.map((one) => one.remove()));
    await database?.drop();
  });
  return {
    connection: shared,
    secretKey,
    async start(settings, program) {
      const one = await Deployment.create({
        secretKey,
        settings: { ...common, ...settings },
        ...(program && { program }),
      });
      started.push(one);
      await one.start();
      return one;
    },
  };
}

/** Returns the URL of the database. */
export function urlOf({ connectionString, host, port, user, database }: Connection): string {
  return connectionString ?? `postgres://${user}@/${database}?host=${encodeURIComponent(host!)}&port=${port}`;
}
