import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { expectRefusal, invalid, refusals } from '../support/refusals.ts';
import { apiClient, good, serverForTest, startTestServer, type Api, type TestServer } from '../support/server.ts';
import { firstAccountId } from '../support/tenants.ts';
import { eventsOf, quickly, refer, referenceNow, untilReference } from './scenario.ts';
import { callbackAbout, giveCredentials, heardBy, startVendor, type TestVendor } from './vendor.ts';

/*
 * An open check moves to another service, or to a check by hand. `provider_a` is the test's own service. The others are simulated. So the
 * test sees what the service that is left was told.
 */

let vendor: TestVendor;
let server: TestServer;
let api: Api;
let account: string;

beforeAll(async () => {
  vendor = await startVendor();
  server = await startTestServer({
    ...quickly,
    settings: { ...quickly.settings, TENURE_PROVIDER_A_URL: vendor.url },
  });
  api = server.api;
  account = await firstAccountId(server);
  await giveCredentials(api);
});

beforeEach(() => {
  vendor.release();
  vendor.stage = 'IN_PROGRESS';
  vendor.decision = 'ACCEPT';
  vendor.answers.length = 0;
});

afterAll(async () => {
  await server.stop();
  await vendor.stop();
});

const advance = (seconds: number) => good(api.post('/v1/test_helpers/clock/advance', { seconds }));

const move = (id: string, automatic_reference: object) => api.post(`/v1/references/${id}`, { automatic_reference });

/** Waits until the former service has been told to stop the order. */
async function untilStopped(key: string): Promise<void> {
  await expect.poll(() => vendor.stopped.has(key), { interval: 20 }).toBe(true);
}

/** Waits until no earlier order of the reference is left to be stopped. */
async function untilNoneWaits(id: string): Promise<void> {
  const waiting = async (): Promise<number> => {
    const { rows } = await server.context.database.readers.query<{ count: string }>(
      `select json_array_length(earlier_orders::json -> 'waiting') as count from tenant_references where id = $1`,
      [id],
    );
    return Number(rows[0]!.count);
  };
  await expect.poll(waiting, { interval: 20 }).toBe(0);
}

const callsAbout = (key: string, kind: string): number =>
  vendor.calls.filter((call) => call.reference === key && call.kind === kind).length;

const endsOf = async (id: string): Promise<string[]> =>
  (await eventsOf(api, id)).map(({ type }) => type).filter((type) => /completed|canceled/.test(type));

async function keyed(type: string, permission: string): Promise<Api> {
  const { secret } = (await good(api.post('/v1/api_keys', { type, name: 'A', permissions: [permission] }))).body;
  return apiClient(server.url, secret);
}

/** Creates a reference whose order is with the test's own service. */
async function withVendor(more: Parameters<typeof refer>[1] = {}): Promise<string> {
  const { id } = await refer(api, more);
  await untilReference(api, id, { status: 'processing' });
  return id;
}

