import { withTraits } from '../../src/model/resource.ts';
import { cached } from '../../src/model/traits/cached.ts';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { Agent, request } from 'undici';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { newMasterKey } from '../../src/server/config.ts';
import { TtlCache } from '../../src/db/ttl-cache.ts';
import { listen } from '../../src/db/listen.ts';
import { expectRefusal, refusals } from '../support/refusals.ts';
import { apiClient, startTestServer, type Api, type TestServer } from '../support/server.ts';

/*
 * A change is true in every process when its response arrives. Processes send each other nothing for it. Each caches reads for a bounded
 * time, and the response waits for that long.
 */

/** These servers deliver nothing, so that no process listens to another for deliveries. */
const settings = {
  TENURE_ROLE: 'api',
  DATABASE_URL: 'postgres://given.by.the.test/',
  TENURE_MASTER_KEY: newMasterKey(),
};

let one: TestServer;
let other: TestServer;
let agent: Agent;

beforeAll(async () => {
  one = await startTestServer({ settings, realFreshness: true });
  other = await startTestServer({
    settings,
    realFreshness: true,
    connection: one.connection,
    secretKey: one.secretKey,
  });
  agent = new Agent({ connections: 32 });
});
afterAll(async () => {
  await agent.close();
  await other.stop();
  await one.stop();
});

describe('API keys', () => {
  test('refuses a key in every process when the response to its revocation or roll has arrived', async () => {
    const ends: Ending[] = ['revoke', 'roll'];
    let sent = 0;
    let acceptedBefore = 0;
    // At several cache ages in both processes, and right after a read, which stays cached longest.
    for (const pauseMs of [173, 3]) {
      const rounds = Array.from({ length: 5 }, (_, index) =>
        endUnderLoad([one, other], ends[index % 2]!, pauseMs * index),
      );
      for (const round of await Promise.all(rounds)) {
        expect(round.acceptedAfter).toBe(0);
        acceptedBefore += round.acceptedBefore[0] + round.acceptedBefore[1];
        sent += round.sentAfter;
      }
    }
    process.stdout.write(`freshness: ${acceptedBefore} requests accepted before, 0 of ${sent} after the answer\n`);
    expect(sent).toBeGreaterThanOrEqual(10_000);
  });

  test('refuses a request with a revoked key when its head came before the revocation and its body after', async () => {
    const key = (await one.api.post('/v1/api_keys', { type: 'secret' })).body;
    const { hostname, port } = new URL(other.url);
    const socket = connect(Number(port), hostname);
    const answer = new Promise<string>((resolve, reject) => {
      socket.once('data', (bytes) => resolve(String(bytes)));
      socket.once('error', reject);
    });
    const body = JSON.stringify({ application: 'app_1' });
    socket.write(
      `POST /v1/references HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key.secret}\r\n` +
        `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`,
    );
    // The server has read the head and accepted the key.
    await delay(100);
    await one.api.delete(`/v1/api_keys/${key.id}`);
    socket.write(body);
    expect(await answer).toMatch(/^HTTP\/1\.1 401 /);
    socket.destroy();
  });

  test('accepts a revoked key for a while when the response does not wait, so the tests above can fail', async () => {
    const hasty = await startTestServer({
      settings,
      realFreshness: true,
      connection: one.connection,
      secretKey: one.secretKey,
      changeContext: (context) => ({
        ...context,
        resources: context.resources.map((resource) => withTraits(resource, cached(0))),
      }),
    });
    try {
      const rounds = await Promise.all(
        ['revoke' as const, 'roll' as const].map((how) => endUnderLoad([hasty, other], how, 0)),
      );
      for (const { acceptedAfter } of rounds) expect(acceptedAfter).toBeGreaterThan(0);
    } finally {
      await hasty.stop();
    }
  });

  test('refuses a revoked key without messages between processes when no connection listens', async () => {
    const listening = async (): Promise<number> => {
      const { rows } = await one.context.database.readers.query<{ count: number }>(`
        select count(*) from pg_stat_activity where datname = current_database() and query ilike 'listen%'`);
      return rows[0]!.count;
    };
    expect(await listening()).toBe(0);
    // A listening connection would be found.
    const listener = listen(one.connection, 'anything', () => {}, one.context.log);
    await expect.poll(listening).toBe(1);
    await listener.stop();
    await expect.poll(listening).toBe(0);
  });

  test('accepts a new key in every process when the response to its creation has arrived', async () => {
    const made = await Promise.all(
      Array.from({ length: 20 }, () =>
        one.api.post('/v1/api_keys', { type: 'secret', permissions: ['references.read'] }),
      ),
    );
    const statuses = await Promise.all(made.map(({ body }) => statusOf(other, body.secret)));
    expect(statuses).toEqual(made.map(() => 200));
  });
});

