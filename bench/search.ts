import { setTimeout as delay } from 'node:timers/promises';
import { Agent, request } from 'undici';
import { startDeployment, type Deployment } from './deployment.ts';
import { sizes } from './grown.ts';
import { percentile, verify, type Reading, type Suite } from './suite.ts';

/** Searches of each kind of query, one after the other. */
const samples = 60;
const warmUps = 5;

/** Milliseconds between two looks whether all records have their entries. */
const lookEveryMs = 1_000;

/** Shares of a million records: the persons, and a let for each eighth of them. */
const share = (part: number): number => Math.round(sizes.large * part);
const counts = {
  customers: share(0.4),
  references: share(0.3),
  applications: share(0.1),
  buildings: share(0.0005),
  units: share(0.05),
  tenancies: share(0.05),
  invoices: share(0.1),
};

/** Kinds of queries. The number makes each query a new one, and not what a cache still has. With `some`, each has a result. */
const queries: Record<string, { query: (number: number) => string; some: boolean }> = {
  'a frequent word': { query: (number) => firstNames[number % firstNames.length]!, some: true },
  'a name': { query: (number) => `${firstNames[number % 10]!} ${familyNameOf(number * 6_151)}`, some: true },
  'an e-mail address': { query: (number) => `person${(number * 5_003) % counts.customers}@example.org`, some: true },
  'an address': { query: (number) => `house ${(number * 7) % counts.buildings} york`, some: true },
  'a number': {
    query: (number) => `INV-${String(((number * 911) % counts.invoices) + 1).padStart(6, '0')}`,
    some: true,
  },
  'two characters': { query: (number) => `${'abcdefghij'[number % 10]!}${number % 10}`, some: false },
  'a word that is nowhere': { query: (number) => `zyx${number}zyx`, some: false },
};

const firstNames = ['ada', 'grace', 'alan', 'mary', 'john', 'edsger', 'barbara', 'tim', 'linus', 'ken'];
const familyNames = [
  'lovelace',
  'hopper',
  'turing',
  'shelley',
  'smith',
  'dijkstra',
  'liskov',
  'lee',
  'torvalds',
  'thompson',
];

/** As the SQL below makes it. */
function familyNameOf(number: number): string {
  return `${familyNames[Math.floor((number % counts.customers) / 10) % 10]!}${Math.floor((number % counts.customers) / 100) % 1_000}`;
}

export const search: Suite<'p50' | 'p99' | 'build'> = {
  name: 'search',
  // A million entries take minutes to make.
  roundsMax: 1,
  figures: {
    p50: {
      title: `A search among ${sizes.large} records: the slowest kind of query, p50`,
      unit: 'ms',
      better: 'less',
      floor: 50,
      aim: null,
      needs: [],
    },
    p99: {
      title: `A search among ${sizes.large} records: all kinds of queries, p99`,
      unit: 'ms',
      better: 'less',
      floor: 200,
      aim: null,
      needs: [],
    },
    build: {
      title: `The first index of the search, of ${sizes.large} records`,
      unit: 's',
      better: 'less',
      floor: null,
      aim: null,
      needs: [],
    },
  },
  async round() {
    const deployment = await startDeployment(null);
    try {
      await fill(deployment);
      const server = await deployment.startServer('api');
      const build = await untilIndexed(deployment);
      await deployment.database.query('vacuum analyze');
      await deployment.database.query('checkpoint');
      await reportSizes(deployment);
      const measured = await searchEach(server.url, deployment.secretKey);
      await server.stop();
      return { ...measured, build: { value: build } };
    } finally {
      await deployment.stop();
    }
  },
};

function made(count: number): string {
  return `generate_series(0, ${count} - 1) number`;
}

function id(prefix: string, number = 'number'): string {
  return `'${prefix}_' || lpad((${number})::text, 22, '0')`;
}

function names(list: readonly string[]): string {
  return `array[${list.map((name) => `'${name}'`).join(', ')}]`;
}