describe('a move to another service', () => {
  test('completes by the second service and stops the first when the provider is updated', async () => {
    const id = await withVendor();
    const { body } = await good(move(id, { provider: 'provider_b' }));
    expect(body).toMatchObject({
      status: 'processing',
      automatic_reference: {
        enabled: true,
        provider: 'provider_b',
        status: 'queued',
        last_error: null,
        outcome: null,
        provider_data: null,
      },
    });
    const complete = await untilReference(api, id, { status: 'complete' });
    expect(complete).toMatchObject({
      outcome: 'accept',
      automatic_reference: { provider: 'provider_b', outcome: 'Pass' },
    });
    await untilStopped(id);
    await untilNoneWaits(id);
    expect(callsAbout(id, 'cancel')).toBe(1);
    expect(await endsOf(id)).toEqual(['reference.completed']);
    const moved = (await eventsOf(api, id)).find(
      ({ data }) => data.previous_attributes?.automatic_reference?.provider === 'provider_a',
    );
    expect(moved).toMatchObject({ type: 'reference.updated', request: { actor: { type: 'api_key' } } });
  });

  test('ignores callbacks of the first service when they come after the move', async () => {
    const id = await withVendor();
    await good(move(id, { provider: 'provider_c' }));
    await untilStopped(id);
    await untilNoneWaits(id);
    await untilReference(api, id, { automatic_reference: { status: 'invited' } });
    vendor.stage = 'DONE';
    vendor.decision = 'HIGH_RISK';
    const reads = vendor.reads(id);
    await heardBy(server.url, callbackAbout(id, account));
    await good(api.post(`/v1/test_helpers/references/${id}/complete`, { outcome: 'consider' }));
    expect(await referenceNow(api, id)).toMatchObject({
      outcome: 'consider',
      automatic_reference: { outcome: 'Refer' },
    });
    await heardBy(server.url, callbackAbout(id, account));
    expect(vendor.reads(id)).toBe(reads);
    expect(await endsOf(id)).toEqual(['reference.completed']);
  });

  test('stops the order as soon as its id is known when it is being made at the move', async () => {
    vendor.hold('order');
    const { id } = await refer(api);
    await expect.poll(() => vendor.held, { interval: 10 }).toBe(1);
    await good(move(id, { provider: 'provider_b' }));
    vendor.release();
    await untilStopped(id);
    expect(await untilReference(api, id, { status: 'complete' })).toMatchObject({
      automatic_reference: { provider: 'provider_b', outcome: 'Pass' },
    });
    await untilNoneWaits(id);
    expect(vendor.orders.get(id)).toBe(1);
    expect(callsAbout(id, 'cancel')).toBe(1);
  });

  test('makes no order at a service that never got one when it answers again after the move', async () => {
    // The service may have made the order before this answer.
    vendor.answers.push({ kind: 'order', status: 500 });
    const { id } = await refer(api, {});
    await untilReference(api, id, { automatic_reference: { last_error: expect.stringMatching(/^unavailable: /) } });
    await good(move(id, { provider: 'provider_b' }));
    await untilReference(api, id, { status: 'complete', automatic_reference: { provider: 'provider_b' } });
    await expect.poll(() => callsAbout(id, 'find')).toBe(1);
    await expect.poll(async () => advance(60).then(() => callsAbout(id, 'find')), { interval: 500 }).toBe(2);
    await untilNoneWaits(id);
    expect(vendor.orders.has(id)).toBe(false);
    expect(callsAbout(id, 'cancel')).toBe(0);
  });

  test('retries the stop, and shows no error of it, when the first service fails', async () => {
    const id = await withVendor();
    const kind = 'cancel';
    vendor.answers.push(
      { kind, status: 500 },
      { kind, status: 429, headers: { 'retry-after': '1' } },
      { kind, status: 503 },
    );
    await good(move(id, { provider: 'provider_c' }));
    await expect.poll(async () => advance(130).then(() => vendor.stopped.has(id)), { interval: 500 }).toBe(true);
    await untilNoneWaits(id);
    expect(callsAbout(id, 'cancel')).toBe(4);
    for (const { data } of await eventsOf(api, id))
      expect(data.object.automatic_reference).toMatchObject({ last_error: null });
  });

  test('takes the second order, and not the first, for its own when a reference returns to a service', async () => {
    const id = await withVendor();
    await good(move(id, { provider: 'provider_c' }));
    await untilReference(api, id, { automatic_reference: { status: 'invited' } });
    await good(move(id, { provider: 'provider_a' }));
    const key = `${id}-3`;
    await expect.poll(() => vendor.orders.get(key)).toBe(1);
    await untilReference(api, id, { automatic_reference: { provider: 'provider_a', status: 'in_progress' } });
    await untilNoneWaits(id);
    expect(vendor.stopped.has(id)).toBe(true);
    expect(vendor.stopped.has(key)).toBe(false);
    await advance(10);
    vendor.stage = 'DONE';
    await heardBy(server.url, callbackAbout(id, account));
    expect(vendor.reads(key)).toBe(0);
    await heardBy(server.url, callbackAbout(key, account));
    await untilReference(api, id, {
      status: 'complete',
      outcome: 'accept',
      automatic_reference: { outcome: 'ACCEPT' },
    });
    expect(callsAbout(key, 'report')).toBeGreaterThan(0);
    expect(callsAbout(id, 'report')).toBe(0);
  });

  test('orders nothing at the first service when the reference moves before its order', async () => {
    const idle = await serverForTest({ settings: { TENURE_SIMULATOR_SPEED: '2' } });
    const { id } = await refer(idle.api);
    await good(idle.api.post(`/v1/references/${id}`, { automatic_reference: { provider: 'provider_b' } }));
    const { connection, secretKey } = idle;
    const working = await serverForTest({ ...quickly, connection, secretKey });
    await untilReference(working.api, id, { status: 'complete', automatic_reference: { provider: 'provider_b' } });
    const { rows } = await working.context.database.readers.query(`select provider, reference from simulated_orders`);
    expect(rows).toEqual([{ provider: 'provider_b', reference: `${id}-2` }]);
  });

  test('keeps everything as it was when the service is the present one', async () => {
    const id = await withVendor();
    const before = await referenceNow(api, id);
    for (const automatic of [{}, { provider: 'provider_a' }, { enabled: true, provider: null }])
      expect((await good(move(id, automatic))).body).toEqual(before);
    expect(callsAbout(id, 'cancel')).toBe(0);
  });

  test('is made when the first service has ended the check without a verdict', async () => {
    vendor.stage = 'CANCELLED';
    const { id } = await refer(api);
    const failed = await untilReference(api, id, { automatic_reference: { status: 'failed' } });
    expect(failed.automatic_reference.last_error).toBe(
      'ended_by_provider: The provider has ended the check without a verdict. Choose another service, make the check by hand, or cancel it.',
    );
    await good(move(id, { provider: 'provider_b' }));
    await untilReference(api, id, { status: 'complete', outcome: 'accept' });
  });
});

