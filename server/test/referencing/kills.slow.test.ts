import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { Deployment } from '../faults/crash-checker/deployment.ts';
import { allOf } from '../support/paging.ts';
import { apiClient, good } from '../support/server.ts';
import { eventsOf, refer } from './scenario.ts';

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
    for (let index = 0; index < referencesOfRound; index++) {
      const provider =
        index % 2 === 0 ? 'provider_d' : (['provider_a', 'provider_b', 'provider_c'] as const)[index % 3]!;
      made.push((await refer(api, { provider })).id);
    }
    // The orders of this round are being made now. On a busy machine they begin late, so the last kill waits for a call under way.
    await delay(40 + round * 35);
    if (round === rounds - 1) await expect.poll(() => vendor.orders.size, { interval: 10 }).toBeGreaterThan(known);
    await deployment.kill();
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

interface ForgetfulVendor {
  url: string;
  /** The number of orders of each reference. */
  orders: Map<string, number>;
  /** The number of responses without a receiver. */
  cutOff(): number;
}

/** Speaks like `provider_d`, makes a new order for every request, and responds slowly. */
async function startForgetfulVendor(): Promise<ForgetfulVendor> {
  const orders = new Map<string, number>();
  let cutOff = 0;
  const screeningOf = (reference: string): object => ({
    id: [...orders.keys()].indexOf(reference) + 1,
    state: 'complete',
    result: 'clear',
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
      await delay(120);
      return answer(201, screeningOf(reference));
    }
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
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, orders, cutOff: () => cutOff };
}
