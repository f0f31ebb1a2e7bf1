import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { Deployment } from '../faults/crash-checker/deployment.ts';
import { allOf } from '../support/paging.ts';
import { apiClient, good } from '../support/server.ts';
import { eventsOf, refer } from './scenario.ts';
import { giveCredentials, vendorForTest } from './vendor.ts';

const rounds = 12;
const referencesOfRound = 8;

test('completes every reference and orders none twice when processes are killed with -9 at any moment, also during an order', async () => {
  const vendor = await startForgetfulVendor();
  const deployment = await Deployment.create({
    settings: { TENURE_PROVIDER_D_URL: vendor.url, TENURE_SIMULATOR_SPEED: '3' },
  });
  onTestFinished(() => deployment.remove());
  await deployment.start();
  const api = apiClient(deployment.url, deployment.secretKey);
  await good(api.post('/v1/account', { provider_credentials: { provider_d: { token: 'token' } } }));

  const made: string[] = [];
  for (let round = 0; round < rounds; round++) {
    const known = vendor.orders.size;
    // On a busy machine each order may have ended before its kill. The last kill is certain to cut one off.
    vendor.holdResponses = round === rounds - 1;
    for (let index = 0; index < referencesOfRound; index++) {
      const provider =
        index % 2 === 0 ? 'provider_d' : (['provider_a', 'provider_b', 'provider_c'] as const)[index % 3]!;
      made.push((await refer(api, { provider })).id);
    }
    // The orders of this round are being made now.
    await delay(40 + round * 35);
    if (vendor.holdResponses) await expect.poll(() => vendor.orders.size).toBeGreaterThan(known);
    await deployment.kill();
    vendor.holdResponses = false;
    await deployment.start();
  }

  await expect
    .poll(async () => (await api.get('/v1/references?status=complete&limit=1')).body?.count, {
      timeout: 300_000,
      interval: 500,
    })
    .toBe(made.length);
  // The orders at the vendor, which makes a new one for every request.
  expect(vendor.orders.size).toBe(rounds * (referencesOfRound / 2));
  expect([...vendor.orders.values()].filter((count) => count !== 1)).toEqual([]);
  // Some calls were cut off. Otherwise the kills would have tested nothing.
  expect(vendor.cutOff()).toBeGreaterThan(0);

  for (const id of made) {
    const ends = (await eventsOf(api, id)).filter(({ type }) => type === 'reference.completed');
    expect(ends).toHaveLength(1);
  }
  const reports = await allOf(api, '/v1/files');
  expect(reports).toHaveLength(made.length);
  const references = await allOf(api, '/v1/references');
  expect(new Set(references.map(({ reference_pdf: pdf }) => pdf))).toEqual(new Set(reports.map(({ id }) => id)));
});

test('issues one report for each decision when processes are killed with -9 at any moment', async () => {
  const deployment = await Deployment.create({ settings: { TENURE_SIMULATOR_SPEED: '3' } });
  onTestFinished(() => deployment.remove());
  await deployment.start();
  const api = apiClient(deployment.url, deployment.secretKey);
  const outcomes = ['accept', 'consider', 'high_risk'] as const;

  const made: string[] = [];
  for (let round = 0; round < rounds; round++) {
    const references = await Promise.all(
      Array.from({ length: referencesOfRound }, () => refer(api, { automatic_reference: null })),
    );
    made.push(...references.map(({ id }) => id));
    // The decisions about one reference follow each other while its reports are printed.
    await Promise.all(
      references.map(async ({ id }) => {
        for (const outcome of outcomes) await good(api.post(`/v1/references/${id}`, { outcome }));
      }),
    );
    await delay(round * 40);
    await deployment.kill();
    await deployment.start();
  }

  const isIssued = ({ earlier_reports: earlier, reference_pdf: pdf }: { [name: string]: unknown }): boolean =>
    pdf !== null && (earlier as string[]).length === outcomes.length - 1;
  await expect
    .poll(async () => (await allOf(api, '/v1/references')).filter(isIssued).length, {
      timeout: 300_000,
      interval: 500,
    })
    .toBe(made.length);
  const references = await allOf(api, '/v1/references');
  const files = await allOf(api, '/v1/files');
  // No report was made twice, and none is without its reference.
  expect(files).toHaveLength(made.length * outcomes.length);
  const names = new Map(files.map(({ id, filename }) => [id, filename]));
  for (const { id, earlier_reports: earlier, reference_pdf: pdf } of references)
    expect([...earlier, pdf].map((file) => names.get(file))).toEqual([`${id}.pdf`, `${id}-2.pdf`, `${id}-3.pdf`]);
});

