import { Agent, request } from 'undici';
import type { Client } from 'pg';
import { makePartitionsAhead } from '../server/src/db/partitions.ts';
import { startDeployment, type Deployment } from './deployment.ts';
import { median, verify, type Reading, type Suite } from './suite.ts';

const small = 1_000;
const large = 1_000_000;

/** So often each list is asked for, of either account in turn. */
const samples = 60;
const warmUps = 10;

/** Between two records, so that the large account has about 300 days of them and a recent time is the same few of both. */
const spacingMs = 26_000;
const recentCount = 500;

const weekMs = 7 * 24 * 3600 * 1000;

interface Figures {
  references: Reading;
  events: Reading;
  logs: Reading;
}

/** One account with many records, and one with few. The one that may ask for both is the parent of both. */
interface Seeded {
  deployment: Deployment;
  accounts: { small: string; large: string };
}

let seeded: Promise<Seeded> | null = null;

/**
 * A list of 20 in an account with a million records, against the same in one with a thousand: unfiltered and by each filter alone. The
 * figure is that of the slowest list.
 */
export const lists: Suite<keyof Figures> = {
  name: 'lists',
  figures: {
    references: figureOf('references'),
    events: figureOf('events'),
    logs: figureOf('logs'),
  },
  async round() {
    // A database of its own: others empty theirs, and a million rows take a minute.
    seeded ??= seed();
    const { deployment, accounts } = await seeded;
    const server = await deployment.startServer('api');
    try {
      return {
        references: await slowest(server.url, deployment, accounts, 'references', referenceFilters()),
        events: await slowest(server.url, deployment, accounts, 'events', eventFilters()),
        logs: await slowest(server.url, deployment, accounts, 'logs', logFilters()),
      };
    } finally {
      await server.stop();
    }
  },
  async stop() {
    await (await seeded)?.deployment.stop();
  },
};

function figureOf(kind: string): Suite['figures'][string] {
  return {
    title: `a list of 20 of a million ${kind}, against one of a thousand: the slowest of all filters, p50`,
    unit: 'times',
    better: 'less',
    floor: 2,
    aim: 1.2,
    needs: [],
  };
}

/** A filter with the condition that finds the same, for an exact count that the server has not made. */
type Filter = { query: string; condition: string };

const recent = `created >= (select max(created) from TABLE where account_id = $1) - ${(recentCount * spacingMs) / 1000}`;

function referenceFilters(): Filter[] {
  return [
    { query: '', condition: 'true' },
    { query: 'application=app_crm_7', condition: `application = 'app_crm_7'` },
    { query: 'customer=cus_crm_7', condition: `customer = 'cus_crm_7'` },
    ...['pending', 'processing', 'complete', 'canceled'].map((status) => ({
      query: `status=${status}`,
      condition: `status = '${status}'`,
    })),
    ...['accept', 'consider', 'high_risk'].map((outcome) => ({
      query: `outcome=${outcome}`,
      condition: `outcome = '${outcome}'`,
    })),
    { query: 'type=customer', condition: `type = 'customer'` },
    { query: 'created[gte]=RECENT', condition: recent },
  ];
}

function eventFilters(): Filter[] {
  return [
    { query: '', condition: 'true' },
    { query: 'object_id=OBJECT', condition: `object_id = 'OBJECT'` },
    { query: 'related_object=app_crm_7', condition: `mentions @> array['app_crm_7']` },
    { query: 'related_object=OBJECT', condition: `mentions @> array['OBJECT']` },
    { query: 'type=reference.completed', condition: `type = 'reference.completed'` },
    { query: 'type=reference.*', condition: `type like 'reference.%'` },
    { query: 'type=customer.*', condition: `type like 'customer.%'` },
    { query: 'created[gte]=RECENT', condition: recent },
  ];
}

