import { expect } from 'vitest';
import type { Context } from '../../src/server/context.ts';
import { expectRefusal, refusals } from './refusals.ts';
import { serverForTest, type Api, type ApiResponse, type startTestServer, type TestServer } from './server.ts';

let keys = 0;

/** The header with a key that nobody has used. */
export function newKey(): { 'idempotency-key': string } {
  return { 'idempotency-key': `key ${++keys}` };
}

/** One more server of the same deployment, until the test is finished. */
export function anotherServer(
  one: TestServer,
  options: Parameters<typeof startTestServer>[0] = {},
): Promise<TestServer> {
  return serverForTest({ ...options, connection: one.connection, secretKey: one.secretKey });
}

/** It got the bytes of the first answer, and says so; its request id is its own. */
export function expectReplay(again: ApiResponse, first: ApiResponse): void {
  expect([again.status, again.text]).toEqual([first.status, first.text]);
  const shown = ['service-version', 'content-type', 'service-should-retry', 'retry-after'];
  expect(shown.map((name) => again.headers.get(name))).toEqual(shown.map((name) => first.headers.get(name)));
  expect(again.headers.get('idempotent-replayed')).toBe('true');
  expect(again.headers.get('original-request')).toBe(requestIdOf(first));
  expect(requestIdOf(again)).not.toBe(requestIdOf(first));
}

/** It is nobody's answer but its own request's. */
export function expectNoReplay({ headers, text }: ApiResponse): void {
  expect([headers.get('idempotent-replayed'), headers.get('original-request')], text).toEqual([null, null]);
}

/** It was carried out now, so its key was free. */
export function expectCarriedOut(answer: ApiResponse): void {
  expect(answer.status, answer.text).toBe(200);
  expectNoReplay(answer);
}

/** Exactly one was carried out, and is returned; each of the others was told to come back, or got the same answer. */
export function expectOneExecution(answers: ApiResponse[]): ApiResponse {
  const done = answers.filter(({ status }) => status === 200);
  const executed = done.filter(({ headers }) => headers.get('idempotent-replayed') === null);
  expect(executed.length).toBe(1);
  for (const answer of done) if (answer !== executed[0]) expectReplay(answer, executed[0]!);
  for (const answer of answers) if (answer.status !== 200) expectRefusal(answer, refusals.idempotencyInUse);
  return executed[0]!;
}

/**
 * What a request left behind, as the API tells: the log of its answer, unless there shall be none, and exactly these types of
 * events, the first one first.
 */
export async function expectLeft(
  by: Api,
  answer: ApiResponse,
  key: { 'idempotency-key': string },
  left: { log?: boolean; events?: readonly string[] },
): Promise<void> {
  const id = requestIdOf(answer);
  const listed: { id: string; type: string; request: object & { id: string } }[] = (await by.get('/v1/events?limit=50'))
    .body.data;
  const events = listed.filter(({ request }) => request.id === id).toReversed();
  expect(events.map(({ type }) => type)).toEqual(left.events ?? []);
  for (const { request } of events) expect(request).toMatchObject({ idempotency_key: key['idempotency-key'] });
  const log = await by.get(`/v1/logs/${id}`);
  if (left.log === false) return expectRefusal(log, refusals.idUnknown);
  expect(log.body).toMatchObject({
    status: answer.status,
    response_body: answer.text,
    error: answer.status === 200 ? null : { code: answer.body.error.code },
    idempotency_key: key['idempotency-key'],
    replayed: answer.headers.get('idempotent-replayed') === 'true',
    original_request: answer.headers.get('original-request'),
    events: events.map((event) => event.id),
  });
}

export function requestIdOf({ headers }: ApiResponse): string {
  const id = headers.get('request-id');
  expect(id).toMatch(/^req_[0-9A-Za-z]{22}$/);
  return id!;
}

/** A server's context whose first customer is spoilt when it is made; the next ones are as ever. */
export function withFaultyCustomer(spoil: (record: object) => object): (context: Context) => Context {
  let faults = 1;
  return (context) => ({
    ...context,
    resources: context.resources.map((resource) => {
      const { create } = resource;
      if (resource.object !== 'customer' || !create) return resource;
      const decide: typeof create.decide = (input, caller) => {
        const record = create.decide(input, caller);
        return faults-- > 0 ? spoil(record) : record;
      };
      return { ...resource, create: { ...create, decide } };
    }),
  });
}

/** How many statements wait for a lock on a table of a server's database; other tests have databases of their own. */
export async function waitingForTables({ context }: TestServer): Promise<number> {
  const { rows } = await context.database.readers.query<{ count: number }>(`
    select count(*)
    from pg_locks
    join pg_database on pg_database.oid = pg_locks.database
    where datname = current_database() and locktype = 'relation' and not granted`);
  return rows[0]!.count;
}