test('stops every order at the service that is left, and orders none twice, when processes are killed with -9 during moves', async () => {
  const vendor = await startForgetfulVendor('running');
  const deployment = await Deployment.create({
    settings: { TENURE_PROVIDER_D_URL: vendor.url, TENURE_SIMULATOR_SPEED: '3' },
  });
  onTestFinished(() => deployment.remove());
  await deployment.start();
  const api = apiClient(deployment.url, deployment.secretKey);
  await good(api.post('/v1/account', { provider_credentials: { provider_d: { token: 'token' } } }));
  // The last of each list is where the reference stays.
  const moves = [['provider_b'], [null], ['provider_c', 'provider_b'], ['provider_b', 'provider_d', null]];

  const made: { id: string; last: string | null }[] = [];
  for (let round = 0; round < rounds; round++) {
    const references = await Promise.all(
      Array.from({ length: referencesOfRound }, () => refer(api, { provider: 'provider_d', simulate: 'accept' })),
    );
    // The orders of this round are being made now.
    await delay(round * 25);
    const requests = references.map(async ({ id }, index) => {
      const through = moves[index % moves.length]!;
      made.push({ id, last: through.at(-1)! });
      for (const provider of through) {
        const automatic = provider === null ? { enabled: false } : { provider };
        await good(api.post(`/v1/references/${id}`, { automatic_reference: automatic }));
      }
    });
    await Promise.all(requests);
    await delay(round * 15);
    await deployment.kill();
    await deployment.start();
  }
  // On a busy machine each order may have ended before its kill. This kill is certain to cut one off.
  vendor.holdResponses = true;
  const { id: cutOff } = await refer(api, { provider: 'provider_d', simulate: 'accept' });
  await expect.poll(() => vendor.orders.has(cutOff)).toBe(true);
  await deployment.kill();
  vendor.holdResponses = false;
  await deployment.start();
  await good(api.post(`/v1/references/${cutOff}`, { automatic_reference: { enabled: false } }));
  made.push({ id: cutOff, last: null });

  for (const { id, last } of made) {
    const wanted =
      last === null
        ? // The service may have begun before it was left, and no status moves back.
          { status: expect.stringMatching(/^(pending|processing)$/), automatic_reference: { enabled: false } }
        : { status: 'complete', automatic_reference: { provider: last, outcome: 'Pass' } };
    await expect
      .poll(async () => (await api.get(`/v1/references/${id}`)).body, { timeout: 300_000, interval: 500 })
      .toMatchObject(wanted);
  }
  // An order whose id was lost with a process is looked up, and stopped then.
  await expect
    .poll(() => [...vendor.orders.keys()].filter((key) => !vendor.stopped.has(key)), {
      timeout: 300_000,
      interval: 500,
    })
    .toEqual([]);
  expect([...vendor.orders.values()].filter((count) => count !== 1)).toEqual([]);
  expect(vendor.orders.size).toBeGreaterThan(0);
  expect(vendor.cutOff()).toBeGreaterThan(0);
});