function logFilters(): Filter[] {
  return [
    { query: '', condition: 'true' },
    { query: 'method=POST', condition: `method = 'POST'` },
    { query: 'path=/v1/references/OBJECT', condition: `path = '/v1/references/OBJECT'` },
    ...[200, 404].map((status) => ({ query: `status=${status}`, condition: `status = ${status}` })),
    ...['2xx', '4xx', '5xx'].map((status) => ({
      query: `status=${status}`,
      condition: `status between ${status[0]}00 and ${status[0]}99`,
    })),
    { query: 'key=key_bench_1', condition: `key_id = 'key_bench_1'` },
    { query: 'source=api', condition: `source = 'api'` },
    { query: 'idempotency_key=OBJECT', condition: `idempotency_key = 'OBJECT'` },
    { query: 'created[gte]=RECENT', condition: recent },
  ];
}

async function slowest(
  url: string,
  { database, secretKey }: Deployment,
  accounts: Seeded['accounts'],
  kind: keyof Figures,
  filters: Filter[],
): Promise<Reading> {
  const agent = new Agent({ connections: 1 });
  const table = { references: 'tenant_references', events: 'events', logs: 'request_logs' }[kind];
  const object = { references: 'id', events: 'object_id', logs: 'idempotency_key' }[kind];
  const ratios: number[] = [];
  for (const { query, condition } of filters) {
    const times: Record<keyof typeof accounts, number[]> = { small: [], large: [] };
    const asked = await Promise.all(
      (['small', 'large'] as const).map(async (size) => {
        const { rows } = await database.query<{ last: string; object: string }>(
          `select max(created)::text as last, max(${object}) as object
           from ${table} where account_id = $1`,
          [accounts[size]],
        );
        const filled = (text: string): string =>
          text
            .replace('RECENT', String(Number(rows[0]!.last) - (recentCount * spacingMs) / 1000))
            .replaceAll('OBJECT', rows[0]!.object)
            .replaceAll('TABLE', table);
        const counted = await database.query<{ count: string }>(
          `select count(*) from ${table} where account_id = $1 and ${filled(condition)}`,
          [accounts[size]],
        );
        return { size, path: `/v1/${kind}?${filled(query)}`, count: Number(counted.rows[0]!.count) };
      }),
    );
    for (let sample = -warmUps; sample < samples; sample++) {
      for (const { size, path, count } of sample % 2 === 0 ? asked : asked.toReversed()) {
        const startedMs = performance.now();
        const answer = await request(url + path, {
          dispatcher: agent,
          headers: { authorization: `Bearer ${secretKey}`, 'service-context': accounts[size] },
        });
        const body = (await answer.body.json()) as { count: number; data: unknown[] };
        if (sample >= 0) times[size].push(performance.now() - startedMs);
        verify(
          `${path} of the ${size} account has ${count} records`,
          body.count === count && body.data.length === Math.min(20, count) && count > 0,
        );
      }
    }
    const [few, many] = [median(times.small), median(times.large)];
    ratios.push(many / few);
    process.stderr.write(
      `\n  ${kind}?${query}: ${few.toFixed(2)} ms of ${asked[0]!.count}, ${many.toFixed(2)} ms of ${asked[1]!.count}`,
    );
  }
  await agent.close();
  return { value: Math.max(...ratios) };
}

async function seed(): Promise<Seeded> {
  const deployment = await startDeployment(null);
  const { database, accountId } = deployment;
  const nowMs = Date.now();
  for (let ms = nowMs - large * spacingMs; ms < nowMs; ms += 8 * weekMs) await makePartitionsAhead(database, ms);
  await database.query(`
    create function base62(number bigint, width integer) returns text language sql immutable as $$
      select string_agg(
        substr('0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz', (number / (62::numeric ^ (width - place))::bigint % 62)::integer + 1, 1),
        '' order by place)
      from generate_series(1, width) place
    $$`);
  const accounts = { small: await branch(database, accountId, 1), large: await branch(database, accountId, 2) };
  await fill(database, accounts.small, small, nowMs);
  await fill(database, accounts.large, large, nowMs);
  await database.query('vacuum analyze');
  return { deployment, accounts };
}

