import { Pool } from 'pg';
import { Reader } from '../server/src/db/reader.ts';
import { breakDays, type DaybreakContext } from '../server/src/maintenance/daybreak.ts';
import { resources } from '../server/src/resources/index.ts';
import { startDeployment, type Deployment } from './deployment.ts';
import { sizes } from './grown.ts';
import { median, percentile, verify, type Suite } from './suite.ts';

/** Signatures one after the other. The first ones compile the code. */
const signatures = 300;
const warmUpSignatures = 100;

/** Clients that sign for the same home at the same time. */
const rivals = 50;

const daybreaks = 30;
const warmUpDaybreaks = 5;

const days = { signed_on: '2026-11-02', start_date: '2026-12-01' };
const rent = { amount: 95_000, currency: 'gbp', interval: 'month' };

/** Measures what a let costs: a signature, many signatures for one home, and a day that begins. */
export const letting: Suite<'sign' | 'signP99' | 'rivals' | 'daybreak'> = {
  name: 'letting',
  // A database with so many tenancies cannot be measured empty again.
  roundsMax: 1,
  figures: {
    sign: { title: 'Signing a tenancy, p50', unit: 'ms', better: 'less', floor: 10, aim: null, needs: [] },
    signP99: { title: 'Signing a tenancy, p99', unit: 'ms', better: 'less', floor: null, aim: null, needs: [] },
    rivals: {
      title: `${rivals} clients sign for one home: one succeeds, the others get a 400`,
      unit: 's',
      better: 'less',
      floor: 2,
      aim: null,
      needs: [],
    },
    daybreak: {
      title: `Daybreak with nothing due among ${sizes.large} tenancies`,
      unit: 'ms',
      better: 'less',
      floor: 50,
      aim: null,
      needs: [],
    },
  },
  async round() {
    const deployment = await startDeployment(null);
    try {
      const server = await deployment.startServer('api');
      const client = new Client(server.url, deployment.secretKey);
      const signedMs = await signEach(client);
      const rivalsSeconds = await signTogether(client);
      await server.stop();
      return {
        sign: { value: median(signedMs) },
        signP99: { value: percentile(signedMs, 0.99) },
        rivals: { value: rivalsSeconds },
        daybreak: { value: await measureDaybreak(deployment) },
      };
    } finally {
      await deployment.stop();
    }
  },
};

interface Made {
  id: string;
}

class Client {
  readonly #url: string;
  readonly #headers: Record<string, string>;

  constructor(url: string, secretKey: string) {
    this.#url = url;
    this.#headers = { authorization: `Bearer ${secretKey}`, 'content-type': 'application/json' };
  }

  async post(path: string, body: object): Promise<{ status: number; body: Made & { error?: { code: string } } }> {
    const request = { method: 'POST', headers: this.#headers, body: JSON.stringify(body) };
    const response = await fetch(`${this.#url}/v1/${path}`, request);
    return { status: response.status, body: (await response.json()) as Made };
  }

  async make(path: string, body: object): Promise<string> {
    const { status, body: made } = await this.post(path, body);
    verify(`POST /v1/${path} answers 200 instead of ${status}: ${JSON.stringify(made)}`, status === 200);
    return made.id;
  }

  /** Drafts a tenancy of a home. */
  draft(unit: string, customer: string): Promise<string> {
    return this.make('tenancies', { unit, customers: [customer], start_date: days.start_date, rent });
  }

  unit(building: string): Promise<string> {
    return this.make('units', { building, name: 'Flat', rent });
  }

  building(): Promise<string> {
    const address = { line1: '12 Coppergate', city: 'York', postal_code: 'YO1 9NR', country: 'GB' };
    return this.make('buildings', { name: 'Coppergate', address });
  }
}

/** Signs tenancies one after the other. Returns the milliseconds of each. */
async function signEach(client: Client): Promise<number[]> {
  const building = await client.building();
  const customer = await client.make('customers', { name: 'Ada Lovelace' });
  const timesMs: number[] = [];
  for (let number = -warmUpSignatures; number < signatures; number++) {
    const tenancy = await client.draft(await client.unit(building), customer);
    const startedMs = performance.now();
    await client.make(`tenancies/${tenancy}/sign`, { signed_on: days.signed_on });
    if (number >= 0) timesMs.push(performance.now() - startedMs);
  }
  return timesMs;
}

/** Signs as many tenancies of one home at the same time. Returns the seconds until all have their response. */
async function signTogether(client: Client): Promise<number> {
  const unit = await client.unit(await client.building());
  const customer = await client.make('customers', { name: 'Grace Hopper' });
  const tenancies: string[] = [];
  for (let number = 0; number < rivals; number++) tenancies.push(await client.draft(unit, customer));
  const startedMs = performance.now();
  const responses = await Promise.all(
    tenancies.map((tenancy) => client.post(`tenancies/${tenancy}/sign`, { signed_on: days.signed_on })),
  );
  const seconds = (performance.now() - startedMs) / 1000;
  const refused = responses.filter(({ status, body }) => status === 400 && body.error?.code === 'unit_occupied');
  verify('one client signs', responses.filter(({ status }) => status === 200).length === 1);
  verify('the others get `unit_occupied`', refused.length === rivals - 1);
  return seconds;
}

/** Looks for the changes of a day among tenancies that wait for later days. Returns the median milliseconds. */
async function measureDaybreak(deployment: Deployment): Promise<number> {
  await fill(deployment, sizes.large);
  const pool = new Pool({ connectionString: deployment.databaseUrl, max: 1 });
  // With nothing due, it only reads.
  const context = { resources, reader: new Reader(pool), clock: { nowMs: () => Date.now() } };
  const timesMs: number[] = [];
  for (let number = -warmUpDaybreaks; number < daybreaks; number++) {
    const startedMs = performance.now();
    const changed = await breakDays(context as unknown as DaybreakContext, AbortSignal.timeout(60_000));
    if (number >= 0) timesMs.push(performance.now() - startedMs);
    verify('nothing is due', changed === 0);
  }
  await pool.end();
  return median(timesMs);
}

/** Makes tenancies that all wait for a day to come, each in a home of its own. */
async function fill({ database, accountId }: Deployment, count: number): Promise<void> {
  await database.query(
    `insert into tenancies
       (account_id, id, created, revision, unit, customers, start_date, rent, type, guarantors, balance, arrears,
        pet_requests, signed_on, checks, status, signed_at, next_on, metadata)
     select $1, 'ten_' || lpad(number::text, 22, '0'), 1, 1, 'unit_' || lpad(number::text, 22, '0'), array['cus_1'],
       current_date + 1 + (number % 365)::integer, $3, 'assured', '{}', 0, '{"amount":0,"since":null}', '[]', current_date, '[]',
       'signed', 1, current_date + 1 + (number % 365)::integer, '{}'
     from generate_series(1, $2::bigint) number`,
    [accountId, count, JSON.stringify({ ...rent, interval_count: 1 })],
  );
  await database.query('vacuum analyze tenancies');
}
