import { setTimeout as delay } from 'node:timers/promises';
import { memoryMb } from './child.ts';
import { startDeployment, type Deployment, type Server } from './deployment.ts';
import { median, percentile, verify, type Suite } from './suite.ts';

/** Subscriptions of one account that are invoiced on one day. */
const subscriptions = Number(process.env.TENURE_BENCH_RENTS ?? 100_000);

/** Requests beside the run, and before it: one each so many milliseconds. */
const everyMs = 25;
const before = 400;

const payments = 200;
const warmUpPayments = 50;
const entries = 10_000;
const pages = 50;
const maxSeconds = 900;

const rent = { amount: 95_000, currency: 'gbp', interval: 'month', interval_count: 1 };

/** Measures the run of the rent of one account, and what requests beside it feel. */
export const rentRun: Suite<'rentRun' | 'rentBeside' | 'rentMemory' | 'pay' | 'ledger'> = {
  name: 'rent',
  // A database with so many invoices cannot be measured empty again.
  roundsMax: 1,
  figures: {
    rentRun: {
      title: `An invoice of the rent run of ${subscriptions} subscriptions`,
      unit: 'ms',
      better: 'less',
      floor: 2.5,
      aim: 1,
      needs: [],
    },
    rentBeside: {
      title: 'POST beside the rent run, p99 against that without it',
      unit: 'times',
      better: 'less',
      floor: 2,
      aim: null,
      needs: [],
    },
    rentMemory: {
      title: 'Memory of the worker at the end of the rent run, more than after its first tenth',
      unit: 'MB',
      better: 'less',
      floor: 50,
      aim: null,
      needs: [],
    },
    pay: {
      title: 'A payment that settles an invoice, p50',
      unit: 'ms',
      better: 'less',
      floor: 10,
      aim: null,
      needs: [],
    },
    ledger: {
      title: `The first page of a ledger of ${entries} entries`,
      unit: 'ms',
      better: 'less',
      floor: 10,
      aim: null,
      needs: [],
    },
  },
  async round() {
    const deployment = await startDeployment(null);
    try {
      await fill(deployment);
      const api = await deployment.startServer('api');
      const client = new Client(api.url, deployment.secretKey);
      const payMs = await payEach(client, deployment);
      const ledgerMs = await readLedger(client, deployment);
      const calm = await postUntil(client, (done) => done >= before);

      // The run begins while the worker starts.
      const starting = deployment.startServer('worker');
      let isOver = false;
      const following = followRun(deployment, starting).finally(() => (isOver = true));
      const [busy, { seconds, grownMb }] = await Promise.all([postUntil(client, () => isOver), following]);
      await (await starting).stop();
      await api.stop();
      await verifyOnce(deployment);
      const [ours, limit] = [percentile(busy, 0.99), percentile(calm, 0.99)];
      return {
        rentRun: { value: (seconds * 1000) / subscriptions },
        rentBeside: { value: ours / limit, ours, limit },
        rentMemory: { value: grownMb },
        pay: { value: median(payMs) },
        ledger: { value: median(ledgerMs) },
      };
    } finally {
      await deployment.stop();
    }
  },
};

class Client {
  readonly #url: string;
  readonly #headers: Record<string, string>;

  constructor(url: string, secretKey: string) {
    this.#url = url;
    this.#headers = { authorization: `Bearer ${secretKey}`, 'content-type': 'application/json' };
  }

