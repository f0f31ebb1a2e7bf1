import { createHmac } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import type { Provider } from '../../src/core/providers.ts';
import { referencingProviders } from '../../src/referencing/providers/index.ts';
import { note } from '../../src/referencing/simulator/force.ts';
import { claimToTell } from '../../src/referencing/simulator/orders.ts';
import { receiverForTest, type Receiver, type Received } from '../support/receiver.ts';
import { goodCredentials, orderOf, servicesForTest, workingDayMs, type Services } from '../support/services.ts';

/* How services tell that something has happened, and whom the product believes. */

let services: Services;

beforeEach(async () => {
  services = await servicesForTest();
});

/** A callback as whoever has the secret would send it. Written from what the services document, not from the simulated ones. */
function signed(text: string, secret: string): Pick<Received, 'headers' | 'raw'> {
  const timestamp = String(nowSeconds());
  const hmacOf = (told: string): string => createHmac('sha256', secret).update(told).digest('hex');
  return {
    headers: {
      'x-callback-timestamp': timestamp,
      'x-callback-signature': hmacOf(`${timestamp}.${text}`),
      'x-signature-256': `sha256=${hmacOf(text)}`,
    },
    raw: Buffer.from(text),
  };
}

const nowSeconds = (): number => Math.floor(services.clock.nowMs() / 1000);

/** What the adapter makes of a callback as it came. */
function believed(
  name: Provider,
  { headers, raw }: Pick<Received, 'headers' | 'raw'>,
  changes: object = {},
): string | null {
  const callback = { headers, body: raw, credentials: goodCredentials[name], nowSeconds: nowSeconds() };
  return referencingProviders[name].readCallback!({ ...callback, ...changes });
}

async function orderedAt(name: Provider, receiver: Receiver, tag: string | null = null) {
  const order = orderOf(tag, { callbackUrl: receiver.url });
  const { orderId } = await services.service(name).submit(order);
  return { referenceId: order.referenceId, orderId };
}

/** Long enough for several rounds of whoever calls. */
const aWhile = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 600));

describe.each(['provider_a', 'provider_c'] as const)('a callback of %s', (name) => {
  test('is about the order, and is believed with the secret that the order gave', async () => {
    const receiver = await receiverForTest();
    const { referenceId } = await orderedAt(name, receiver);
    const [first] = await receiver.count(1);
    expect(believed(name, first!)).toBe(referenceId);
  });

  test('is believed twice: it says only that there is something to read', async () => {
    const receiver = await receiverForTest();
    const { referenceId } = await orderedAt(name, receiver);
    const [first] = await receiver.count(1);
    expect([believed(name, first!), believed(name, first!)]).toEqual([referenceId, referenceId]);
  });

  test("is not believed with another account's secret, with none, or if its body or signature was changed", async () => {
    const receiver = await receiverForTest();
    await orderedAt(name, receiver);
    const [first] = await receiver.count(1);
    const { headers, raw } = first!;
    const signatureHeader = name === 'provider_a' ? 'x-callback-signature' : 'x-signature-256';
    const signature = String(headers[signatureHeader]);
    for (const signing_secret of ['secret_of_another', '', undefined, 'secret_of_'])
      expect(believed(name, first!, { credentials: { signing_secret } })).toBeNull();
    for (const body of [
      Buffer.concat([raw, Buffer.from(' ')]),
      Buffer.from(raw.toString('utf8').replace('ref_', 'reg_')),
      Buffer.alloc(0),
    ])
      expect(believed(name, first!, { body })).toBeNull();
    for (const wrong of [
      undefined,
      '',
      'x',
      signature.slice(1),
      signature.toUpperCase(),
      `${signature}0`,
      [signature, signature],
    ])
      expect(believed(name, first!, { headers: { ...headers, [signatureHeader]: wrong } })).toBeNull();
  });

  test('that is signed and says nothing is about nobody', () => {
    for (const text of ['', 'null', '[]', '{}', '"x"', '{"clientReferenceId":1,"external_id":{}}'])
      expect(believed(name, signed(text, 'a_secret'), { credentials: { signing_secret: 'a_secret' } })).toBeNull();
  });

  test('is not believed by an account that has no secret, though it is signed with none', () => {
    const forged = signed('{"clientReferenceId":"ref_1","external_id":"ref_1"}', '');
    for (const credentials of [{ signing_secret: '' }, {}]) expect(believed(name, forged, { credentials })).toBeNull();
    const good = signed('{"clientReferenceId":"ref_1","external_id":"ref_1"}', 'a_secret');
    expect(believed(name, good, { credentials: { signing_secret: 'a_secret' } })).toBe('ref_1');
  });

  test('comes at once when a helper has changed something', async () => {
    const receiver = await receiverForTest();
    const { referenceId } = await orderedAt(name, receiver, 'stuck');
    await receiver.count(1);
    await aWhile();
    const before = receiver.received.length;
    await note(services.pool, name, referenceId, services.clock.nowMs(), 'A note.');
    const received = await receiver.count(before + 1);
    expect(believed(name, received.at(-1)!)).toBe(referenceId);
  });

  test('is repeated after longer and longer pauses if it is not taken, and then given up', async () => {
    const receiver = await receiverForTest(500);
    await orderedAt(name, receiver, 'invite_bounced');
    for (const [index, pauseSeconds] of [1, 5, 15, 60].entries()) {
      await receiver.count(index + 1);
      services.clock.advanceMs(pauseSeconds * 1_000 - 1);
      await aWhile();
      expect(receiver.received).toHaveLength(index + 1);
      services.clock.advanceMs(1);
    }
    await receiver.count(5);
    services.clock.advanceMs(1_000_000);
    await aWhile();
    expect(receiver.received).toHaveLength(5);
  });

  test('comes after a restart, if what it tells happened meanwhile', async () => {
    const receiver = await receiverForTest();
    const { referenceId } = await orderedAt(name, receiver);
    await receiver.count(1);
    await services.stop();
    const before = receiver.received.length;
    services.clock.advanceMs(4 * workingDayMs);
    await aWhile();
    expect(receiver.received).toHaveLength(before);
    await servicesForTest(services);
    const received = await receiver.count(before + 1);
    expect(believed(name, received.at(-1)!)).toBe(referenceId);
  });

  test('tells also that the service has changed its mind', async () => {
    const receiver = await receiverForTest();
    const { orderId } = await orderedAt(name, receiver, 'consider_then_accept');
    services.clock.advanceMs({ provider_a: 1, provider_c: 3 }[name] * workingDayMs);
    await receiver.count(7);
    await aWhile();
    const before = receiver.received.length;
    expect((await services.service(name).read(orderId)).outcome?.verdict).toBe('consider');
    services.clock.advanceMs(workingDayMs);
    await receiver.count(before + 1);
    expect((await services.service(name).read(orderId)).outcome?.verdict).toBe('accept');
  });
});

