import { onTestFinished } from 'vitest';
import type { Encryption } from '../../src/core/secrets/encryption.ts';
import { joinDeployment, raiseEpoch } from '../../src/db/deployment.ts';
import { withClient, type Connection } from '../../src/db/pools.ts';
import { moveTree, type Moved, type OnStep } from '../../src/move-account/move.ts';
import { createTestDatabase, startTestServer, type TestServer } from '../support/server.ts';

/** Two cells with a database each, in one cluster. */
export interface TwoCells {
  source: TestServer;
  target: TestServer;
}

/** Starts two cells for one test. The target can receive trees. */
export async function twoCells(options: Parameters<typeof startTestServer>[0] = {}): Promise<TwoCells> {
  const source = await startTestServer({ works: true, ...options });
  onTestFinished(() => source.stop());
  const { connection, drop } = await createTestDatabase();
  onTestFinished(() => drop());
  const { config, encryption, versions } = source.context;
  await withClient(connection, async (client) => {
    await joinDeployment(client, encryption, config.mode, { versions: versions.upTo(versions.newest), isAlone: true });
    await raiseEpoch(client, 2);
  });
  const target = await startTestServer({ works: true, ...options, connection });
  onTestFinished(() => target.stop());
  return { source, target };
}

/** Moves a tree as the command does. */
export async function move(cells: TwoCells, root: string, onStep: OnStep = () => {}): Promise<Moved> {
  const { encryption } = cells.source.context;
  return between(cells, encryption, (clients) => moveTree(clients, { root, cell: 'eu2', moveId: 'of_a_test' }, onStep));
}

/** Runs `work` with a connection to each cell. */
export function between<Result>(
  { source, target }: { source: { connection: Connection }; target: { connection: Connection } },
  encryption: Encryption,
  work: (clients: Parameters<typeof moveTree>[0]) => Promise<Result>,
): Promise<Result> {
  return withClient(source.connection, (here) =>
    withClient(target.connection, (there) => work({ source: here, target: there, encryption })),
  );
}
