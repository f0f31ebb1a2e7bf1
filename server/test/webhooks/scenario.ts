import { expect } from 'vitest';
import type { Overrides } from '../../src/server/context.ts';
import { allOf } from '../support/paging.ts';
import type { Received, Receiver } from '../support/receiver.ts';
import { serverForTest, type Api, type ApiResponse, type TestServer } from '../support/server.ts';
import { waitMs } from '../support/wait.ts';

/** Helpers for the tests of this folder. */

type Body = ApiResponse['body'];

/** Polling options for conditions that may take long on a busy machine. */
export const soon = { timeout: waitMs, interval: 10 };

/** Creates an endpoint that gets only what `ping` or `seed` make for it. */
export async function pingedEndpoint(api: Api, url: string): Promise<Body> {
  return endpointFor(api, url, { enabled_events: ['webhook_endpoint.pinged'] });
}

/** Creates an endpoint that gets every new reference. */
export async function endpointFor(api: Api, url: string, more: Record<string, unknown> = {}): Promise<Body> {
  const made = await api.post('/v1/webhook_endpoints', { url, enabled_events: ['reference.created'], ...more });
  expect(made.status, made.text).toBe(200);
  return made.body;
}

/** Makes one delivery to this endpoint alone, and returns it. */
export async function ping(api: Api, endpointId: string): Promise<Body> {
  const pinged = await api.post(`/v1/webhook_endpoints/${endpointId}/ping`);
  expect(pinged.status, pinged.text).toBe(200);
  return pinged.body;
}

export async function makeReferences(api: Api, count: number): Promise<void> {
  for (let made = 0; made < count; made += 100) {
    const answers = await Promise.all(
      Array.from({ length: Math.min(100, count - made) }, () => api.post('/v1/references', { application: 'app_1' })),
    );
    for (const { status, text } of answers) expect(status, text).toBe(200);
  }
}

/** Returns the deliveries to an endpoint, newest first. */
export function deliveriesOf(api: Api, endpointId: string): Promise<Body[]> {
  return allOf(api, `/v1/webhook_endpoints/${endpointId}/deliveries`);
}

/** Returns the only delivery to an endpoint. */
export async function deliveryOf(api: Api, endpointId: string): Promise<Body> {
  const deliveries = await deliveriesOf(api, endpointId);
  expect(deliveries).toHaveLength(1);
  return deliveries[0];
}

/** Waits until the only delivery to an endpoint has this many attempts. */
export async function attempted(api: Api, endpointId: string, attempts: number): Promise<Body> {
  await expect
    .poll(async () => (await deliveryOf(api, endpointId)).attempts.length, soon)
    .toBeGreaterThanOrEqual(attempts);
  return deliveryOf(api, endpointId);
}

/** Waits until the only delivery to an endpoint has left the queue, so that it is never sent again. */
export async function over(api: Api, endpointId: string): Promise<Body> {
  await expect.poll(async () => (await deliveryOf(api, endpointId)).status, soon).not.toBe('pending');
  return deliveryOf(api, endpointId);
}

/** Makes one delivery to an endpoint, faster than `ping`, and waits until it is finished. */
export async function deliver(server: TestServer, endpointId: string): Promise<Body> {
  const [id] = await seed(server, endpointId, 1);
  server.context.dispatcher?.wake();
  const isPending = async () => (await placesOf(server, endpointId)).some((place) => place.id === id);
  await expect.poll(isPending, soon).toBe(false);
  return (await deliveriesOf(server.api, endpointId)).find((delivery) => delivery.id === id);
}

/** Creates an endpoint at this receiver, whose only delivery has failed once. */
export async function waitingForRetry({ api }: TestServer, receiver: Receiver): Promise<Body> {
  const endpoint = await pingedEndpoint(api, receiver.url);
  await ping(api, endpoint.id);
  await attempted(api, endpoint.id, 1);
  return endpoint;
}

/** Makes one delivery to its own URL, and returns its result and its only attempt. Schedules must be empty. */
export async function deliverOnceTo(server: TestServer, patternId: string, url: string): Promise<Body> {
  const delivery = await deliver(server, await copiedEndpoint(server, patternId, url));
  expect(delivery.attempts).toHaveLength(1);
  const [attempt] = delivery.attempts;
  expect(attempt.duration_ms).toBeGreaterThanOrEqual(0);
  if (attempt.response !== null) expect(attempt.response.length).toBeLessThanOrEqual(1024);
  return { status: delivery.status, attempt };
}

/** Checks that an attempt took its allowed time, and that its connection was then closed. These receivers would hold it open for ever. */
export async function expectTimedOut(receiver: { open: number }, attempt: Body, timeoutMs: number): Promise<void> {
  expect(attempt).toMatchObject({ error: 'timeout' });
  expect(attempt.duration_ms).toBeGreaterThanOrEqual(timeoutMs * 0.9);
  await expect.poll(() => receiver.open, soon).toBe(0);
}

/** Waits until nothing is pending in the whole deployment. */
export async function queueEmpty(server: TestServer, timeoutMs = soon.timeout): Promise<void> {
  await expect.poll(() => queueLength(server), { ...soon, timeout: timeoutMs }).toBe(0);
}

async function queueLength({ context }: TestServer): Promise<number> {
  const { rows } = await context.database.readers.query<{ count: number }>('select count(*) from webhook_queue');
  return rows[0]!.count;
}