test('provider_a signs the time, and is believed for five minutes and no longer', async () => {
  const receiver = await receiverForTest();
  const { referenceId } = await orderedAt('provider_a', receiver);
  const [first] = await receiver.count(1);
  const at = nowSeconds();
  const believedAt = (seconds: number): string | null => believed('provider_a', first!, { nowSeconds: seconds });
  expect([believedAt(at + 300), believedAt(at - 300)]).toEqual([referenceId, referenceId]);
  expect([believedAt(at + 301), believedAt(at - 301)]).toEqual([null, null]);
  for (const time of ['', 'NaN', '-1', `${at}.0`, ` ${at}`, '9'.repeat(13), String(at + 1)]) {
    const headers = { ...first!.headers, 'x-callback-timestamp': time };
    expect(believed('provider_a', first!, { headers })).toBeNull();
  }
});

test('provider_a calls once for each step', async () => {
  const receiver = await receiverForTest();
  await orderedAt('provider_a', receiver);
  for (let step = 1; step <= 7; step++) {
    await receiver.count(step);
    services.clock.advanceMs(workingDayMs / 6);
  }
  await aWhile();
  expect(receiver.received.map(({ body }) => body.stage)).toEqual([
    'NOT_STARTED',
    'INVITE_SENT',
    'IN_PROGRESS',
    'IN_PROGRESS',
    'AWAITING_REFEREE',
    'IN_REVIEW',
    'DONE',
  ]);
});

test('provider_c calls twice for each step, and tells some of them too late', async () => {
  const receiver = await receiverForTest();
  await orderedAt('provider_c', receiver);
  services.clock.advanceMs(4 * workingDayMs);
  await receiver.count(10);
  await aWhile();
  // The first step was told before the time went on, or with the others.
  expect(receiver.received.map(({ body }) => body.sequence)).toEqual([1, 2, 1, 2, 3, 4, 3, 4, 5, 5]);
  expect(receiver.received.map(({ body }) => body.phase)).toContain('concluded');
});

test('of several processes each callback is one of them only', async () => {
  const receiver = await receiverForTest();
  await Promise.all([servicesForTest(services), servicesForTest(services)]);
  await Promise.all(Array.from({ length: 10 }, () => orderedAt('provider_a', receiver, 'stuck')));
  await receiver.count(10);
  await aWhile();
  expect(receiver.received).toHaveLength(10);
  expect(new Set(receiver.received.map(({ body }) => body.clientReferenceId)).size).toBe(10);
});

test('what is due is claimed once, by however many processes at the same moment', async () => {
  const receiver = await receiverForTest();
  await Promise.all(Array.from({ length: 40 }, () => orderedAt('provider_a', receiver)));
  await receiver.count(40);
  await aWhile();
  // The next step of all, which the services themselves do not see yet.
  const nowMs = services.clock.nowMs() + workingDayMs;
  const claim = { providers: ['provider_a'] as const, nowMs, untilMs: nowMs + 60_000, max: 20 };
  const claimed = await Promise.all([1, 2, 3, 4].map(() => claimToTell(services.pool, claim)));
  const references = claimed.flat().map(({ order }) => order.referenceId);
  expect(references).toHaveLength(40);
  expect(new Set(references).size).toBe(40);
});

test('those who call nobody read no callbacks', () => {
  expect(referencingProviders.provider_b.readCallback).toBeUndefined();
  expect(referencingProviders.provider_d.readCallback).toBeUndefined();
});
