import { createHmac } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import { providers, type Provider } from '../../../src/core/vocabulary/providers.ts';
import { referencingProviders } from '../../../src/referencing/providers/index.ts';
import { note } from '../../../src/referencing/simulator/force.ts';
import { claimToTell } from '../../../src/referencing/simulator/orders.ts';
import { receiverForTest, type Receiver, type Received } from '../../support/receiver.ts';
import { goodCredentials, orderOf, servicesForTest, workingDayMs, type Services } from '../../support/services.ts';

/* How services report changes, and which callbacks the product accepts. */

let services: Services;

beforeEach(async () => {
  services = await servicesForTest();
});

/** The services that send callbacks, and the others. */
const calling = providers.filter((name) => referencingProviders[name].readCallback);
const silent = providers.filter((name) => !calling.includes(name));

interface Documented {
  signatureHeader: string;
  /** The working days until a verdict. */
  verdictAfterDays: number;
  /** The fewest callbacks until the verdict. */
  callbacks: number;
  /** Returns the headers of a callback with this text. */
  sign(text: string, hmac: (text: string) => string): Record<string, string>;
}

/** What the documentation of each calling service says. */
const documented: Partial<Record<Provider, Documented>> = {
  provider_a: {
    signatureHeader: 'x-callback-signature',
    verdictAfterDays: 1,
    callbacks: 7,
    sign(text, hmac) {
      const timestamp = String(nowSeconds());
      return { 'x-callback-timestamp': timestamp, 'x-callback-signature': hmac(`${timestamp}.${text}`) };
    },
  },
  provider_c: {
    signatureHeader: 'x-signature-256',
    verdictAfterDays: 3,
    callbacks: 7,
    sign: (text, hmac) => ({ 'x-signature-256': `sha256=${hmac(text)}` }),
  },
};

test('knows the signature of every service that sends callbacks', () => {
  expect(calling.length).toBeGreaterThan(0);
  expect(Object.keys(documented), 'Add the provider to `documented`.').toEqual(calling);
});

/** Builds a callback as an owner of the secret would, from the services' documentation and not from the simulated ones. */
function signed(name: Provider, text: string, secret: string): Pick<Received, 'headers' | 'raw'> {
  const hmacOf = (told: string): string => createHmac('sha256', secret).update(told).digest('hex');
  return { headers: documented[name]!.sign(text, hmacOf), raw: Buffer.from(text) };
}

const nowSeconds = (): number => Math.floor(services.clock.nowMs() / 1000);

/** Returns what the adapter reads from a received callback. */
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

/** Long enough for several rounds of the calling process. */
const aWhile = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 600));

