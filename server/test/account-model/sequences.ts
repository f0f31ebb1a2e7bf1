import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { unexplainedBy } from '../support/explained-by-events.ts';
import { Account } from './account.ts';
import { anyCommands } from './commands.ts';

/** The number of sequences played in parallel, each in its own account, because some wait for a freshness time. */
const together = 16;

const maxCommands = 50;

/** The number of sequences and requests, and the sequences in which server and model differ. */
export interface Played {
  sequences: number;
  requests: number;
  failures: string[];
}

/**
 * Plays random sequences of commands against a server, and compares every response with the model.
 *
 * @param options.shortens looks for the shortest sequence that fails. That plays hundreds more; a test that plants a fault needs none.
 */
export async function playSequences(
  { url, secretKey }: { url: string; secretKey: string },
  { sequences, seed, shortens = true }: { sequences: number; seed: number; shortens?: boolean },
): Promise<Played> {
  const played: Played = { sequences: 0, requests: 0, failures: [] };
  const property = fc.asyncProperty(anyCommands(maxCommands), async (commands) => {
    const account = await Account.open(url, secretKey);
    await fc.asyncModelRun(() => ({ model: {}, real: account }), commands);
    await account.expectEvents();
    assert.deepEqual(await unexplainedBy((path) => account.send('GET', path)), [], 'what the events do not explain');
    played.sequences++;
    played.requests += account.requests;
  });
  const lanes = Math.min(together, sequences);
  await Promise.all(
    Array.from({ length: lanes }, async (_, lane) => {
      const numRuns = Math.ceil((sequences - lane) / lanes);
      const details = await fc.check(property, { seed: seed + lane, numRuns, endOnFailure: !shortens });
      if (!details.failed) return;
      const { counterexample, counterexamplePath: path, errorInstance } = details;
      played.failures.push(
        `${(errorInstance as Error).message}\n` +
          `after: ${fc.stringify(counterexample)}\n` +
          `Repeat it with fast-check's { seed: ${seed + lane}, path: ${JSON.stringify(path)} }.`,
      );
    }),
  );
  return played;
}
