import { expect, onTestFinished } from 'vitest';
import { openStream, type EventStream } from '../support/event-stream.ts';
import { good, type ApiResponse, type TestServer } from '../support/server.ts';
import type { Tenant } from '../support/tenants.ts';

/** Records the names of the statements that streams execute. */
export function queriesOf({ context }: TestServer): string[] {
  const { followers } = context.database;
  const asked: string[] = [];
  const query = followers.query.bind(followers) as (statement: { name: string }) => Promise<unknown>;
  followers.query = ((statement: { name: string }) => {
    asked.push(statement.name);
    return query(statement);
  }) as typeof followers.query;
  return asked;
}

export async function createReference({ api }: Pick<Tenant, 'api'>, body: object = {}): Promise<ApiResponse['body']> {
  return (await good(api.post('/v1/references', { application: 'app_1', ...body }))).body;
}

/** Returns all events of an account in stream order, by reading the table. */
export async function idsInOrder({ accountId }: Tenant, { context }: TestServer): Promise<string[]> {
  const { rows } = await context.database.readers.query<{ id: string }>(
    'select id from events where account_id = $1 order by epoch, events.transaction_id, ordinal',
    [accountId],
  );
  return rows.map(({ id }) => id);
}

/** Waits until each event of an account is older than all transactions in the cluster. Other tests have some, too. */
export async function untilSettled({ accountId }: Pick<Tenant, 'accountId'>, { context }: TestServer): Promise<void> {
  const unsettled = async (): Promise<number | null> => {
    const { rowCount } = await context.database.readers.query(
      'select from events where account_id = $1 and transaction_id >= pg_snapshot_xmin(pg_current_snapshot())',
      [accountId],
    );
    return rowCount;
  };
  await expect.poll(unsettled).toBe(0);
}

/** Copies the account's newest event this many times, in one transaction. */
export async function multiplyEvents({ accountId }: Tenant, count: number, { context }: TestServer): Promise<void> {
  await context.database.readers.query(
    `
    insert into events
      (account_id, id, created, type, object_id, mentions, data, request, shape_version, epoch, transaction_id, ordinal)
    select account_id, left(id, 12) || lpad(number::text, 14, '0'), created, type, object_id, mentions, data, request,
      shape_version, epoch, pg_current_xact_id(), number
    from (select * from events where account_id = $1 order by id desc limit 1) newest, generate_series(1, $2) number`,
    [accountId, count],
  );
}

/** Opens a stream as `openStream` does, for one test. */
export async function streamForTest(...options: Parameters<typeof openStream>): Promise<EventStream> {
  const stream = await openStream(...options);
  onTestFinished(() => stream.close());
  return stream;
}
