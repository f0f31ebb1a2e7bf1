import { simulate } from '../simulation/index.ts';
import type { FaultRun } from './fault-run.ts';

/** The seeds of worlds are consecutive whole numbers. The first of them is below this. */
const firstSeedMax = 2 ** 31;

export const simulation: FaultRun = {
  name: 'simulation',
  title:
    'simulated days of committers and dispatchers on a real PostgreSQL: crashes at any statement, lost commits, transactions left open, clocks that jump ahead, bad receivers',
  unit: 'seeds',
  sizes: { ci: 300, gate: 1_500, full: 10_000 },
  async play(size, { seed, print }) {
    const { counts, violations } = await simulate({ seeds: size, firstSeed: seed % firstSeedMax, print });
    const { seeds: done, ...others } = counts;
    return { done: done!, counts: others, violations };
  },
};