/** Makes the records by SQL, as requests would. */
async function fill({ database, accountId }: Deployment): Promise<void> {
  const empty = `'{"total":0,"by_status":{"pending":0,"processing":0,"complete":0,"canceled":0},"by_outcome":{"accept":0,"consider":0,"high_risk":0},"result":null}'`;
  const rent = `'{"amount":95000,"currency":"gbp","interval":"month","interval_count":1}'`;
  const statements = [
    `insert into customers (account_id, id, created, revision, name, email, phone, addresses, metadata)
     select $1, ${id('cus')}, number, 1,
       initcap((${names(firstNames)})[number % 10 + 1]) || ' ' || initcap((${names(familyNames)})[number / 10 % 10 + 1]) || number / 100 % 1000,
       'person' || number || '@example.org', '+44 7' || lpad((number::bigint * 7919 % 1000000000)::text, 9, '0'),
       '[{"line1":"' || number % 300 || ' Coppergate","line2":null,"city":"York","postal_code":"YO' || number % 31 || ' 9NR","country":"GB","from":null,"to":null}]',
       '{"crm":"' || substr(md5(number::text), 1, 8) || '"}'
     from ${made(counts.customers)}`,
    `insert into tenant_references (account_id, id, created, revision, application, customer, status, type, metadata)
     select $1, ${id('ref')}, number, 1, ${id('app', `number % ${counts.applications}`)}, ${id('cus')}, 'pending', 'customer', '{}'
     from ${made(counts.references)}`,
    `insert into buildings (account_id, id, created, revision, name, address, archived, unit_count, metadata)
     select $1, ${id('bld')}, number, 1, 'House ' || number,
       '{"line1":"' || number || ' High Street","line2":null,"city":"York","postal_code":"YO1 9NR","country":"GB"}', false, 100, '{}'
     from ${made(counts.buildings)}`,
    `insert into units (account_id, id, created, revision, building, name, type, on_market, archived, status, lets, metadata)
     select $1, ${id('unit')}, number, 1, ${id('bld', `number % ${counts.buildings}`)}, 'Flat ' || number / ${counts.buildings} + 1, 'flat', false, false,
       'available', '[]', '{}'
     from ${made(counts.units)}`,
    `insert into applications (account_id, id, created, revision, customers, unit, reference_counts, metadata)
     select $1, ${id('app')}, number, 1, array[${id('cus', 'number * 4')}], ${id('unit', `number % ${counts.units}`)}, ${empty}, '{}'
     from ${made(counts.applications)}`,
    `insert into tenancies (account_id, id, created, revision, unit, customers, start_date, rent, type, guarantors, balance, arrears,
       pet_requests, checks, status, metadata)
     select $1, ${id('ten')}, number, 1, ${id('unit')}, array[${id('cus', 'number * 8')}], '2026-12-01', ${rent}, 'assured', '{}', 0,
       '{"amount":0,"since":null}', '[]', '[]', 'draft', '{}'
     from ${made(counts.tenancies)}`,
    `insert into invoices (account_id, id, created, revision, tenancy, lines, due_on, customers, number, currency, total, amount_paid,
       amount_credited, credits, overdue, status, paying, metadata)
     select $1, ${id('in')}, number, 1, ${id('ten', `number % ${counts.tenancies}`)},
       '[{"type":"rent","description":"Rent","amount":95000,"period":null,"invoice":null}]', '2027-02-01',
       array[${id('cus', `number % ${counts.tenancies} * 8`)}], 'INV-' || lpad((number + 1)::text, 6, '0'), 'gbp', 95000, 0, 0, '[]', false,
       'open', '{}', '{}'
     from ${made(counts.invoices)}`,
  ];
  for (const statement of statements) await database.query(statement, [accountId]);
  await database.query('analyze');
}

/** Waits until the server has indexed all records. Returns the seconds. */
async function untilIndexed({ database, accountId }: Deployment): Promise<number> {
  const startedMs = performance.now();
  for (;;) {
    const { rows } = await database.query(
      'select from search_positions where account_id = $1 and built_until is null',
      [accountId],
    );
    if (rows.length > 0) return (performance.now() - startedMs) / 1000;
    await delay(lookEveryMs);
  }
}

async function reportSizes({ database }: Deployment): Promise<void> {
  const { rows } = await database.query<{ name: string; size: string }>(
    `select name, pg_size_pretty(pg_relation_size(name::regclass)) as size
     from unnest(array['search_entries', 'search_entries_pkey', 'search_entries_parts']) name`,
  );
  process.stderr.write(`\n  ${rows.map(({ name, size }) => `${name} ${size}`).join(', ')}`);
}

async function searchEach(url: string, secretKey: string): Promise<{ p50: Reading; p99: Reading }> {
  const agent = new Agent({ connections: 1 });
  const all: number[] = [];
  const medians: number[] = [];
  for (const [kind, { query, some }] of Object.entries(queries)) {
    const timesMs: number[] = [];
    for (let number = -warmUps; number < samples; number++) {
      const asked = encodeURIComponent(query(number + warmUps));
      const startedMs = performance.now();
      const answer = await request(`${url}/v1/search?query=${asked}`, {
        dispatcher: agent,
        headers: { authorization: `Bearer ${secretKey}` },
      });
      const body = (await answer.body.json()) as { data?: unknown[] };
      if (number >= 0) timesMs.push(performance.now() - startedMs);
      verify(
        `"${asked}" finds ${some ? 'something' : 'records or nothing'}: ${JSON.stringify(body).slice(0, 300)}`,
        answer.statusCode === 200 && (!some || body.data!.length > 0),
      );
    }
    all.push(...timesMs);
    medians.push(percentile(timesMs, 0.5));
    process.stderr.write(
      `\n  ${kind}: p50 ${percentile(timesMs, 0.5).toFixed(1)} ms, p99 ${percentile(timesMs, 0.99).toFixed(1)} ms`,
    );
  }
  await agent.close();
  return { p50: { value: Math.max(...medians) }, p99: { value: percentile(all, 0.99) } };
}
