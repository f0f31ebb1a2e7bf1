import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { simulatedCredentials } from '../../src/gateway-payments/credentials.ts';
import { forcedToFail, forcedToSucceed } from '../../src/gateway-payments/simulator/charge.ts';
import { changeCharge } from '../../src/gateway-payments/simulator/charges.ts';
import { startLetting } from '../letting/agency.ts';
import type { TestServer } from '../support/server.ts';
import { collect, letOn, slow, untilPayment, type Let } from './collection.ts';

/* Callbacks of a gateway, written from its documentation. Its own callbacks are kept back, and its days never end by themselves. */

let server: TestServer;
let rental: Let;
let id: string;

beforeAll(async () => {
  server = await startLetting(slow);
});

afterAll(() => server.stop());

beforeEach(async () => {
  rental = await letOn(server);
  id = (await collect(rental)).id;
  await untilOrdered();
});

/** Waits until the next look is far away. */
async function untilOrdered(): Promise<void> {
  await expect.poll(isLookFar, { interval: 20 }).toBe(true);
}

async function isLookFar(): Promise<boolean> {
  return ((await orderNow())?.due_at_ms ?? 0) > server.context.clock.nowMs() + 10_000;
}

interface OrderNow {
  due_at_ms: number | null;
}

async function orderNow(): Promise<OrderNow | null> {
  const { rows } = await server.context.database.readers.query<{ gateway_order: string | null }>(
    'select gateway_order from payments where account_id = $1 and id = $2',
    [rental.agency.accountId, id],
  );
  return rows[0]?.gateway_order ? (JSON.parse(rows[0].gateway_order) as OrderNow) : null;
}

/** Has the gateway take the money, and keeps its own callback back. */
async function takeQuietly(what: 'succeed' | 'fail' = 'succeed'): Promise<void> {
  const { readers } = server.context.database;
  const nowMs = server.context.clock.nowMs();
  await changeCharge(readers, { key: id }, nowMs + 3_600_000, (charge) =>
    what === 'succeed' ? forcedToSucceed(charge, nowMs) : forcedToFail(charge, null, nowMs),
  );
}

interface Signed {
  account?: string;
  secret?: string;
  atSeconds?: number;
  says?: object;
  provider?: string;
}

async function callBack({ account = rental.agency.accountId, provider = 'simulator', ...signed }: Signed = {}) {
  const secret =
    signed.secret ??
    simulatedCredentials(server.context.encryption, rental.agency.accountId, 'simulator').signing_secret!;
  const timestamp = String(signed.atSeconds ?? Math.floor(server.context.realClock.nowMs() / 1000));
  const body = JSON.stringify({ key: id, ...signed.says });
  const signature = createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex');
  const response = await fetch(`${server.url}/provider_callbacks/${provider}/${account}`, {
    method: 'POST',
    headers: { 'x-gateway-timestamp': timestamp, 'x-gateway-signature': signature },
    body,
  });
  await response.body?.cancel();
  return response.status;
}

describe('callbacks of a gateway', () => {
  test('have the charge looked at, and one move made, when they come twice and out of order', async () => {
    await takeQuietly();
    const now = Math.floor(server.context.realClock.nowMs() / 1000);
    const sent = Array.from({ length: 10 }, (_, index) => callBack({ atSeconds: now - ((index * 37) % 50) }));
    expect(await Promise.all(sent)).toEqual(Array.from({ length: 10 }, () => 200));
    await untilPayment(rental, id, { status: 'succeeded' });
    expect(await callBack()).toBe(200);
    await untilOrdered();
    expect(await rental.agency.historyOf(id)).toEqual(['payment.created', 'payment.updated', 'payment.succeeded']);
  });

  test('tell of a bounce at any time after the money came', async () => {
    await takeQuietly();
    await callBack();
    await untilPayment(rental, id, { status: 'succeeded' });
    await takeQuietly('fail');
    await callBack();
    await untilPayment(rental, id, { status: 'failed', failure: { code: 'bounced' } });
  });

  test('move nothing by what they say, only by what the gateway says when it is asked', async () => {
    const before = await orderNow();
    expect(await callBack({ says: { state: 'paid' } })).toBe(200);
    await expect.poll(async () => (await orderNow())?.due_at_ms).not.toBe(before?.due_at_ms);
    await untilOrdered();
    expect(await rental.agency.get('payments', id)).toMatchObject({ status: 'pending' });
  });

  test.each<[string, () => Signed]>([
    ['a wrong secret', () => ({ secret: 'wrong' })],
    ['an old time', () => ({ atSeconds: Math.floor(server.context.realClock.nowMs() / 1000) - 302 })],
    ['an unreadable payment', () => ({ says: { key: 7 } })],
    ['another account', () => ({ account: `acct_${'0'.repeat(22)}` })],
    ['an unknown gateway', () => ({ provider: 'acme' })],
  ])('are refused with 401, and wake nothing, with %s', async (_, signed) => {
    await takeQuietly();
    const before = await orderNow();
    expect(await callBack(signed())).toBe(401);
    expect(await orderNow()).toEqual(before);
  });
});
