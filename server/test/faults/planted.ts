import type { Client, Database } from '../../src/db/pools.ts';

/** Plausible faults, planted between a server's own code and its database. They show whether the judge finds them. */
export const plantedFaults = {
  /** Does not wait for the disk. */
  'answers before it is durable': ({ writers, deliverers }) => {
    // A commit that waits for the disk would also write those that do not.
    for (const pool of [writers, deliverers]) {
      pool.on('connect', (client) => void client.query('set synchronous_commit = off'));
    }
  },
  /** Forgets all keys when the process starts. */
  'forgets its keys at a start': ({ writers }) => {
    let isFirst = true;
    writers.on('connect', (client) => {
      if (isFirst) void client.query('delete from idempotency_keys');
      isFirst = false;
    });
  },
  /** Drops the deliveries of changes at busy moments. */
  'loses deliveries under load': ({ writers }) => {
    let batches = 0;
    onQuery(writers, ({ name, values }, send) => {
      const isInsert = name === 'insert_deliveries' || name === 'insert_claimed_deliveries';
      if (!isInsert || ++batches % 20 !== 0) return send();
      return send({ text: 'select $1::text', values: [String(values?.length)] });
    });
  },
  /** Sometimes drops the record of a delivery, without an error. */
  'forgets that it has delivered': ({ deliverers }) => {
    let outcomes = 0;
    onQuery(deliverers, ({ name }, send) => {
      if (name !== 'write_outcomes' || ++outcomes % 20 !== 0) return send();
      return send({ text: 'select 1' });
    });
  },
} satisfies Record<string, (database: Database) => void>;

export type PlantedFault = keyof typeof plantedFaults;

interface Query {
  name?: string;
  text: string;
  values?: readonly unknown[];
}

type Send = (instead?: Query) => Promise<unknown> | undefined;

/** Passes every query of a pool through a function that sends, changes or answers it. */
function onQuery(pool: Database['writers'], pass: (query: Query, send: Send) => Promise<unknown> | undefined): void {
  pool.on('connect', (client: Client) => {
    const query = client.query.bind(client) as (...args: unknown[]) => Promise<unknown> | undefined;
    client.query = ((first: Query, ...rest: unknown[]) =>
      pass(first, (instead) => query(instead ?? first, ...rest))) as typeof client.query;
  });
}
