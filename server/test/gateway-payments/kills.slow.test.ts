import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { Deployment } from '../faults/crash-checker/deployment.ts';
import { Agency } from '../letting/agency.ts';
import { allOf } from '../support/paging.ts';
import { apiClient, good } from '../support/server.ts';
import { collect, ledgerOf, type Let } from './collection.ts';

const rounds = 12;
const paymentsOfRound = 6;
const amount = 1_000;

test('charges and books each payment once when processes are killed with -9 at any moment, also during a call', async () => {
  const gateway = await startSlowGateway();
  const deployment = await Deployment.create({
    settings: { TENURE_PAYMENT_SIMULATOR_URL: gateway.url, TENURE_SIMULATOR_SPEED: '1' },
  });
  onTestFinished(() => deployment.remove());
  await deployment.start();
  const agency = new Agency('', apiClient(deployment.url, deployment.secretKey));
  const rental = await newLet(agency);

  const made: string[] = [];
  for (let round = 0; round < rounds; round++) {
    // Every other kill meets an open call. The others come at any moment.
    const openCall = round % 2 === 0 ? gateway.holdCalls() : null;
    for (let index = 0; index < paymentsOfRound; index++) made.push((await collect(rental, { amount })).id);
    // Some of those that succeeded are refunded, so that a kill meets refunds, too.
    const succeeded = await allOf(agency.api, '/v1/payments', { status: 'succeeded' });
    for (const { id, refunds } of succeeded.slice(0, 2))
      if (refunds.length === 0) await good(agency.api.post(`/v1/payments/${id}/refund`, { amount: 100 }));
    await (openCall ?? delay(40 + round * 35));
    await deployment.kill();
    gateway.release();
    await deployment.start();
  }

  const unsettled = async (): Promise<number> =>
    (await allOf(agency.api, '/v1/payments')).filter(
      ({ status, refunds }) =>
        status !== 'succeeded' || refunds.some((refund: { status: string }) => refund.status === 'pending'),
    ).length;
  await expect.poll(unsettled, { timeout: 300_000, interval: 500 }).toBe(0);

  // One charge under one key for each payment, and one refund under one key for each refund.
  expect([...gateway.charges.keys()].toSorted()).toEqual(made.toSorted());
  const payments = await allOf(agency.api, '/v1/payments');
  for (const { id, refunds } of payments)
    expect(gateway.charges.get(id)!.refunds.map(({ key }) => key)).toEqual(
      refunds.map((_: object, index: number) => `${id}/${index}`),
    );
  const refunded = payments.flatMap(({ refunds }) => refunds);
  expect(refunded.length).toBeGreaterThan(0);
  const { balance } = await agency.get('tenancies', rental.tenancy.id);
  expect(balance).toBe(refunded.length * 100 - made.length * amount);
  const [[newest, , last] = []] = (await ledgerOf(rental)).toReversed();
  expect(['payment', 'refund']).toContain(newest);
  expect(last).toBe(balance);
  // Some calls were cut off. Otherwise the kills would have tested nothing.
  expect(gateway.cutOff()).toBeGreaterThan(0);
});

async function newLet(agency: Agency): Promise<Let> {
  const { id: unit } = await agency.unit();
  const day = new Date().toISOString().slice(0, 10);
  const { id } = await agency.draft(unit, { start_date: day });
  return { agency, tenancy: await agency.move('tenancies', id, 'sign', { signed_on: day }) };
}

interface SlowCharge {
  id: string;
  startedMs: number;
  refunds: { key: string; state: string; reason: null }[];
}

interface SlowGateway {
  url: string;
  /** The charges by the key of the call that made them. */
  charges: Map<string, SlowCharge>;
  /** Lets calls wait for `release`. Resolves when one does. */
  holdCalls(): Promise<void>;
  release(): void;
  /** The number of responses without a receiver. */
  cutOff(): number;
}

/** Speaks as the simulated gateway does, and responds slowly. It acts before it responds. */
async function startSlowGateway(): Promise<SlowGateway> {
  const charges = new Map<string, SlowCharge>();
  let cutOff = 0;
  let called = Promise.withResolvers<void>();
  let released = Promise.withResolvers<void>();
  released.resolve();
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    request.resume();
    response.on('close', () => {
      if (!response.writableFinished) cutOff++;
    });
    const key = String(request.headers['idempotency-key']);
    const [, , id, action] = request.url!.split('/');
    if (id === undefined && !charges.has(key))
      charges.set(key, { id: `ch_${charges.size}`, startedMs: performance.now(), refunds: [] });
    const charge = id === undefined ? charges.get(key)! : [...charges.values()].find((known) => known.id === id)!;
    if (action === 'refunds' && !charge.refunds.some((refund) => refund.key === key))
      charge.refunds.push({ key, state: 'sent', reason: null });
    called.resolve();
    await Promise.all([delay(80), released.promise]);
    const isPaid = performance.now() - charge.startedMs > 300;
    const body = {
      id: charge.id,
      state: isPaid ? 'paid' : 'submitted',
      paid_at: isPaid ? Math.floor(Date.now() / 1000) : null,
      reason: null,
      refunds: charge.refunds,
    };
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  };
  const server = createServer((request, response) => void answer(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    charges,
    holdCalls() {
      called = Promise.withResolvers();
      released = Promise.withResolvers();
      return called.promise;
    },
    release: () => released.resolve(),
    cutOff: () => cutOff,
  };
}