describe('account settings', () => {
  test('applies changed links in every process when the response has arrived', async () => {
    const { body: application } = await one.api.post('/v1/applications', {});
    const link = { application: application.id, customer: 'cus_in_a_crm' };
    for (const setting of ['strict', 'open', 'strict', 'open']) {
      await knownBy(other.api);
      expect((await one.api.post('/v1/account', { linked_records: setting })).status).toBe(200);
      const answers = await Promise.all([other, one, other].map(({ api }) => api.post('/v1/references', link)));
      for (const answer of answers) {
        if (setting === 'open') expect(answer.status).toBe(200);
        else expectRefusal(answer, { ...refusals.idUnknown, status: 400, param: 'customer' });
      }
    }
  });

  test('applies a changed name and provider in every process when the response has arrived', async () => {
    const enabled = { application: 'app_1', automatic_reference: { enabled: true } };
    for (const provider of ['provider_b', 'provider_c', null]) {
      await knownBy(other.api);
      const name = `Agency with ${provider}`;
      expect((await one.api.post('/v1/account', { name, default_provider: provider })).status).toBe(200);
      const [seen, reference] = [await other.api.get('/v1/account'), await other.api.post('/v1/references', enabled)];
      expect(seen.body).toMatchObject({ name, default_provider: provider });
      expect(reference.body.automatic_reference.provider).toBe(provider ?? 'provider_a');
    }
  });

  test('applies a change of a connected account in every process when its parent or itself makes it', async () => {
    const { id } = (await one.api.post('/v1/accounts', { name: 'Connected' })).body;
    const context = { 'service-context': id };
    const { body: application } = await one.api.post('/v1/applications', {}, context);
    const link = { application: application.id, customer: 'cus_in_a_crm' };
    // At once, although the other process has never read this account.
    expect((await other.api.post('/v1/references', link, context)).body.account).toBe(id);
    expect((await one.api.post('/v1/account', { linked_records: 'strict' }, context)).status).toBe(200);
    const strict = await other.api.post('/v1/references', link, context);
    expectRefusal(strict, { ...refusals.idUnknown, status: 400, param: 'customer' });
    const { secret } = (await one.api.post('/v1/api_keys', { type: 'secret' }, context)).body;
    const own = apiClient(other.url, secret);
    expect((await own.post('/v1/account', { linked_records: 'open' })).status).toBe(200);
    expect((await one.api.post('/v1/references', link, context)).status).toBe(200);
  });
});