test('tells the service the last address of every person when processes are killed with -9 after the change', async () => {
  const vendor = await vendorForTest();
  const deployment = await Deployment.create({ settings: { TENURE_PROVIDER_A_URL: vendor.url } });
  onTestFinished(() => deployment.remove());
  await deployment.start();
  const api = apiClient(deployment.url, deployment.secretKey);
  await giveCredentials(api);

  const made: { id: string; email: string }[] = [];
  for (let round = 0; round < rounds; round++) {
    const people = await Promise.all(
      Array.from({ length: referencesOfRound }, async (_, index) => {
        const person = { name: 'Ada Lovelace', email: 'first@example.org' };
        const { id: customer } = (await good(api.post('/v1/customers', person))).body;
        const { id } = await refer(api, { customer });
        return { customer, id, email: `second-${round}-${index}@example.org` };
      }),
    );
    await delay(round * 10);
    await Promise.all(people.map(({ customer, email }) => good(api.post(`/v1/customers/${customer}`, { email }))));
    made.push(...people);
    await delay(round * 5);
    await deployment.kill();
    await deployment.start();
  }

  for (const { id, email } of made)
    await expect.poll(() => vendor.emails.get(id)?.at(-1), { timeout: 300_000, interval: 200 }).toBe(email);
  // Each service has got each address in the order of the changes. A repeated call has the same address.
  for (const { id, email } of made) {
    const told = vendor.emails.get(id)!;
    const changes = told.filter((address, index) => index === 0 || address !== told[index - 1]);
    expect([['first@example.org', email], [email]]).toContainEqual(changes);
    expect(vendor.orders.get(id)).toBeGreaterThan(0);
  }
});

interface ForgetfulVendor {
  url: string;
  /** The orders that it was told to stop. */
  stopped: ReadonlySet<string>;
  /** The number of orders of each reference. */
  orders: Map<string, number>;
  /** The number of responses without a receiver. */
  cutOff(): number;
  /** If true, an order that is made now gets no response. */
  holdResponses: boolean;
}

/** Speaks like `provider_d`, makes a new order for every request, and responds slowly. */
async function startForgetfulVendor(state: 'complete' | 'running' = 'complete'): Promise<ForgetfulVendor> {
  const orders = new Map<string, number>();
  const stopped = new Set<string>();
  let cutOff = 0;
  const vendor: ForgetfulVendor = { url: '', orders, stopped, cutOff: () => cutOff, holdResponses: false };
  const screeningOf = (reference: string): object => ({
    id: [...orders.keys()].indexOf(reference) + 1,
    state: stopped.has(reference) ? 'canceled' : state,
    result: state === 'complete' ? 'clear' : null,
    stopped_by: null,
  });
  const answerTo = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const url = new URL(request.url!, 'http://vendor');
    const answer = (status: number, body: object): void => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    };
    if (request.method === 'POST' && url.pathname === '/screenings') {
      const { reference } = JSON.parse(Buffer.concat(chunks).toString()) as { reference: string };
      orders.set(reference, (orders.get(reference) ?? 0) + 1);
      response.on('close', () => {
        if (!response.writableFinished) cutOff++;
      });
      if (vendor.holdResponses) return;
      await delay(120);
      return answer(201, screeningOf(reference));
    }
    const [, , id, action] = url.pathname.split('/');
    const ofId = [...orders.keys()][Number(id) - 1];
    if (ofId !== undefined && action === 'stop') stopped.add(ofId);
    if (ofId !== undefined && action !== 'findings') return answer(200, screeningOf(ofId));
    const wanted = url.searchParams.get('reference');
    if (wanted !== null) return answer(200, { screenings: orders.has(wanted) ? [screeningOf(wanted)] : [] });
    return answer(200, {
      result: 'clear',
      reasons: ['The rent is affordable.'],
      rent_percentage: 28,
      rent_result: 'clear',
      rent: null,
      income_cents: null,
      income_sources: [],
      score: 640,
      bureau: [],
      watchlists: { matched: false, text: [] },
      checks: [],
      log: [],
      complaints_desk: { name: 'Vendor', email: 'complaints@vendor.example' },
    });
  };
  const server = createServer((request, response) => void answerTo(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  vendor.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return vendor;
}
