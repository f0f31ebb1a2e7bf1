import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { OverloadedError } from '../../../src/commit/write-request.ts';
import type { Context } from '../../../src/server/context.ts';
import { withClient } from '../../../src/db/pools.ts';
import {
  deploymentForTest,
  deployments,
  newTenantOn,
  startDeployment,
  withoutDelivering,
  type Deployment,
  type TenantOnBoth,
} from '../../support/deployments.ts';
import {
  anotherServer,
  expectCarriedOut,
  expectLeft,
  expectNoReplay,
  expectReplay,
  newKey,
  waitingForTables,
  withFaultyCustomer,
} from '../../support/idempotency.ts';
import { rounds } from '../../support/rounds.ts';
import { expectRefusal, invalid, missing, refusals, unknown, type Refusal } from '../../support/refusals.ts';
import { apiClient, type Api, type ApiResponse, type TestServer } from '../../support/server.ts';
import { addKey } from '../../support/tenants.ts';

/*
 * Tests each row of the table on requests with an Idempotency-Key. Each test checks all columns: the stored response (by using the key
 * again), the response, the log and the events. The first request goes to one process. All later ones go to the other process if there are
 * two.
 */

type Key = ReturnType<typeof newKey>;
type Send = (api: Api, key: Key) => Promise<ApiResponse>;

const good = { application: 'app_1' };
const create: Send = (api, key) => api.post('/v1/references', good, key);
const createCustomer: Send = (api, key) => api.post('/v1/customers', { name: 'Ada' }, key);
const unknownId = `ref_${'0'.repeat(21)}1`;

