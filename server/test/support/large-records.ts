import { expect } from 'vitest';
import { withClient, type Connection } from '../../src/db/pools.ts';
import { postLarge } from './large-bodies.ts';
import type { Api } from './server.ts';

/** Makes a customer of some 250 kB, as large as a body can be. */
export async function makeLargeCustomer(api: Api): Promise<string> {
  const { id } = (await postLarge(api, '/v1/customers', { name: 'Ada', addresses: addresses('长') })).body;
  await makeLarge(api, id);
  return id;
}

/** Gives a customer addresses of some 250 kB. */
export async function makeLarge(api: Api, id: string): Promise<void> {
  await postLarge(api, `/v1/customers/${id}`, { addresses: addresses('短') });
}

function addresses(sign: string): object[] {
  const line = sign.repeat(400);
  return Array.from({ length: 50 }, () => ({ line1: line, line2: line, city: line, postal_code: line, country: 'CN' }));
}

/** Copies the account's newest event, an update that holds the customer before and after. Returns all ids in the order of streams. */
export async function copyNewestEvent(connection: Connection, accountId: string, count: number): Promise<string[]> {
  await copySmallEvent(connection, accountId, count);
  const rows = await query<{ id: string; bytes: number }>(
    connection,
    `
    select id, octet_length(data) as bytes
    from events where account_id = $1 order by epoch, events.transaction_id, ordinal`,
    [accountId],
  );
  expect(rows.at(-1)!.bytes).toBeGreaterThan(450_000);
  return rows.map(({ id }) => id);
}

/** Copies the account's newest event, of any size. */
export async function copySmallEvent(connection: Connection, accountId: string, count: number): Promise<void> {
  await query(
    connection,
    `
    insert into events
      (account_id, id, created, type, object_id, mentions, data, request, shape_version, epoch, transaction_id, ordinal)
    select account_id, left(id, 12) || lpad(number::text, 14, '0'), created, type, object_id, mentions, data, request,
      shape_version, epoch, pg_current_xact_id(), number
    from (select * from events where account_id = $1 order by id desc limit 1) newest, generate_series(1, $2) number`,
    [accountId, count],
  );
}

export function query<Row extends object>(
  connection: Connection,
  text: string,
  values: unknown[] = [],
): Promise<Row[]> {
  return withClient(connection, async (client) => (await client.query(text, values)).rows as Row[]);
}