describe.each(calling)('callbacks of %s', (name) => {
  test('does not verify a callback when it is unsigned, however it is sent', async () => {
    const receiver = await receiverForTest();
    await orderedAt(name, receiver);
    const [{ headers, raw }] = (await receiver.count(1)) as [Received];
    const standard = Object.entries(headers).filter(([header]) => !header.startsWith('x-'));
    expect(believed(name, { headers: Object.fromEntries(standard), raw })).toBeNull();
    expect(believed(name, { headers: {}, raw })).toBeNull();
    expect(believed(name, { headers, raw: Buffer.from(`${raw.toString('utf8')} `) })).toBeNull();
    const others = Object.entries(goodCredentials[name]).map(([credential, value]) => [credential, `${value}x`]);
    for (const credentials of [{}, Object.fromEntries(others)])
      expect(believed(name, { headers, raw }, { credentials })).toBeNull();
  });

  test("verifies a callback and names its order when it is signed with the order's secret", async () => {
    const receiver = await receiverForTest();
    const { referenceId } = await orderedAt(name, receiver);
    const [first] = await receiver.count(1);
    expect(believed(name, first!)).toBe(referenceId);
  });

  test('verifies a callback again when it is repeated, because it only asks for a read', async () => {
    const receiver = await receiverForTest();
    const { referenceId } = await orderedAt(name, receiver);
    const [first] = await receiver.count(1);
    expect([believed(name, first!), believed(name, first!)]).toEqual([referenceId, referenceId]);
  });

  test("does not verify a callback when the secret is another account's or missing, or body or signature were changed", async () => {
    const receiver = await receiverForTest();
    await orderedAt(name, receiver);
    const [first] = await receiver.count(1);
    const { headers, raw } = first!;
    const { signatureHeader } = documented[name]!;
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

  test('finds no order in a callback when it is signed and empty', () => {
    for (const text of ['', 'null', '[]', '{}', '"x"', '{"clientReferenceId":1,"external_id":{}}'])
      expect(
        believed(name, signed(name, text, 'a_secret'), { credentials: { signing_secret: 'a_secret' } }),
      ).toBeNull();
  });

  test('does not verify a callback when the account has no secret, though it is signed with an empty one', () => {
    const forged = signed(name, '{"clientReferenceId":"ref_1","external_id":"ref_1"}', '');
    for (const credentials of [{ signing_secret: '' }, {}]) expect(believed(name, forged, { credentials })).toBeNull();
    const good = signed(name, '{"clientReferenceId":"ref_1","external_id":"ref_1"}', 'a_secret');
    expect(believed(name, good, { credentials: { signing_secret: 'a_secret' } })).toBe('ref_1');
  });

  test('sends a callback at once when a test helper has changed an order', async () => {
    const receiver = await receiverForTest();
    const { referenceId } = await orderedAt(name, receiver, 'stuck');
    await receiver.count(1);
    await aWhile();
    const before = receiver.received.length;
    await note(services.pool, name, referenceId, services.clock.nowMs(), 'A note.');
    const received = await receiver.count(before + 1);
    expect(believed(name, received.at(-1)!)).toBe(referenceId);
  });

  test('repeats a callback with growing pauses, and then gives up, when it is not accepted', async () => {
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

  test('sends a callback after a restart when its change happened meanwhile', async () => {
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

  test('sends a callback when the service changes its verdict', async () => {
    const receiver = await receiverForTest();
    const { orderId } = await orderedAt(name, receiver, 'consider_then_accept');
    services.clock.advanceMs(documented[name]!.verdictAfterDays * workingDayMs);
    await receiver.count(documented[name]!.callbacks);
    await aWhile();
    const before = receiver.received.length;
    expect((await services.service(name).read(orderId)).outcome?.verdict).toBe('consider');
    services.clock.advanceMs(workingDayMs);
    await receiver.count(before + 1);
    expect((await services.service(name).read(orderId)).outcome?.verdict).toBe('accept');
  });
});

test('verifies a callback of provider_a for five minutes and no longer when it has a signed time', async () => {
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

test('sends one callback for each step when the service is provider_a', async () => {
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

test('sends two callbacks for each step, some too late, when the service is provider_c', async () => {
  const receiver = await receiverForTest();
  await orderedAt('provider_c', receiver);
  services.clock.advanceMs(4 * workingDayMs);
  await receiver.count(10);
  await aWhile();
  // The callback of the first step came before the time moved on, or with the others.
  expect(receiver.received.map(({ body }) => body.sequence)).toEqual([1, 2, 1, 2, 3, 4, 3, 4, 5, 5]);
  expect(receiver.received.map(({ body }) => body.phase)).toContain('concluded');
});

test('sends each callback from one process only when several run', async () => {
  const receiver = await receiverForTest();
  await Promise.all([servicesForTest(services), servicesForTest(services)]);
  await Promise.all(Array.from({ length: 10 }, () => orderedAt('provider_a', receiver, 'stuck')));
  await receiver.count(10);
  await aWhile();
  expect(receiver.received).toHaveLength(10);
  expect(new Set(receiver.received.map(({ body }) => body.clientReferenceId)).size).toBe(10);
});

test('claims a due callback once when several processes ask at the same moment', async () => {
  const receiver = await receiverForTest();
  await Promise.all(Array.from({ length: 40 }, () => orderedAt('provider_a', receiver)));
  await receiver.count(40);
  await aWhile();
  // The next step of each order, which the services have not processed yet.
  const nowMs = services.clock.nowMs() + workingDayMs;
  const claim = { providers: ['provider_a'] as const, nowMs, untilMs: nowMs + 60_000, max: 20 };
  const claimed = await Promise.all([1, 2, 3, 4].map(() => claimToTell(services.pool, claim)));
  const references = claimed.flat().map(({ order }) => order.referenceId);
  expect(references).toHaveLength(40);
  expect(new Set(references).size).toBe(40);
});

test.each(silent)('reads and sends no callback when the service is %s', async (name) => {
  const receiver = await receiverForTest();
  await orderedAt(name, receiver);
  services.clock.advanceMs(4 * workingDayMs);
  await aWhile();
  expect(receiver.received).toEqual([]);
  expect(referencingProviders[name].readCallback).toBeUndefined();
});