async function branch(database: Client, parent: string, number: number): Promise<string> {
  const { rows } = await database.query<{ id: string }>(
    `insert into accounts (account_id, id, created, revision, name, linked_records, parent, api_version)
     select id, id, created, 1, 'Branch', 'open', $1, api_version
     from (select left($1, 15) || lpad($2, 12, '0') as id, created, api_version from accounts where id = $1) made
     returning id`,
    [parent, String(number)],
  );
  return rows[0]!.id;
}

/** Two references for each application and customer; most are over. One event for each, of a mix of types. */
async function fill(database: Client, account: string, count: number, nowMs: number): Promise<void> {
  await database.query(
    `insert into tenant_references
       (account_id, id, created, revision, application, customer, status, outcome, completed_at, type, metadata)
     select $1, 'ref_' || base62(ms, 8) || lpad(number::text, 14, '0'), ms / 1000, 1,
       'app_crm_' || number / 2, 'cus_crm_' || number / 2, status,
       case when status = 'complete' then (array['accept', 'accept', 'consider', 'high_risk'])[number / 10 % 4 + 1] end,
       case when status = 'complete' then ms / 1000 end, 'customer', '{}'
     from (
       select number, $3::bigint - ($2 - number) * ${spacingMs}::bigint as ms,
         (array['complete', 'complete', 'complete', 'complete', 'complete', 'complete', 'pending', 'processing', 'canceled', 'complete'])[number % 10 + 1] as status
       from generate_series(1, $2::bigint) number
     ) made`,
    [account, count, nowMs],
  );
  await database.query(
    `insert into events
       (account_id, id, created, type, object_id, mentions, data, request, epoch, transaction_id, ordinal)
     select $1, 'evt_' || substr(id, 5), created,
       (array['reference.created', 'reference.updated', 'reference.completed', 'customer.created', 'customer.updated'])[number % 5 + 1],
       id, array[id, application, customer],
       json_build_object('object', json_build_object('id', id, 'object', 'reference', 'created', created, 'application', application,
         'automatic_reference', null, 'completed_at', completed_at, 'customer', customer, 'outcome', outcome, 'reference_pdf', null,
         'status', status, 'type', type, 'metadata', json_build_object()), 'previous_attributes', null)::text,
       '{"id":null,"idempotency_key":null,"from_dashboard":false,"customer_portal":false,"actor":null}', 1, '1', 0
     from (select *, row_number() over () as number from tenant_references where account_id = $1) made`,
    [account],
  );
  await database.query(
    `insert into request_logs
       (account_id, id, created, method, url, path, status, duration_ms, key_id, key_type, source, api_version, idempotency_key,
        replayed, request_body, response_body, events, mentions)
     select $1, 'req_' || substr(id, 5), created, 'POST', path, path, status, 12, 'key_bench_' || number % 3, 'secret', 'api',
       '2026-11-01', id, false, '{"outcome":"accept"}', '{"id":"' || id || '","object":"reference"}', '{}', '{}'
     from (
       select *, '/v1/references/' || id as path,
         case when number % 500 = 0 then 503 when number % 50 = 0 then 404 when number % 20 = 0 then 400 else 200 end as status
       from (select id, created, row_number() over () as number from tenant_references where account_id = $1) numbered
     ) made`,
    [account],
  );
  for (const [object, table, dimensions] of [
    ['reference', 'tenant_references', ['status', 'outcome', 'type']],
    ['event', 'events', ['type']],
    ['log', 'request_logs', ['method', 'status', 'source', 'key_id']],
  ] as const) {
    await database.query(
      `insert into count_deltas (account_id, object, dimension, value, delta)
       select $1, '${object}', '', '', count(*) from ${table} where account_id = $1
       ${dimensions.map((name) => `union all select $1, '${object}', '${name}', ${name}::text, count(*) from ${table} where account_id = $1 and ${name} is not null group by ${name}`).join(' ')}`,
      [account],
    );
  }
}
