import { setTimeout as delay } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { startLetting } from '../letting/agency.ts';
import { dice } from '../support/dice.ts';
import { good, startTestServer, type TestServer } from '../support/server.ts';
import {
  collect,
  gatewayBooks,
  invoiceFor,
  ledgerOf,
  letOn,
  startGatewayInTheMiddle,
  type Disturbance,
  type Let,
} from './collection.ts';

/*
 * Random faults of a gateway, with random payments, cancellations and refunds, and a worker that is replaced in the middle. In the end, each
 * payment has one charge, and the books of both sides agree.
 */

const paymentsOfRound = 14;
const disturbances: readonly Disturbance[] = ['refuse', 'busy', 'lose', 'error', 'garble'];
const scripts = ['succeed', 'succeed', 'fail', 'fail:insufficient_funds', 'succeed_then_bounce'];

test.each([1, 2, 3, 4])(
  'charges each payment once, and agrees with the books of the gateway, when calls fail at random (seed %i)',
  async (seed) => {
    const random = dice(seed);
    const pick = <Value>(values: readonly Value[]): Value => values[Math.floor(random() * values.length)]!;
    const gateway = await startGatewayInTheMiddle();
    onTestFinished(() => gateway.stop());
    const settings = { TENURE_SIMULATOR_SPEED: '1', TENURE_PAYMENT_SIMULATOR_URL: gateway.url };
    // The front takes requests, and outlives the workers.
    const front = await startLetting({ settings });
    onTestFinished(() => front.stop());
    const worker = (): Promise<TestServer> =>
      startTestServer({
        settings,
        works: true,
        connection: front.connection,
        secretKey: front.secretKey,
        overrides: { clock: front.context.realClock },
      });
    await gateway.join(front);
    let working = await worker();
    onTestFinished(() => working.stop());
    gateway.disturb = () => (random() < 0.4 ? pick(disturbances) : 'pass');

    const rental = await letOn(front);
    for (let month = 2; month <= 5; month++) await invoiceFor(rental, `2027-0${month}-01`);
    const made: string[] = [];
    for (let index = 0; index < paymentsOfRound; index++) {
      made.push((await collect(rental, { simulate: pick(scripts), amount: 10_000 + index })).id);
      await disturbOne(rental, pick(made), random());
      if (index === paymentsOfRound / 2) {
        await working.stop();
        working = await worker();
      }
    }
    for (let more = 0; more < paymentsOfRound; more++) {
      await delay(120);
      await disturbOne(rental, pick(made), random());
    }
    gateway.disturb = () => 'pass';
    await untilSettled(rental, front);

    const payments = (await good(rental.agency.api.get('/v1/payments?limit=50'))).body.data as {
      id: string;
      status: string;
      amount: number;
      amount_refunded: number;
    }[];
    const books = await gatewayBooks(front);
    // A payment that was canceled before its first call has no charge. Nothing else is charged, under no other key.
    expect([...books.keys()].filter((key) => !made.includes(key))).toEqual([]);
    for (const { id, status, amount, amount_refunded: refunded } of payments) {
      const kept = status === 'succeeded' || status === 'refunded' ? amount - refunded : 0;
      if (!books.has(id)) expect(status).toBe('canceled');
      else expect([id, books.get(id)!.kept]).toEqual([id, kept]);
    }
    const total = [...books.values()].reduce((sum, { kept }) => sum + kept, 0);
    const { balance } = await rental.agency.get('tenancies', rental.tenancy.id);
    expect(balance).toBe(4 * 95_000 - total);
    const ledger = await ledgerOf(rental);
    expect(ledger.reduce((sum, [, amount]) => sum + amount, 0)).toBe(balance);
    // Otherwise the faults would have tested nothing.
    expect(gateway.calls.filter((call) => call === 'POST /charges').length).toBeGreaterThan(books.size);
  },
);

/** Cancels or refunds a payment, if its state allows it. */
async function disturbOne({ agency }: Let, id: string, chance: number): Promise<void> {
  const answer =
    chance < 0.3
      ? await agency.api.post(`/v1/payments/${id}/cancel`)
      : chance < 0.7
        ? await agency.api.post(`/v1/payments/${id}/refund`, { amount: chance < 0.5 ? 3_000 : 10_000 })
        : null;
  if (answer) expect([200, 400], answer.text).toContain(answer.status);
}

/** Waits until the gateway has nothing ahead, and every payment shows it. */
async function untilSettled({ agency }: Let, front: TestServer): Promise<void> {
  const open = async (): Promise<number> => {
    const { rows } = await front.context.database.readers.query<{ count: number }>(
      `select count(*) as count from payments payment
       left join simulated_charges charge on charge.key = payment.id
       where payment.account_id = $1 and (
         payment.status = 'pending' or payment.refunds like '%"pending"%'
         or payment.status = 'succeeded' and charge.course @> '[{"to": "charged_back"}]'
           and (select sum((refund ->> 'amount')::bigint) from jsonb_array_elements(charge.refunds) refund
                where refund ->> 'refusal' is null) is distinct from payment.amount
       )`,
      [agency.accountId],
    );
    return rows[0]!.count;
  };
  await expect.poll(open, { interval: 200 }).toBe(0);
}