describe('a check by hand', () => {
  test('takes an open check over and stops its service when enabled is false', async () => {
    const id = await withVendor();
    const { body } = await good(move(id, { enabled: false }));
    expect(body).toMatchObject({
      status: 'processing',
      automatic_reference: {
        enabled: false,
        provider: null,
        status: null,
        last_error: null,
        outcome: null,
        provider_data: null,
      },
    });
    await untilStopped(id);
    await untilNoneWaits(id);
    vendor.stage = 'DONE';
    await heardBy(server.url, callbackAbout(id, account));
    expect(await referenceNow(api, id)).toEqual(body);
    await good(api.post(`/v1/references/${id}`, { outcome: 'consider' }));
    await untilReference(api, id, { status: 'complete', outcome: 'consider', reference_pdf: expect.any(String) });
    expect(await endsOf(id)).toEqual(['reference.completed']);
  });

  test.each([
    ['begins', { status: 'processing' }, { status: 'processing', outcome: null }],
    ['ends', { outcome: 'accept' }, { status: 'complete', outcome: 'accept' }],
  ])('%s in the same request when the body says so', async (_, more, wanted) => {
    vendor.answers.push({ kind: 'order', status: 422 });
    const { id } = await refer(api);
    await untilReference(api, id, { automatic_reference: { last_error: expect.stringMatching(/^refused: /) } });
    const { body } = await good(api.post(`/v1/references/${id}`, { automatic_reference: { enabled: false }, ...more }));
    expect(body).toMatchObject({ ...wanted, automatic_reference: { enabled: false } });
  });

  test('goes to a service when a provider is sent', async () => {
    const { id } = await refer(api, { automatic_reference: null });
    await good(api.post(`/v1/references/${id}`, { status: 'processing' }));
    await good(move(id, { provider: 'provider_b' }));
    await untilReference(api, id, { status: 'complete', automatic_reference: { enabled: true, outcome: 'Pass' } });
    const { id: plain } = await refer(api, { automatic_reference: null });
    // Without a provider, the default of the account is chosen.
    await good(move(plain, {}));
    await untilReference(api, plain, { status: 'processing', automatic_reference: { provider: 'provider_a' } });
  });
});

