import { playSequences } from '../../account-model/sequences.ts';
import { openSite } from '../site.ts';
import type { FaultReport, FaultRun, PlayOptions } from './fault-run.ts';

/** Random sequences of all that a client can do in an account, compared with a model of the contract. */
export const model: FaultRun = {
  name: 'model',
  title:
    'random requests to an account, in any order: responses, lists, counts and events match a model of the contract',
  unit: 'sequences',
  sizes: { ci: 100, gate: 300, full: 2_000 },
  play: playModel,
};

async function playModel(sequences: number, { seed, print }: PlayOptions): Promise<FaultReport> {
  const site = await openSite({ servers: [{}], settings: { TENURE_ROLE: 'api' } });
  const [server] = site.servers;
  try {
    await server!.start();
    const played = await playSequences(server!, { sequences, seed });
    for (const failure of played.failures) print(failure);
    return {
      done: played.sequences,
      counts: { requests: played.requests },
      violations: played.failures.map((message) => ({
        rule: 'otherwise_than_the_model',
        about: `seed ${seed}`,
        message,
      })),
    };
  } finally {
    await site.close();
  }
}
