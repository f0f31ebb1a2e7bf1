import type { Registry } from 'prom-client';
import type { Database } from '../db/pools.ts';
import { gaugeOnScrape } from './gauge-on-scrape.ts';

const watched = ['readers', 'listers', 'followers', 'files', 'writers', 'deliverers', 'jobs', 'searchers'] as const;

/** Shows how busy the connections to the database are. */
export function watchPools(registers: Registry[], database: Database): void {
  gaugeOnScrape(
    registers,
    {
      name: 'tenure_database_pool_connections',
      help: 'Connections of this process to the database, by what they are for and whether they are `busy` or `idle`.',
      labelNames: ['pool', 'state'],
    },
    (gauge) => {
      for (const pool of watched) {
        const { totalCount, idleCount } = database[pool];
        gauge.set({ pool, state: 'idle' }, idleCount);
        gauge.set({ pool, state: 'busy' }, totalCount - idleCount);
      }
    },
  );
  gaugeOnScrape(
    registers,
    {
      name: 'tenure_database_pool_waiting',
      help: 'Callers in this process that wait for a connection to the database, by what it is for.',
      labelNames: ['pool'],
    },
    (gauge) => {
      for (const pool of watched) gauge.set({ pool }, database[pool].waitingCount);
    },
  );
}