describe('refused moves', () => {
  test.each([
    [
      'complete',
      async () => untilReference(api, (await refer(api, { provider: 'provider_b' })).id, { status: 'complete' }),
    ],
    [
      'canceled',
      async () => {
        const { id } = await refer(api);
        return (await good(api.post(`/v1/references/${id}/cancel`))).body;
      },
    ],
  ])('are refused, and change nothing, when the reference is %s', async (_, prepare) => {
    const { id } = await prepare();
    const before = await referenceNow(api, id);
    for (const automatic of [{ provider: 'provider_c' }, { enabled: false }])
      expectRefusal(await move(id, automatic), { ...refusals.transition, param: 'automatic_reference' });
    expect(await referenceNow(api, id)).toEqual(before);
  });

  test('are refused when the outcome is sent too', async () => {
    const id = await withVendor();
    const answer = await api.post(`/v1/references/${id}`, {
      automatic_reference: { provider: 'provider_b' },
      outcome: 'accept',
    });
    expectRefusal(answer, {
      status: 400,
      type: 'invalid_request_error',
      code: 'parameters_exclusive',
      param: 'automatic_reference',
    });
    expect(callsAbout(id, 'cancel')).toBe(0);
  });

  test('are refused at once when the service is unknown, or not set up here', async () => {
    const id = await withVendor();
    expectRefusal(await move(id, { provider: 'provider_x' }), invalid('automatic_reference[provider]'));
    const live = await serverForTest({
      settings: { TENURE_MODE: 'live', TENURE_PROVIDER_B_URL: 'http://127.0.0.1:9' },
    });
    const credentials = { provider_b: { username: 'ada', password: 'p' } };
    await good(live.api.post('/v1/account', { provider_credentials: credentials }));
    const made = await refer(live.api, { provider: 'provider_b' });
    const answer = await live.api.post(`/v1/references/${made.id}`, {
      automatic_reference: { provider: 'provider_c' },
    });
    expectRefusal(answer, { ...invalid('automatic_reference[provider]'), says: 'is not set up' });
    expect(await referenceNow(live.api, made.id)).toEqual(made);
  });

  test('need the permission to create, and agents may move what they may create', async () => {
    const id = await withVendor();
    const reader = await keyed('restricted', 'references.read');
    const body = { automatic_reference: { provider: 'provider_c' } };
    expectRefusal(await reader.post(`/v1/references/${id}`, body), refusals.permission);
    const agent = await keyed('agent', 'references.write');
    // As if a person had made the key, so that it needs no approvals.
    await server.context.database.readers.query(`update api_keys set approvals = 'none' where type = 'agent'`);
    await refer(agent);
    await good(agent.post(`/v1/references/${id}`, body));
  });

  test('are refused when twenty earlier orders still wait for their stop', async () => {
    const idle = await serverForTest({ settings: { TENURE_SIMULATOR_SPEED: '2' } });
    const { id } = await refer(idle.api);
    const providers = ['provider_b', 'provider_a'];
    const moveTo = (provider: string) => idle.api.post(`/v1/references/${id}`, { automatic_reference: { provider } });
    for (let turn = 0; turn < 20; turn++) {
      // The worker that begins the order is not there.
      await idle.context.database.readers.query(
        `update tenant_references
        set provider_order = (provider_order::jsonb || '{"begun": true}')::text, revision = revision + 1
        where id = $1`,
        [id],
      );
      await good(moveTo(providers[turn % 2]!));
    }
    expectRefusal(await moveTo('provider_c'), {
      ...refusals.transition,
      param: 'automatic_reference',
      says: '20 earlier orders',
    });
  });
});