// Two processes are the harder case, so a fast run takes only that one.
describe.each(rounds(deployments.slice(1), deployments))('%s', (_name, processes) => {
  let deployment: Deployment;

  beforeAll(async () => void (deployment = await startDeployment(processes)));
  afterAll(() => deployment.stop());

  describe('refused before execution', () => {
    const tooMuch = Object.fromEntries(Array.from({ length: 51 }, (_, index) => [`key${index}`, 'value']));

    test.each<[string, Refusal, (...sent: [...Parameters<Send>, TenantOnBoth]) => Promise<ApiResponse>]>([
      ['a missing parameter', missing('application'), (api, key) => api.post('/v1/references', {}, key)],
      ['an unknown parameter', unknown('x'), (api, key) => api.post('/v1/references', { ...good, x: 1 }, key)],
      ['a wrong type', invalid('application'), (api, key) => api.post('/v1/references', { application: 1 }, key)],
      [
        '51 pairs of metadata',
        invalid('metadata'),
        (api, key) => api.post('/v1/references', { ...good, metadata: tooMuch }, key),
      ],
      [
        'a decision against a parameter',
        missing('name'),
        (api, key) => api.post('/v1/api_keys', { type: 'agent' }, key),
      ],
      ['an unknown query parameter', unknown('dry_run'), (api, key) => api.post('/v1/references?dry_run=1', good, key)],
      [
        'a body that is not JSON',
        refusals.bodyInvalid,
        (api, key) => api.post('/v1/references', '{"application":', key),
      ],
      [
        'a duplicate member',
        refusals.bodyInvalid,
        (api, key) => api.post('/v1/references', '{"application":"a","application":"b"}', key),
      ],
      [
        'another content type',
        refusals.contentType,
        (api, key) => api.post('/v1/references', good, { ...key, 'content-type': 'text/plain' }),
      ],
      [
        'a body that is too long',
        refusals.bodyTooLarge,
        (api, key) => api.post('/v1/references', { application: 'x'.repeat(300_000) }, key),
      ],
      [
        'an unknown version',
        refusals.version,
        (api, key) => api.post('/v1/references', good, { ...key, 'service-version': '1999-01-01' }),
      ],
      [
        'a malformed context',
        refusals.accountMalformed,
        (api, key) => api.post('/v1/references', good, { ...key, 'service-context': 'me' }),
      ],
      [
        'an account that is not connected',
        refusals.accountUnknown,
        (api, key) => api.post('/v1/references', good, { ...key, 'service-context': `acct_${'0'.repeat(22)}` }),
      ],
      ['an unknown route', refusals.routeUnknown, (api, key) => api.post('/v1/referenzen', good, key)],
      ['a method that is not allowed', refusals.methodNotAllowed, (api, key) => api.post('/v1/events', good, key)],
      [
        'a missing permission',
        refusals.permission,
        async (_, key, tenant) => create(await keyThatOnlyReads(deployment.one, tenant), key),
      ],
      [
        'an invalid API key: 401',
        refusals.keyInvalid,
        (_, key) => create(apiClient(deployment.one.url, 'sk_none'), key),
      ],
      [
        'a full queue: 503',
        refusals.overloaded,
        (api, key) => {
          vi.spyOn(deployment.one.context.committer, 'commit').mockRejectedValueOnce(
            new OverloadedError('Full, says the test.'),
          );
          return create(api, key);
        },
      ],
    ])('stores nothing and leaves the key free when the request is refused for %s', async (_case, refusal, refuse) => {
      const tenant = await newTenantOn(deployment);
      const { first, second } = tenant;
      const key = newKey();
      // A second request with the key is refused anew, without a replay.
      for (const api of [first, first]) {
        const refused = await refuse(api, key, tenant);
        expectRefusal(refused, refusal);
        expectNoReplay(refused);
        await expectLeft(second, refused, key, { log: ![401, 503].includes(refusal.status) });
      }
      expectCarriedOut(await create(second, key));
    });

    test('stores nothing and leaves the key free when the rate limit refuses the request', async () => {
      const settings = { ...withoutDelivering, TENURE_RATE_LIMIT: '1' };
      const limited = await deploymentForTest(processes, { settings });
      const tenant = await newTenantOn(limited);
      const looking = apiClient((await anotherServer(limited.one)).url, tenant.secretKey);
      const key = newKey();
      await tenant.first.get('/v1/references');
      const refused = await create(tenant.first, key);
      expectRefusal(refused, refusals.rateLimit);
      expectNoReplay(refused);
      await expectLeft(looking, refused, key, { log: false });
      await delay(1_000 * Number(refused.headers.get('retry-after')));
      expectCarriedOut(await create(tenant.second, key));
    });
  });

  describe('executed, success', () => {
    test.each<[string, string[], (id: string) => [path: string, body?: object]]>([
      ['a record is made', ['reference.created'], () => ['/v1/references', good]],
      [
        'a record is changed',
        ['reference.updated', 'reference.completed'],
        (id) => [`/v1/references/${id}`, { outcome: 'accept' }],
      ],
      [
        "a record's action succeeds",
        ['reference.updated', 'reference.canceled'],
        (id) => [`/v1/references/${id}/cancel`],
      ],
      ['nothing is changed', [], (id) => [`/v1/references/${id}`, {}]],
    ])('stores and replays the response when %s', async (_case, types, requestOn) => {
      const { first, second } = await newTenantOn(deployment);
      await second.post('/v1/webhook_endpoints', { url: 'http://127.0.0.1:9/' });
      const [path, body] = requestOn((await second.post('/v1/references', good)).body.id);
      const key = newKey();

      const executed = await first.post(path, body, key);
      expectCarriedOut(executed);
      await expectLeft(second, executed, key, { events: types });
      const all = await everythingOf(second);
      expect(all.references).toContainEqual(executed.body);
      expect(all.events.map(({ deliveries }) => deliveries)).toEqual(all.events.map(() => 1));

      const again = await second.post(path, body, key);
      expectReplay(again, executed);
      await expectLeft(first, again, key, {});
      expect(await everythingOf(first)).toEqual(all);
    });
  });

  test('executed, 404: stores and replays the 404 when the record is unknown', async () => {
    const tenant = await newTenantOn(deployment);
    await expectStored(tenant, refusals.idUnknown, (api, key) =>
      api.post(`/v1/references/${unknownId}`, { outcome: 'accept' }, key),
    );
  });

  test('executed, forbidden transition: stores and replays the 400 when the status forbids the change', async () => {
    const tenant = await newTenantOn(deployment);
    const { id } = (await tenant.first.post('/v1/references', good)).body;
    await tenant.second.post(`/v1/references/${id}/cancel`);
    await expectStored(tenant, refusals.transition, (api, key) =>
      api.post(`/v1/references/${id}`, { outcome: 'accept' }, key),
    );
  });

  test('executed, strict link: stores and replays the 400 when a linked record is unknown', async () => {
    const tenant = await newTenantOn(deployment);
    const { body: application } = await tenant.first.post('/v1/applications', {});
    const nobody = { application: application.id, customer: 'cus_nobody' };
    const setLinks = (linked: string) => tenant.second.post('/v1/account', { linked_records: linked });
    await setLinks('strict');
    await expectStored(
      tenant,
      { ...refusals.idUnknown, status: 400, param: 'customer' },
      (api, key) => api.post('/v1/references', nobody, key),
      // The same request would succeed by now.
      async () => void (await setLinks('open')),
    );
    expect((await everythingOf(tenant.second)).references).toEqual([]);
    expectCarriedOut(await tenant.second.post('/v1/references', nobody, newKey()));
  });

  describe('executed, our fault', () => {
    test.each<[string, () => (context: Context) => Context, Send]>([
      ['in a decision', () => withFaultyCustomer(fail), createCustomer],
      [
        'in a value for the database',
        () => withFaultyCustomer((record) => ({ ...record, name: null })),
        createCustomer,
      ],
      ['in reading a record', withFaultyRead, (api, key) => api.post(`/v1/references/${unknownId}/cancel`, {}, key)],
    ])('stores and replays the 500 when a fault occurs %s', async (_case, changeContext, send) => {
      const tenant = await newTenantOn(await deploymentForTest(processes, { changeContext: changeContext() }));
      const others = Promise.all(Array.from({ length: 10 }, () => create(tenant.first, newKey())));
      const answer = await expectStored(tenant, refusals.internal, send);
      expect(answer.text).not.toContain('made by the test');
      // Requests beside it succeeded, and the fault is over.
      (await others).forEach(expectCarriedOut);
      const { references, customers } = await everythingOf(tenant.second);
      expect([references.length, customers.length]).toEqual([10, 0]);
      expect((await send(tenant.second, newKey())).status).not.toBe(500);
    });
  });

  test('stores nothing and leaves the key free when the response cannot be written', async () => {
    const own = await deploymentForTest(processes);
    const { first, second } = await newTenantOn(own);
    const { readers } = own.one.context.database;
    const key = newKey();
    await readers.query('alter table request_logs add constraint none check (false) not valid');
    const refused = await create(first, key);
    expectRefusal(refused, refusals.unavailable);
    expectNoReplay(refused);
    await expectLeft(second, refused, key, { log: false });
    await readers.query('alter table request_logs drop constraint none');
    await expectLeft(second, refused, key, { log: false });
    expect((await second.get('/v1/references')).body.count).toBe(0);
    expectCarriedOut(await create(second, key));
  });

  test('repeat, same parameters: replays the response when the request is repeated', async () => {
    const { first, second } = await newTenantOn(deployment);
    const key = newKey();
    const executed = await create(first, key);
    expectCarriedOut(executed);
    // Repeating a repeat replays the first response too.
    for (const api of [second, first, second]) {
      const again = await create(api, key);
      expectReplay(again, executed);
      await expectLeft(second, again, key, {});
    }
    await expectLeft(second, executed, key, { events: ['reference.created'] });
    expect((await second.get('/v1/references')).body.count).toBe(1);
  });

  describe('repeat, other parameters', () => {
    const body = { application: 'app_1', metadata: { a: '1' } };

    test.each<[string, (tenant: TenantOnBoth, key: Key) => Promise<ApiResponse>]>([
      ['another value', ({ second }, key) => second.post('/v1/references', { ...body, application: 'app_2' }, key)],
      [
        'another value further in',
        ({ second }, key) => second.post('/v1/references', { ...body, metadata: { a: '2' } }, key),
      ],
      ['a member less', ({ second }, key) => second.post('/v1/references', good, key)],
      ['a member more', ({ second }, key) => second.post('/v1/references', { ...body, customer: 'cus_1' }, key)],
      ['a default spelt out', ({ second }, key) => second.post('/v1/references', { ...body, type: 'customer' }, key)],
      ['null for absent', ({ second }, key) => second.post('/v1/references', { ...body, customer: null }, key)],
      ['another path', ({ second }, key) => second.post('/v1/customers', { name: 'Ada' }, key)],
      ['another query', ({ second }, key) => second.post('/v1/references?&', body, key)],
      [
        'a context, although it is the same account',
        ({ second, accountId }, key) => second.post('/v1/references', body, { ...key, 'service-context': accountId }),
      ],
    ])('refuses the key when it is repeated with %s', async (_case, reuse) => {
      const tenant = await newTenantOn(deployment);
      const key = newKey();
      const executed = await tenant.first.post('/v1/references', body, key);
      const all = await everythingOf(tenant.second);
      const refused = await reuse(tenant, key);
      expectRefusal(refused, refusals.idempotencyReused);
      expectNoReplay(refused);
      await expectLeft(tenant.second, refused, key, {});
      expect(await everythingOf(tenant.second)).toEqual(all);
      // The key still replays its own request.
      expectReplay(await tenant.second.post('/v1/references', body, key), executed);
    });
  });

  test('twin while running: returns 409 when the first request is not finished', async () => {
    const own = await deploymentForTest(processes);
    const { first, second } = await newTenantOn(own);
    const key = newKey();
    const running = await withClient(own.one.connection, async (client) => {
      await client.query('begin');
      // By then the first request has claimed its key, and waits for this lock.
      await client.query('lock table tenant_references in exclusive mode');
      const answer = create(first, key);
      await expect.poll(() => waitingForTables(own.one)).toBe(1);
      const twin = await create(second, key);
      expectRefusal(twin, refusals.idempotencyInUse);
      expectNoReplay(twin);
      await expectLeft(second, twin, key, {});
      expect(await waitingForTables(own.one)).toBe(1);
      await client.query('rollback');
      return { answer };
    });
    const executed = await running.answer;
    expectCarriedOut(executed);
    await expectLeft(second, executed, key, { events: ['reference.created'] });
    expectReplay(await create(second, key), executed);
    expect((await second.get('/v1/references')).body.count).toBe(1);
  });
});