/** A row of the queue as it is stored. */
export interface Place {
  id: string;
  attempt_count: number;
  due_at_ms: number;
  claim_token: number | null;
  claimed_until_ms: number;
}

/** Returns an endpoint's rows in the queue. */
export async function placesOf({ context }: TestServer, endpointId: string): Promise<Place[]> {
  const { rows } = await context.database.readers.query<Place>(
    `select id, attempt_count, due_at_ms, claim_token, claimed_until_ms
    from webhook_queue where webhook_endpoint = $1 order by id`,
    [endpointId],
  );
  return rows;
}

/**
 * Inserts deliveries into the queue without a notification, like a process that is killed right after its commit.
 *
 * @param claim the process that has claimed them, if any.
 */
export async function seed(
  { context }: TestServer,
  endpointId: string,
  count: number,
  claim: { token: number | null; untilMs: number } = { token: null, untilMs: 0 },
): Promise<string[]> {
  const ids = Array.from({ length: count }, () => context.ids.make('dlv'));
  await context.database.readers.query(
    `
    with source as (
      select endpoint.account_id, endpoint.id as endpoint, event.id as event, event.type, event.created
      from webhook_endpoints endpoint
      join events event on event.account_id = endpoint.account_id
      where endpoint.id = $1
      order by event.id
      limit 1
    ),
    recorded as (
      insert into webhook_deliveries (account_id, id, created, event, webhook_endpoint, type)
      select account_id, seeded.id, created, event, endpoint, type
      from source, unnest($2::text[]) as seeded (id)
    )
    insert into webhook_queue (account_id, id, event, webhook_endpoint, due_at_ms, claim_token, claimed_until_ms)
    select account_id, seeded.id, event, endpoint, $3, $4, $5
    from source, unnest($2::text[]) as seeded (id)`,
    [endpointId, ids, context.clock.nowMs(), claim.token, claim.untilMs],
  );
  return ids;
}

/** Creates references, a few at a time, until it is stopped. */
export function underLoad(api: Api): { stop(): Promise<void> } {
  const stop = new AbortController();
  const running = (async () => {
    while (!stop.signal.aborted) {
      await makeReferences(api, 3);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  })();
  return {
    stop() {
      stop.abort();
      return running;
    },
  };
}

/** Returns the time in the signature, in seconds. */
export function timeOf({ headers }: Pick<Received, 'headers'>): number {
  return Number(/^t=(\d+)/.exec(String(headers['service-signature']))![1]);
}

/** Returns the id of the received delivery. */
export function deliveryIdOf({ headers }: Pick<Received, 'headers'>): string {
  return String(headers['service-delivery-id']);
}

/** Settings of a process with its own role. The database is the test's own in any case. */
export function role(name: 'all' | 'api' | 'worker'): Record<string, string> {
  return {
    TENURE_ROLE: name,
    DATABASE_URL: 'postgres://unused',
    TENURE_MASTER_KEY: Buffer.alloc(32).toString('base64'),
  };
}

/** A poll interval so long that no poll happens within a test. */
export const hardlyEverMs = 600_000;

/** Limits that let a receiver hold its response for as long as a test needs. */
export const patientLimits = { attemptTimeoutMs: hardlyEverMs, leaseMs: 2 * hardlyEverMs };

/** Starts a process that serves requests and delivers nothing, on a database of its own. */
export function apiOnly(): Promise<TestServer> {
  return serverForTest({ settings: role('api') });
}

/** Starts another process on this server's database, which delivers. */
export function workerOn({ connection }: TestServer, overrides: Overrides): Promise<TestServer> {
  return serverForTest({ connection, settings: role('worker'), overrides });
}

/** Checks that the whole deployment made this many attempts, and that each one delivered. */
export async function expectAttempts({ context }: TestServer, count: number): Promise<void> {
  const { rows } = await context.database.readers.query(
    `select outcome, count(*) from webhook_attempts group by outcome`,
  );
  expect(rows).toEqual([{ outcome: 'delivered', count }]);
}

/** Copies an endpoint at once. The API call that creates one responds only when every process has read it. */
export async function copiedEndpoint(server: TestServer, endpointId: string, url: string): Promise<string> {
  const [id] = await copiedEndpoints(server, endpointId, url, 1);
  return id!;
}

/** Copies an endpoint this many times, in one statement. */
export async function copiedEndpoints(
  { context }: TestServer,
  endpointId: string,
  url: string,
  count: number,
): Promise<string[]> {
  const ids = Array.from({ length: count }, () => context.ids.make('we'));
  await context.database.readers.query(
    `
    insert into webhook_endpoints
      (account_id, id, created, revision, url, description, enabled_events, api_version, status, enablement,
        disabled_reason, signing_secret, metadata)
    select account_id, copied.id, created, revision, $3, description, enabled_events, api_version, status, enablement,
      disabled_reason, signing_secret, metadata
    from webhook_endpoints, unnest($2::text[]) as copied (id)
    where webhook_endpoints.id = $1`,
    [endpointId, ids, url],
  );
  return ids;
}

/** Holds back a step of a test until the test opens it. */
export class Gate {
  #opened = Promise.withResolvers<void>();
  waiting = 0;

  open(): void {
    this.#opened.resolve();
  }

  async pass(): Promise<void> {
    this.waiting++;
    await this.#opened.promise;
  }
}