describe('cached reads', () => {
  /** Long enough for a busy machine: steps within it happen one after the other. */
  const ageMaxMs = 500;

  test('queries values together and once when they are fresh', async () => {
    const asked: string[][] = [];
    const fresh = new TtlCache<string>(60_000, async (keys) => {
      asked.push(keys);
      return keys.map((key) => (key === 'none' ? null : `value of ${key}`));
    });
    const all = ['a', 'b', 'none'];
    const wanted = ['value of a', 'value of b', null];
    const twice = await Promise.all([...all, ...all].map((key) => fresh.get(key)));
    expect(twice).toEqual([...wanted, ...wanted]);
    expect(await Promise.all(all.map((key) => fresh.get(key)))).toEqual(wanted);
    expect(asked).toEqual([all]);
  });

  test('counts the age of a value from its query when the response is slow', async () => {
    let nowMs = performance.now();
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => nowMs);
    onTestFinished(() => clock.mockRestore());
    const { fresh, answer, asked } = answeredByHand();
    const first = fresh.get('key');
    await expect.poll(asked).toBe(1);
    nowMs += ageMaxMs + 5;
    // The query is not finished, and already too old to share.
    const second = fresh.get('key');
    await expect.poll(asked).toBe(2);
    answer(1, 'second');
    answer(0, 'first');
    expect([await first, await second, await fresh.get('key')]).toEqual(['first', 'second', 'second']);
    nowMs += ageMaxMs + 5;
    const third = fresh.get('key');
    await expect.poll(asked).toBe(3);
    answer(2, 'third');
    expect(await third).toBe('third');
  });

  test('queries a value again when it is too old, however often it was used', async () => {
    let nowMs = performance.now();
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => nowMs);
    onTestFinished(() => clock.mockRestore());
    const readAt: number[] = [];
    const fresh = new TtlCache<number>(ageMaxMs, async (keys) => {
      readAt.push(nowMs);
      return keys.map(() => readAt.length - 1);
    });
    const ages: number[] = [];
    for (const untilMs = nowMs + 10 * ageMaxMs; nowMs < untilMs; nowMs++) {
      const value = (await fresh.get('key'))!;
      ages.push(nowMs - readAt[value]!);
    }
    expect(Math.max(...ages)).toBeLessThan(ageMaxMs);
    expect(readAt).toHaveLength(10);
  });

  test('caches nothing when a read fails', async () => {
    const { fresh, answer, fail, asked } = answeredByHand(60_000);
    const both = [fresh.get('key'), fresh.get('key')];
    await expect.poll(asked).toBe(1);
    fail(0, new Error('no connection'));
    for (const each of both) await expect(each).rejects.toThrow('no connection');
    const again = fresh.get('key');
    await expect.poll(asked).toBe(2);
    answer(1, 'value');
    expect([await again, await fresh.get('key')]).toEqual(['value', 'value']);
    expect(asked()).toBe(2);
  });

  test('drops the oldest entries first when the cache holds ten thousand', async () => {
    const asked = new Map<string, number>();
    const fresh = new TtlCache<string>(2_000, async (keys) => {
      for (const key of keys) asked.set(key, (asked.get(key) ?? 0) + 1);
      return keys;
    });
    const getAll = (prefix: string, count: number): Promise<unknown> =>
      Promise.all(Array.from({ length: count }, (_, index) => fresh.get(`${prefix} ${index}`)));
    await getAll('old', 6_000);
    await delay(2_005);
    await getAll('new', 4_000);
    await getAll('more', 1);
    // Old entries have made room, so no fresh one was dropped.
    await getAll('new', 4_000);
    expect(asked.get('new 0')).toBe(1);
    await getAll('more', 6_001);
    // By now all entries were fresh, so a fresh one had to go.
    await getAll('new', 1);
    expect([asked.get('new 0'), asked.get('more 0')]).toEqual([2, 1]);
  });

  /** A cache whose queries return in any order, each when the test says so. */
  function answeredByHand(maxMs = ageMaxMs) {
    const questions: PromiseWithResolvers<(string | null)[]>[] = [];
    const fresh = new TtlCache<string>(maxMs, async () => {
      const question = Promise.withResolvers<(string | null)[]>();
      questions.push(question);
      return question.promise;
    });
    return {
      fresh,
      asked: () => questions.length,
      answer: (index: number, value: string) => questions[index]!.resolve([value]),
      fail: (index: number, error: Error) => questions[index]!.reject(error),
    };
  }
});

type Ending = 'revoke' | 'roll';

interface Round {
  /** Uses the key on either process before the response, so that both have it cached. */
  acceptedBefore: [number, number];
  sentAfter: number;
  acceptedAfter: number;
  ended: boolean;
}

/** Uses a key on two processes without a pause and ends it on the first. Counts the accepted requests that were sent after the response. */
async function endUnderLoad(servers: [TestServer, TestServer], how: Ending, pauseMs: number): Promise<Round> {
  const [first] = servers;
  const { id, secret } = (await first.api.post('/v1/api_keys', { type: 'secret', permissions: ['references.read'] }))
    .body;
  const round: Round = { acceptedBefore: [0, 0], sentAfter: 0, acceptedAfter: 0, ended: false };
  const keepUsing = async (which: 0 | 1): Promise<void> => {
    while (!round.ended || round.sentAfter < 1_000) {
      const isAfter = round.ended;
      if (isAfter) round.sentAfter++;
      const status = await statusOf(servers[which], secret);
      expect([200, 401]).toContain(status);
      if (isAfter) round.acceptedAfter += Number(status === 200);
      else round.acceptedBefore[which] += Number(status === 200);
    }
  };
  const users = Array.from({ length: 8 }, (_, user) => keepUsing((user % 2) as 0 | 1));
  await expect.poll(() => Math.min(...round.acceptedBefore), { interval: 1 }).toBeGreaterThan(0);
  await delay(pauseMs);
  const answer =
    how === 'revoke'
      ? await first.api.delete(`/v1/api_keys/${id}`)
      : await first.api.post(`/v1/api_keys/${id}/roll`, { expires_in: 0 });
  round.ended = true;
  expect(answer.status, answer.text).toBe(200);
  await Promise.all(users);
  return round;
}

async function statusOf({ url }: TestServer, key: string): Promise<number> {
  const { statusCode, body } = await request(`${url}/v1/references/ref_0`, {
    dispatcher: agent,
    headers: { authorization: `Bearer ${key}` },
  });
  await body.dump();
  // A valid key gets a 404 for the unknown record.
  return statusCode === 404 ? 200 : statusCode;
}

/** Makes a process read the account, so that it has an old value cached. */
async function knownBy(api: Api): Promise<void> {
  expect((await api.get('/v1/references?limit=1')).status).toBe(200);
}