/** Every order at the test's own service is stopped, unless its reference is still there. */
async function expectStopped(ids: readonly string[]): Promise<void> {
  for (const id of ids) {
    await untilNoneWaits(id);
    const now = await referenceNow(api, id);
    if (now.automatic_reference.provider === 'provider_a' && now.automatic_reference.enabled) continue;
    if (vendor.orders.has(id)) expect([id, vendor.stopped.has(id)]).toEqual([id, true]);
  }
}

describe('moves at the same moment as something else', () => {
  const many = 12;

  /** Sends both requests at once for many references, the second one a little later each time. */
  async function race(
    prepare: () => Promise<string>,
    first: (id: string) => Promise<unknown>,
    second: (id: string) => Promise<unknown>,
  ): Promise<string[]> {
    const ids = await Promise.all(Array.from({ length: many }, prepare));
    await Promise.all(
      ids.map(async (id, index) => {
        await Promise.all([first(id), new Promise((resolve) => setTimeout(resolve, index * 4)).then(() => second(id))]);
      }),
    );
    return ids;
  }

  test('end once, by one of the services, when the first finishes meanwhile', async () => {
    const answers = new Map<string, number>();
    const ids = await race(
      () => withVendor(),
      async (id) => {
        vendor.stage = 'DONE';
        await heardBy(server.url, callbackAbout(id, account));
      },
      async (id) => void answers.set(id, (await move(id, { provider: 'provider_b' })).status),
    );
    for (const id of ids) {
      const { automatic_reference: automatic } = await untilReference(api, id, { status: 'complete' });
      const isMoved = answers.get(id) === 200;
      expect([id, automatic.provider, automatic.outcome]).toEqual(
        isMoved ? [id, 'provider_b', 'Pass'] : [id, 'provider_a', 'ACCEPT'],
      );
      expect(await endsOf(id)).toEqual(['reference.completed']);
      if (isMoved) await untilStopped(id);
    }
  });

  test('leave no order behind when the reference is canceled meanwhile', async () => {
    const ids = await race(
      async () => (await refer(api)).id,
      (id) => good(api.post(`/v1/references/${id}/cancel`)),
      (id) => move(id, { provider: 'provider_b' }),
    );
    const others = await race(
      async () => (await refer(api)).id,
      (id) => move(id, { provider: 'provider_c' }),
      (id) => api.post(`/v1/references/${id}/cancel`),
    );
    for (const id of [...ids, ...others]) {
      const { status } = await referenceNow(api, id);
      expect(await endsOf(id)).toEqual([`reference.${status === 'complete' ? 'completed' : 'canceled'}`]);
    }
    for (const id of others) await untilNoneWaits(id);
    const live = async (): Promise<string[]> => {
      const { rows } = await server.context.database.readers.query<{ reference: string }>(
        `select reference from simulated_orders
        where provider = 'provider_c' and placed_at_ms is not null and canceled_at_ms is null and reference = any($1)`,
        [others.map((id) => `${id}-2`)],
      );
      return rows.map(({ reference }) => reference);
    };
    await expect.poll(live).toEqual([]);
    await expectStopped(others);
  });

  test('end at the second service when a retry comes meanwhile', async () => {
    const ids = await race(
      async () => (await refer(api)).id,
      (id) => good(move(id, { provider: 'provider_b' })),
      (id) => api.post(`/v1/references/${id}/retry`),
    );
    for (const id of ids)
      await untilReference(api, id, { status: 'complete', automatic_reference: { provider: 'provider_b' } });
    await expectStopped(ids);
  });

  test('end at the service of the later request when two come at once', async () => {
    const ids = await race(
      () => withVendor(),
      (id) => good(move(id, { provider: 'provider_c' })),
      (id) => good(move(id, { enabled: false })),
    );
    await expectStopped(ids);
    for (const id of ids) {
      const moves = (await eventsOf(api, id)).filter(
        ({ data, request }) => request.id !== null && data.previous_attributes?.automatic_reference,
      );
      const now = await referenceNow(api, id);
      const last = moves.at(-1)!.data.object.automatic_reference;
      expect(now.automatic_reference).toMatchObject({ enabled: last.enabled, provider: last.provider });
    }
  });
});
