import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { Simulations } from '../../src/referencing/test-helpers.ts';
import { startDatabaseProxy, type DatabaseProxy } from '../support/database-proxy.ts';
import { longWatches } from '../support/freshness.ts';
import { expectRefusal, refusals } from '../support/refusals.ts';
import {
  createTestDatabase,
  good,
  serverForTest,
  startTestServer,
  type Api,
  type ApiResponse,
  type TestServer,
} from '../support/server.ts';
import { quickServer, quickServerForTest, refer, untilReference } from './scenario.ts';

let server: TestServer;
let api: Api;

beforeAll(async () => {
  server = await quickServer();
  api = server.api;
});

afterAll(() => server.stop());

describe('referencing test helpers', () => {
  test('advances a check, adds a note and completes it with an outcome when test helpers are called', async () => {
    const slow = await quickServerForTest({ TENURE_SIMULATOR_SPEED: '80000' });
    const { id } = await refer(slow.api);
    await untilReference(slow.api, id, { automatic_reference: { provider_data: { type: 'provider_a' } } });
    const helper = (name: string, body: object = {}) =>
      good(slow.api.post(`/v1/test_helpers/references/${id}/${name}`, body)).then((answer) => answer.body);
    const advanced = await helper('advance');
    expect(advanced).toMatchObject({ id, object: 'reference' });
    const again = await helper('advance');
    expect(again.status).toBe('processing');
    expect(progressOf(again)).toBeGreaterThan(progressOf(advanced));
    expect(progressOf(await helper('note', { message: 'The employer has answered.' }))).toBeGreaterThan(0);
    const complete = await helper('complete', { outcome: 'consider' });
    expect(complete).toMatchObject({
      status: 'complete',
      outcome: 'consider',
      reference_pdf: expect.stringMatching(/^file_/),
    });
    const messages = complete.automatic_reference.provider_data.provider_a.notes.map(
      ({ message }: { message: string }) => message,
    );
    expect(messages).toContain('The employer has answered.');
    expectRefusal(await slow.api.post(`/v1/test_helpers/references/${id}/advance`), refusals.transition);
  });

  test('returns the complete reference when its service finished at once', async () => {
    for (let time = 0; time < 10; time++) {
      const { id } = await refer(api, { provider: 'provider_b' });
      const { body } = await good(api.post(`/v1/test_helpers/references/${id}/complete`, { outcome: 'accept' }));
      expect(body).toMatchObject({ status: 'complete', outcome: 'accept' });
      const other = await api.post(`/v1/test_helpers/references/${id}/complete`, { outcome: 'consider' });
      expectRefusal(other, refusals.transition);
    }
  });

  test.each([
    ['advance', {}],
    ['fail', {}],
    ['note', { message: 'The bank has answered.' }],
  ])(
    'refuses the helper %s at once, without advice on provider_b, when provider_a has finished',
    async (name, body) => {
      const { id } = await refer(api);
      await good(api.post(`/v1/test_helpers/references/${id}/complete`));
      const refused = await api.post(`/v1/test_helpers/references/${id}/${name}`, body);
      expectRefusal(refused, { ...refusals.transition, says: 'Create another reference' });
      expect(refused.body.error.message).not.toContain('provider_b');
    },
  );

  test('names metadata.simulate when it refuses a helper on a reference of provider_b', async () => {
    const { id } = await refer(api, { provider: 'provider_b' });
    await good(api.post(`/v1/test_helpers/references/${id}/complete`));
    const refused = await api.post(`/v1/test_helpers/references/${id}/advance`);
    expectRefusal(refused, { ...refusals.transition, says: 'metadata.simulate' });
  });

  test('advances a reference when another process handles it', async () => {
    const worker = await quickServerForTest({ TENURE_SIMULATOR_SPEED: '80000' });
    const { connection, secretKey } = worker;
    const front = await serverForTest({ connection, secretKey });
    for (let time = 0; time < 5; time++) {
      const { id } = await refer(front.api);
      const { body } = await good(
        front.api.post(`/v1/test_helpers/references/${id}/complete`, { outcome: 'consider' }),
      );
      expect(body).toMatchObject({ status: 'complete', outcome: 'consider' });
    }
  });

  test('makes the service fail, with a shown error and retries, until a test helper advances it', async () => {
    const slow = await quickServerForTest({ TENURE_SIMULATOR_SPEED: '80000' });
    const { id } = await refer(slow.api);
    await untilReference(slow.api, id, { automatic_reference: { provider_data: { type: 'provider_a' } } });
    const failing = await good(slow.api.post(`/v1/test_helpers/references/${id}/fail`, { code: 'bureau_down' }));
    expect(failing.body.automatic_reference.last_error).toMatch(/^bureau_down: /);
    const { body } = await good(slow.api.post(`/v1/test_helpers/references/${id}/advance`));
    expect(body.automatic_reference.last_error).toBeNull();
  });

  test('executes a test helper once when an Idempotency-Key is repeated', async () => {
    const slow = await quickServerForTest({ TENURE_SIMULATOR_SPEED: '80000' });
    const { id } = await refer(slow.api);
    await untilReference(slow.api, id, { automatic_reference: { provider_data: { type: 'provider_a' } } });
    const key = { 'idempotency-key': 'note-1' };
    const send = () => slow.api.post(`/v1/test_helpers/references/${id}/note`, { message: 'Once.' }, key);
    const [first, second] = [await good(send()), await good(send())];
    expect(second.text).toBe(first.text);
    expect(second.headers.get('idempotent-replayed')).toBe('true');
    const complete = await good(slow.api.post(`/v1/test_helpers/references/${id}/complete`));
    const notes = complete.body.automatic_reference.provider_data.provider_a.notes;
    expect(notes.filter(({ message }: { message: string }) => message === 'Once.')).toHaveLength(1);
  });

  test('returns 503 to a test helper, which can be retried, when the database is lost before the service acts', async () => {
    const { away, network } = await serverThatLoses((context, proxy) => ({
      ...context,
      async readRecord(...which) {
        const record = await context.readRecord(...which);
        proxy.close();
        return record;
      },
    }));
    const { id } = await refer(away.api);
    const refused = await away.api.post(`/v1/test_helpers/references/${id}/complete`);
    expectRefusal(refused, { ...refusals.unavailable, says: 'Nothing was changed' });
    network.open();
    await untilReference(away.api, id, { outcome: null });
  });

  test('plays a test helper once when the database is lost after the service acted', async () => {
    let losses = 0;
    const { away } = await serverThatLoses((context, proxy) => ({
      ...context,
      committer: Object.assign(Object.create(context.committer), {
        async commitAsSystem(own: Parameters<typeof context.committer.commitAsSystem>[0]) {
          if (losses++ === 0) proxy.close();
          // The database is back only after the loss was noticed.
          await context.committer.commitAsSystem(own).finally(() => proxy.open());
        },
      }),
    }));
    const { id } = await refer(away.api);
    await untilReference(away.api, id, { automatic_reference: { provider_data: { type: 'provider_a' } } });
    const { body } = await good(away.api.post(`/v1/test_helpers/references/${id}/note`, { message: 'Once.' }));
    expect(losses).toBeGreaterThan(1);
    const { notes } = body.automatic_reference.provider_data.provider_a;
    expect(notes.filter(({ message }: { message: string }) => message === 'Once.')).toHaveLength(1);
  });

  test('advises against a retry of a test helper when the database is lost while the service acts', async () => {
    let isLost = false;
    const { away, network } = await serverThatLoses((context, proxy) => ({
      ...context,
      clock: {
        // It is asked for the time right before the order is changed.
        nowMs() {
          if (!isLost) proxy.close();
          isLost = true;
          return context.clock.nowMs();
        },
      },
    }));
    const { id } = await refer(away.api);
    await untilReference(away.api, id, { automatic_reference: { provider_data: { type: 'provider_a' } } });
    const refused = await away.api.post(`/v1/test_helpers/references/${id}/note`, { message: 'Once.' });
    expect(refused.status).toBe(503);
    expect(refused.headers.get('service-should-retry')).toBe('false');
    expect(refused.body.error).toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('before you repeat'),
    });
    network.open();
  });

  test('refuses a test helper when no simulated service handles the reference', async () => {
    for (const automatic of [null, { enabled: false }]) {
      const order = { application: 'app_1', automatic_reference: automatic };
      const { body } = await good(api.post('/v1/references', order));
      const refused = await api.post(`/v1/test_helpers/references/${body.id}/advance`);
      expectRefusal(refused, refusals.transition);
      expect(refused.text).not.toContain('null');
      expect(refused.text).toContain('Helpers are for references with an enabled `automatic_reference`.');
    }
    expectRefusal(await api.post('/v1/test_helpers/references/ref_unknown/advance'), refusals.idUnknown);
  });

  test('refuses a test helper when the person of the reference was erased', async () => {
    const slow = await quickServerForTest({ TENURE_SIMULATOR_SPEED: '80000' });
    const { id } = await refer(slow.api, { simulate: 'consider_then_accept' });
    await good(slow.api.post(`/v1/test_helpers/references/${id}/complete`));
    await good(slow.api.post(`/v1/references/${id}/erase`));
    const refused = await slow.api.post(`/v1/test_helpers/references/${id}/advance`);
    expectRefusal(refused, { ...refusals.transition, says: 'Its person was erased' });
  });

  test('offers no test helpers and no simulated services when the mode is live', async () => {
    const settings = { TENURE_MODE: 'live', TENURE_PROVIDER_A_URL: 'http://127.0.0.1:9' };
    const live = await startTestServer({ settings, works: true });
    try {
      const credentials = { provider_a: { api_key: 'key', signing_secret: 'secret' } };
      await good(live.api.post('/v1/account', { provider_credentials: credentials }));
      const { id } = await refer(live.api);
      await untilReference(live.api, id, {
        status: 'pending',
        automatic_reference: { last_error: expect.stringMatching(/^unavailable: /) },
      });
      expectRefusal(await live.api.post(`/v1/test_helpers/references/${id}/complete`), refusals.routeUnknown);
      const { rows } = await live.context.database.readers.query('select count(*) as count from simulated_orders');
      expect(rows).toEqual([{ count: 0 }]);
    } finally {
      await live.stop();
    }
  });
});

function progressOf(body: ApiResponse['body']): number {
  return body.automatic_reference.provider_data.provider_a.progress;
}

/** A sandbox whose test helpers lose the database as `change` says. */
async function serverThatLoses(
  change: (context: TestServer['context'], network: DatabaseProxy) => TestServer['context'],
): Promise<{ away: TestServer; network: DatabaseProxy }> {
  const database = await createTestDatabase();
  onTestFinished(database.drop);
  const network = await startDatabaseProxy(database.connection);
  onTestFinished(() => network.stop());
  const away = await serverForTest({
    settings: { TENURE_SIMULATOR_SPEED: '80000' },
    works: true,
    connection: network.connection,
    changeContext: (context) => ({
      ...context,
      simulations: { references: new Simulations(change(context, network), ['provider_a'], longWatches) },
    }),
  });
  return { away, network };
}
