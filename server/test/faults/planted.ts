import type { Client, Database } from '../../src/db/pools.ts';

/** Faults that somebody could have made, put into a server between its own code and its database, to see whether the judge finds them. */
export const plantedFaults = {
  /** The disk is not waited for. */
  'answers before it is durable': ({ writers, deliverers }) => {
    // Whoever waited for the disk would write down what others have not waited for.
    for (const pool of [writers, deliverers]) {
      pool.on('connect', (client) => void client.query('set synchronous_commit = off'));
    }
  },
  /** Keys are remembered for as long as the process lives. */
  'forgets its keys at a start': ({ writers }) => {
    let isFirst = true;
    writers.on('connect', (client) => {
      if (isFirst) void client.query('delete from idempotency_keys');
      isFirst = false;
    });
  },
  /** Of the changes of a busy moment, the deliveries are not made. */
  'loses deliveries under load': ({ writers }) => {
    let batches = 0;
    onQuery(writers, ({ name, values }, send) => {
      if (name !== 'insert_deliveries' || ++batches % 20 !== 0) return send();
      return send({ text: 'select $1::text', values: [String(values?.length)] });
    });
  },
  /** That something was delivered is now and then not written down, and nobody is told. */
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

/** Has every query of a pool pass by, to be sent, changed or answered otherwise. */
function onQuery(pool: Database['writers'], pass: (query: Query, send: Send) => Promise<unknown> | undefined): void {
  pool.on('connect', (client: Client) => {
    const query = client.query.bind(client) as (...args: unknown[]) => Promise<unknown> | undefined;
    client.query = ((first: Query, ...rest: unknown[]) =>
      pass(first, (instead) => query(instead ?? first, ...rest))) as typeof client.query;
  });
}
