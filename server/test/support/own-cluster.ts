import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import type { Connection } from '../../src/db/pools.ts';
import { startEmbeddedDatabase } from '../../src/embedded-postgres/index.ts';
import { kill, readPostmasterPid } from '../faults/crash-checker/processes.ts';

const projectDir = fileURLToPath(new URL('../../../', import.meta.url));

/** A PostgreSQL with an empty database. */
export interface OwnCluster {
  connection: Connection;
  restart(): Promise<void>;
  /** Kills PostgreSQL. The code that supervises it starts it again. */
  crash(): void;
}

/**
 * Starts a PostgreSQL for one test alone. A test needs one if it stops PostgreSQL, or if it holds a transaction open for seconds. A
 * transaction that has written delays the event streams of all databases in its cluster.
 */
export async function ownClusterForTest(): Promise<OwnCluster> {
  const dataDir = mkdtempSync(join(tmpdir(), 'tenure-own-cluster-'));
  let database = await startEmbeddedDatabase({ dataDir, projectDir });
  onTestFinished(async () => {
    await database.stop();
    rmSync(dataDir, { recursive: true, force: true });
  });
  return {
    connection: database.connection,
    async restart() {
      await database.stop();
      database = await startEmbeddedDatabase({ dataDir, projectDir });
    },
    crash() {
      kill(readPostmasterPid(join(dataDir, 'postgres'))!, 'SIGKILL');
    },
  };
}
