import type { TestServer } from './server.ts';
import { appendOnly } from '../../src/model/traits/append-only.ts';

/** What requests leave behind when they are executed. Logs do not count, because refused requests have one too. */
export interface Traces {
  /** How many there are, by the path of their kind. */
  records: Record<string, number>;
  /** How often they were written, by the path of their kind. */
  writes: Record<string, number>;
  events: number;
  idempotencyKeys: number;
}

/** @param accountId whose traces are counted; all accounts if left out. */
export async function tracesOf({ context }: TestServer, accountId: string | null = null): Promise<Traces> {
  const { database, resources } = context;
  const traces: Traces = { records: {}, writes: {}, events: 0, idempotencyKeys: 0 };
  const countOf = async (table: string, sum = '0'): Promise<{ count: number; sum: number }> => {
    const { rows } = await database.readers.query<{ count: number; sum: number }>(
      `select count(*), coalesce(sum(${sum}), 0)::bigint as sum from ${table} where $1::text is null or account_id = $1`,
      [accountId],
    );
    return rows[0]!;
  };
  for (const { path, table } of resources.filter((resource) => !appendOnly.has(resource))) {
    const { count, sum } = await countOf(table, 'revision');
    traces.records[path] = count;
    traces.writes[path] = sum;
  }
  traces.events = (await countOf('events')).count;
  traces.idempotencyKeys = (await countOf('idempotency_keys')).count;
  return traces;
}