  /** Returns the milliseconds of a request that succeeds. */
  async time(method: string, path: string, body?: object): Promise<number> {
    const startedMs = performance.now();
    const request = { method, headers: this.#headers, ...(body && { body: JSON.stringify(body) }) };
    const response = await fetch(`${this.#url}/v1/${path}`, request);
    const text = await response.text();
    verify(`${method} /v1/${path} answers 200: ${text}`, response.status === 200);
    return performance.now() - startedMs;
  }
}

/** Makes active tenancies, each with a rent whose period is to be invoiced today. */
async function fill({ database, accountId }: Deployment): Promise<void> {
  const numbers = `generate_series(1, ${subscriptions}) number`;
  await database.query(
    `insert into tenancies
       (account_id, id, created, revision, unit, customers, start_date, rent, type, guarantors, balance, arrears,
        pet_requests, signed_on, checks, status, signed_at, activated_at, metadata, subscriptions)
     select $1, 'ten_' || lpad(number::text, 22, '0'), 1, 1, 'unit_' || lpad(number::text, 22, '0'), array['cus_1'],
       current_date - 60, $2, 'assured', '{}', 0, '{"amount":0,"since":null}', '[]', current_date - 60, '[]',
       'active', 1, 1, '{}', array['sub_' || lpad(number::text, 22, '0')]
     from ${numbers}`,
    [accountId, JSON.stringify(rent)],
  );
  await database.query(
    `insert into subscriptions
       (account_id, id, created, revision, tenancy, type, line_type, amount, currency, interval, interval_count,
        start_date, anchor_day, due_after, invoice_before, next_period_start, next_invoice_on, status, activated_at,
        next_on, metadata)
     select $1, 'sub_' || lpad(number::text, 22, '0'), 1, 1, 'ten_' || lpad(number::text, 22, '0'), 'rent', 'rent',
       95000, 'gbp', 'month', 1, current_date, extract(day from current_date)::integer, 0, 0, current_date, current_date,
       'active', 1, current_date, '{}'
     from ${numbers}`,
    [accountId],
  );
  await database.query('vacuum analyze tenancies, subscriptions');
}

/** Pays invoices of other tenancies than those of the run, one after the other. */
async function payEach(client: Client, { database, accountId }: Deployment): Promise<number[]> {
  const tenancy = 'ten_0000000000000000paying';
  await copyTenancy(database, accountId, tenancy);
  const timesMs: number[] = [];
  for (let number = -warmUpPayments; number < payments; number++) {
    const lines = [{ type: 'rent', description: 'Rent', amount: 95_000 }];
    await client.time('POST', 'invoices', { tenancy, lines, due_on: '2027-02-01', finalize: true });
    const ms = await client.time('POST', 'payments', { tenancy, amount: 95_000, method: 'bank_transfer' });
    if (number >= 0) timesMs.push(ms);
  }
  return timesMs;
}

async function readLedger(client: Client, { database, accountId }: Deployment): Promise<number[]> {
  const tenancy = 'ten_0000000000000000ledger';
  await copyTenancy(database, accountId, tenancy);
  await database.query(
    `insert into ledger_entries (account_id, id, created, revision, tenancy, sequence, date, type, amount, balance)
     select $1, 'led_' || lpad(number::text, 22, '0'), 1, 1, $2, number, current_date, 'invoice', 1, number
     from generate_series(1, ${entries}) number`,
    [accountId, tenancy],
  );
  await database.query('vacuum analyze ledger_entries');
  const timesMs: number[] = [];
  for (let page = -10; page < pages; page++) {
    const ms = await client.time('GET', `tenancies/${tenancy}/ledger`);
    if (page >= 0) timesMs.push(ms);
  }
  return timesMs;
}

async function copyTenancy(database: Deployment['database'], accountId: string, id: string): Promise<void> {
  await database.query(
    `insert into tenancies
       (account_id, id, created, revision, unit, customers, start_date, rent, type, guarantors, balance, arrears,
        pet_requests, signed_on, checks, status, signed_at, activated_at, metadata)
     select account_id, $2, created, revision, $2, customers, start_date, rent, type, guarantors, balance, arrears,
       pet_requests, signed_on, checks, status, signed_at, activated_at, metadata
     from tenancies where account_id = $1 order by id limit 1`,
    [accountId, id],
  );
}

/** Posts a reference at each interval, also while earlier ones wait. Returns the milliseconds of each. */
async function postUntil(client: Client, isOver: (done: number) => boolean): Promise<number[]> {
  const posts: Promise<number>[] = [];
  while (!isOver(posts.length)) {
    posts.push(client.time('POST', 'references', { application: 'app_1' }));
    await delay(everyMs);
  }
  return Promise.all(posts);
}

/** Waits for the first invoice. Then counts them until all are there. */
async function followRun(
  { database, accountId }: Deployment,
  starting: Promise<Server>,
): Promise<{ seconds: number; grownMb: number }> {
  const count = async (): Promise<number> => {
    const { rows } = await database.query<{ count: number }>(
      'select count(*)::integer as count from invoices where account_id = $1 and subscription is not null',
      [accountId],
    );
    return rows[0]!.count;
  };
  while ((await count()) === 0) await delay(20);
  const startedMs = performance.now();
  const { child } = await starting;
  let earlyMb = 0;
  for (let made = 0; made < subscriptions; made = await count()) {
    if (earlyMb === 0 && made > subscriptions / 10) earlyMb = memoryMb(child);
    verify('the run ends in time', performance.now() - startedMs < maxSeconds * 1000);
    await delay(500);
  }
  return { seconds: (performance.now() - startedMs) / 1000, grownMb: memoryMb(child) - earlyMb };
}

async function verifyOnce({ database, accountId }: Deployment): Promise<void> {
  const { rows } = await database.query<{ invoices: number; numbers: number; last: number; owed: string }>(
    `select count(*) filter (where subscription is not null)::integer as invoices, count(distinct number)::integer as numbers,
       max(right(number, 6))::integer as last, sum(total) filter (where subscription is not null) as owed
     from invoices where account_id = $1`,
    [accountId],
  );
  const [found] = rows;
  verify('each subscription has one invoice', found!.invoices === subscriptions);
  verify('the numbers have no gap', found!.numbers === found!.last);
  verify('each invoice charges a month', Number(found!.owed) === subscriptions * rent.amount);
}
