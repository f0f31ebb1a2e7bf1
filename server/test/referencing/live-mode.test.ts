import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { startSimulators } from '../../src/referencing/simulator/index.ts';

test('asks the database for no callbacks when no service is simulated', async () => {
  let queries = 0;
  const pool = {
    query: () => {
      queries += 1;
      return Promise.resolve({ rows: [] });
    },
  };
  const context = { pool, clock: { nowMs: () => 0 } } as unknown as Parameters<typeof startSimulators>[0];
  const simulators = await startSimulators({ ...context, providers: [] });
  // The services of a sandbox look for callbacks every 250 ms.
  await delay(600);
  await simulators.stop();
  expect(queries).toBe(0);
});