async function keyThatOnlyReads(server: TestServer, { accountId }: TenantOnBoth): Promise<Api> {
  return (await addKey(server, accountId, { permissions: ['references.read'] })).api;
}

/** Checks that a request is refused, and that its key replays the refusal after the changes of `meanwhile`. */
async function expectStored(
  { first, second }: TenantOnBoth,
  refusal: Refusal,
  send: Send,
  meanwhile?: () => Promise<void>,
): Promise<ApiResponse> {
  const key = newKey();
  const refused = await send(first, key);
  expectRefusal(refused, refusal);
  expectNoReplay(refused);
  await expectLeft(second, refused, key, {});
  await meanwhile?.();
  const again = await send(second, key);
  expectReplay(again, refused);
  await expectLeft(first, again, key, {});
  const reused = await second.post('/v1/customers', { name: 'Grace' }, key);
  expectRefusal(reused, refusals.idempotencyReused);
  return refused;
}

/** Returns the account's records and the events that requests caused, each with its number of deliveries. */
async function everythingOf(api: Api) {
  const list = async (path: string): Promise<ApiResponse['body'][]> => (await api.get(`${path}?limit=50`)).body.data;
  const caused = (await list('/v1/events')).filter(({ request }) => request.id !== null);
  const counted = caused.map(async (event) => ({
    ...event,
    deliveries: (await api.get(`/v1/events/${event.id}/deliveries`)).body.count as number,
  }));
  return {
    references: await list('/v1/references'),
    customers: await list('/v1/customers'),
    events: await Promise.all(counted),
  };
}

/** Returns a context that fails to read the first record it is asked for. */
function withFaultyRead(): (context: Context) => Context {
  // The first read only finds the record's queue and ignores a fault. The second one serves the decision.
  let faults = 2;
  return (context) => ({
    ...context,
    async readRecord(...wanted) {
      if (faults-- > 0) fail();
      return context.readRecord(...wanted);
    },
  });
}

function fail(): never {
  throw new Error('A fault, made by the test.');
}
