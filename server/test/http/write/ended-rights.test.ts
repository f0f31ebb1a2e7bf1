import { setTimeout as delay } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import { withClient } from '../../../src/db/pools.ts';
import type { Passkey } from '../../../src/resources/people/user.ts';
import { signedIn } from '../../support/browser.ts';
import {
  apiClient,
  good,
  serverForTest,
  startTestServer,
  type Api,
  type ApiResponse,
  type TestServer,
} from '../../support/server.ts';
import { firstAccountId, addKey } from '../../support/tenants.ts';
import { waitMs } from '../../support/wait.ts';

/* Writes that wait for another change of the same record, or for a read. The right to send them ends meanwhile. */

const building = {
  name: 'Coppergate',
  address: { line1: '12 Coppergate', city: 'York', postal_code: 'YO1 9NR', country: 'GB' },
};

type Sender = Pick<Api, 'post'>;

interface Right {
  sender: Sender;
  end(): Promise<unknown>;
}

/** The keys and persons that can lose their right, and the status and the code that they get then. */
const rights = [
  ['key', 'is revoked', 401, 'api_key_expired', keyOf],
  ['person', 'is disabled', 401, 'session_expired', disabledPerson],
  [
    'person',
    'lacks a second factor that the account requires',
    403,
    'second_factor_setup_required',
    personWithoutSecondFactor,
  ],
] as const;

test.each(rights)('executes no write that waits for a record when the %s %s', async (_, __, status, code, rightOf) => {
  const server = await serverForTest();
  const { names, answers } = await namesWhenEnded(server, await rightOf(server, server));
  expect(answers).toEqual([[200, undefined], ...Array.from({ length: 4 }, () => [status, code])]);
  expect(names).toEqual(['first']);
});

test.each(rights)(
  'executes no write that waits when the %s %s in another process',
  async (_, __, status, code, rightOf) => {
    const server = await serverForTest();
    const other = await startTestServer({ connection: server.connection, secretKey: server.secretKey });
    try {
      const { names, answers } = await namesWhenEnded(server, await rightOf(server, other));
      expect(answers).toEqual([[200, undefined], ...Array.from({ length: 4 }, () => [status, code])]);
      expect(names).toEqual(['first']);
    } finally {
      await other.stop();
    }
  },
);

test.each(rights)(
  'executes no write whose decision waits for a read when the %s %s',
  async (_, __, status, code, rightOf) => {
    const server = await serverForTest();
    const { sender, end } = await rightOf(server, server);
    const { id } = (await good(server.api.post('/v1/buildings', building))).body;
    const answer = await withClient(server.connection, async (other) => {
      await other.query('begin');
      await other.query('lock table buildings in access exclusive mode');
      const answering = sender.post('/v1/units', { building: id, name: 'Flat 2' });
      await expect.poll(() => waitingForLocks(server)).toBe(1);
      await end();
      await other.query('rollback');
      return answering;
    });
    expect([answer.status, answer.body.error?.code]).toEqual([status, code]);
    expect((await good(server.api.get('/v1/units'))).body.count).toBe(0);
  },
);

test.each(rights)('repeats no stored response when the %s %s', async (_, __, status, code, rightOf) => {
  const server = await serverForTest();
  const other = await anotherProcess(server);
  const { sender, end } = await rightOf(server, other);
  await good(postOnce(sender));
  const answer = await answerAfter(server, () => postOnce(sender), end);
  expect([answer.status, answer.body.error?.code]).toEqual([status, code]);
});

test('repeats no response of another key when the key is revoked', async () => {
  const server = await serverForTest();
  const other = await anotherProcess(server);
  const { sender, end } = await keyOf(server, other);
  const answer = await answerAfter(
    server,
    () => postOnce(sender),
    async () => {
      await good(postOnce(apiClient(other.url, server.secretKey)));
      await end();
    },
  );
  expect([answer.status, answer.body.error?.code]).toEqual([401, 'api_key_expired']);
});

async function anotherProcess({ connection, secretKey }: TestServer): Promise<TestServer> {
  const other = await startTestServer({ connection, secretKey });
  onTestFinished(() => other.stop());
  return other;
}

function postOnce(sender: Sender): Promise<ApiResponse> {
  return sender.post('/v1/customers', { name: 'Ada Lovelace' }, { 'idempotency-key': 'first' });
}

/** Returns the response to a request that found no room until `end` was answered. */
async function answerAfter(
  { context }: TestServer,
  send: () => Promise<ApiResponse>,
  end: () => Promise<unknown>,
): Promise<ApiResponse> {
  const { bytes } = context.committer;
  const others = bytes.add('others', 48 * 1024 * 1024);
  const answering = send();
  await vi.waitFor(() => expect(bytes.waiting).toBe(1), { timeout: waitMs });
  await end();
  others.release();
  return answering;
}

async function keyOf(server: TestServer, ending: TestServer): Promise<Right> {
  const { key, keyId } = await addKey(server, await firstAccountId(server), {
    permissions: ['customers.write', 'units.write'],
  });
  return {
    sender: apiClient(server.url, key),
    end: () => good(apiClient(ending.url, server.secretKey).delete(`/v1/api_keys/${keyId}`)),
  };
}

async function disabledPerson(server: TestServer, ending: TestServer): Promise<Right> {
  const { browser: owner } = await signedIn(server, 'owner');
  const { browser, id } = await signedIn(server, 'operator');
  return { sender: browser, end: () => good(owner.copy(ending).post(`/v1/users/${id}`, { status: 'disabled' })) };
}

async function personWithoutSecondFactor(server: TestServer, ending: TestServer): Promise<Right> {
  const { browser: owner } = await signedIn(server, 'owner', { changed: { passkeys: [{ id: 'a' } as Passkey] } });
  const { browser } = await signedIn(server, 'operator');
  return {
    sender: browser,
    end: () => good(owner.copy(ending).post('/v1/account', { require_second_factor: true })),
  };
}

/**
 * Holds the first of five changes of a customer at its commit, and ends the right meanwhile.
 *
 * @returns the responses, and the names that the customer got.
 */
async function namesWhenEnded(
  server: TestServer,
  { sender, end }: Right,
): Promise<{ answers: unknown[]; names: string[] }> {
  const { id } = (await good(server.api.post('/v1/customers', { name: 'Ada Lovelace' }))).body;
  const answering = await withClient(server.connection, async (other) => {
    await other.query('begin');
    await other.query(`select from customers where id = '${id}' for update`);
    const first = sender.post(`/v1/customers/${id}`, { name: 'first' });
    await expect.poll(() => waitingForLocks(server)).toBe(1);
    const later = Array.from({ length: 4 }, (__, index) => sender.post(`/v1/customers/${id}`, { name: `${index}` }));
    // They wait for the first one now.
    await delay(300);
    await end();
    await other.query('rollback');
    return [first, ...later];
  });
  const answers = (await Promise.all(answering)).map(({ status, body }) => [status, body.error?.code]);
  const { data } = (await good(server.api.get(`/v1/events?object_id=${id}&type=customer.updated`))).body;
  return { answers, names: data.map((event: { data: { object: { name: string } } }) => event.data.object.name) };
}

async function waitingForLocks(server: TestServer): Promise<number> {
  const text = `
    select count(*)::integer as count from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`;
  return withClient(server.connection, async (client) => (await client.query<{ count: number }>(text)).rows[0]!.count);
}
