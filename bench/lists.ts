import { Agent, request } from 'undici';
import type { Deployment } from './deployment.ts';
import { grownTo, spacingMs, stopGrown, type Grown } from './grown.ts';
import { median, verify, type Reading, type Suite } from './suite.ts';

/** Requests of each list, to either account in turn. */
const samples = 40;
const warmUps = 10;

const recentCount = 500;

interface Figures {
  references: Reading;
  events: Reading;
  logs: Reading;
}

/**
 * Compares a list of 20 in an account with a million records with one in an account with a thousand. Each is unfiltered and with each
 * single filter. The figure is that of the slowest list.
 */
export const lists: Suite<keyof Figures> = {
  name: 'lists',
  roundsMax: 1,
  figures: {
    references: figureOf('references'),
    events: figureOf('events'),
    logs: figureOf('logs'),
  },
  async round() {
    const { deployment, accounts } = await grownTo('large');
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
  stop: stopGrown,
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

/** A filter with the equivalent SQL condition, for an exact count that the server has not made. */
type Filter = { query: string; condition: string };

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
    { query: 'created[gte]=RECENT', condition: 'created >= RECENT' },
  ];
}

function eventFilters(): Filter[] {
  return [
    { query: '', condition: 'true' },
    { query: 'object_id=OBJECT', condition: `object_id = 'OBJECT'` },
    { query: 'related_object=app_crm_7', condition: `mentions @> array['app_crm_7']` },
    { query: 'related_object=OBJECT', condition: `mentions @> array['OBJECT']` },
    ...['user', 'agent', 'api_key'].map((type) => ({ query: `actor=${type}`, condition: `actor_type = '${type}'` })),
    ...['usr_bench', 'key_bench_1'].map((id) => ({ query: `actor=${id}`, condition: `actor_id = '${id}'` })),
    { query: 'type=reference.completed', condition: `type = 'reference.completed'` },
    { query: 'type=reference.*', condition: `type like 'reference.%'` },
    { query: 'type=customer.*', condition: `type like 'customer.%'` },
    { query: 'created[gte]=RECENT', condition: 'created >= RECENT' },
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
    ...['parameter_invalid', 'unavailable'].map((code) => ({
      query: `error_code=${code}`,
      condition: `error_code = '${code}'`,
    })),
    { query: 'source=api', condition: `source = 'api'` },
    { query: 'idempotency_key=OBJECT', condition: `idempotency_key = 'OBJECT'` },
    { query: 'created[gte]=RECENT', condition: 'created >= RECENT' },
  ];
}

async function slowest(
  url: string,
  { database, secretKey }: Deployment,
  accounts: Grown['accounts'],
  kind: keyof Figures,
  filters: Filter[],
): Promise<Reading> {
  const agent = new Agent({ connections: 1 });
  const table = { references: 'tenant_references', events: 'events', logs: 'request_logs' }[kind];
  const object = { references: 'id', events: 'object_id', logs: 'idempotency_key' }[kind];
  const ratios: number[] = [];
  const listsOf = async (size: 'small' | 'large'): Promise<{ size: typeof size; path: string; count: number }[]> => {
    const { rows } = await database.query<{ last: string; object: string }>(
      `select max(created)::text as last, max(${object}) as object
       from ${table} where account_id = $1`,
      [accounts[size]],
    );
    const filled = (text: string): string =>
      text
        .replace('RECENT', String(Number(rows[0]!.last) - (recentCount * spacingMs) / 1000))
        .replaceAll('OBJECT', rows[0]!.object);
    const counts = filters.map(({ condition }) => `count(*) filter (where ${filled(condition)})`);
    const counted = await database.query<string[]>({
      text: `select ${counts.join(', ')} from ${table} where account_id = $1`,
      values: [accounts[size]],
      rowMode: 'array',
    });
    return filters.map(({ query }, index) => ({
      size,
      path: `/v1/${kind}?${filled(query)}`,
      count: Number(counted.rows[0]![index]),
    }));
  };
  const [small, large] = [await listsOf('small'), await listsOf('large')];
  for (const [index, { query }] of filters.entries()) {
    const times: Record<'small' | 'large', number[]> = { small: [], large: [] };
    const asked = [small[index]!, large[index]!];
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
