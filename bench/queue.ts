import { setTimeout as delay } from 'node:timers/promises';
import { endpointCount, type Deployment } from './deployment.ts';
import { requestBody } from './sample.ts';
import { verify } from './suite.ts';

/** Records deliveries, evenly for all endpoints. Each has its own event, a copy of one that the API made. They are not in any queue yet. */
export async function recordDeliveries(deployment: Deployment, count: number): Promise<void> {
  const { database, secretKey, endpointIds } = deployment;
  await deployment.subscribe(0);
  await deployment.empty();
  const server = await deployment.startServer('api');
  await fetch(`${server.url}/v1/references`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secretKey}`, 'content-type': 'application/json' },
    body: requestBody,
  });
  await server.stop();
  await database.query(
    `insert into events
     select (jsonb_populate_record(original, jsonb_build_object('id', left(original.id, 12) || lpad(number::text, 14, '0')))).*
     from events original, generate_series(1, $1) number`,
    [count],
  );
  await database.query(
    `insert into webhook_deliveries (account_id, id, created, event, webhook_endpoint, type)
     select
       account_id, 'dlv_' || substr(id, 5), created, id,
       ($1::text[])[1 + row_number() over (order by id) % $2], type
     from events
     where right(id, 14) between lpad('1', 14, '0') and lpad($3::text, 14, '0')`,
    [endpointIds, endpointCount, count],
  );
  await database.query('analyze events, webhook_deliveries');
}

/** Puts them into the product's queue. */
export async function queueDeliveries({ database }: Deployment, dueAtMs = Date.now()): Promise<void> {
  await database.query(
    `insert into webhook_queue (account_id, id, event, webhook_endpoint, due_at_ms)
     select account_id, id, event, webhook_endpoint, $1 from webhook_deliveries`,
    [dueAtMs],
  );
  await database.query('checkpoint');
}

const emptyTimeoutMs = 60_000;

/** Waits until the queue's table is empty, and returns that time by the clock that all processes share. */
export async function untilEmpty({ database }: Deployment, table: string): Promise<number> {
  const giveUpAtMs = performance.now() + emptyTimeoutMs;
  while (performance.now() < giveUpAtMs) {
    const { rows } = await database.query<{ is_empty: boolean }>(
      `select /* bench */ not exists (select from ${table}) as is_empty`,
    );
    if (rows[0]!.is_empty) return sharedClockMs();
    await delay(5);
  }
  throw new Error(`${table} did not become empty in time.`);
}

export function sharedClockMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

/** Checks that each delivery has one attempt, and that it succeeded. */
export async function verifyDelivered({ database }: Deployment, count: number): Promise<void> {
  const { rows } = await database.query<Record<'attempts' | 'delivered' | 'deliveries', string>>(`
    select
      count(*) as attempts,
      count(distinct delivery_id) filter (where outcome = 'delivered') as delivered,
      (select count(*) from webhook_deliveries) as deliveries
    from webhook_attempts`);
  const { attempts, delivered, deliveries } = rows[0]!;
  const facts = `${count} expected, ${deliveries} deliveries, ${attempts} attempts, ${delivered} delivered`;
  verify(
    facts,
    [attempts, delivered, deliveries].every((found) => Number(found) === count),
  );
}
