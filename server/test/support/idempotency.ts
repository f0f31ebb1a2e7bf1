import { expect } from 'vitest';
import type { Context } from '../../src/server/context.ts';
import { expectRefusal, refusals } from './refusals.ts';
import { serverForTest, type Api, type ApiResponse, type startTestServer, type TestServer } from './server.ts';

let keys = 0;

/** Returns the header with an unused key. */
export function newKey(): { 'idempotency-key': string } {
  return { 'idempotency-key': `key ${++keys}` };
}

/** Starts one more server of the same deployment, until the test is finished. */
export function anotherServer(
  one: TestServer,
  options: Parameters<typeof startTestServer>[0] = {},
): Promise<TestServer> {
  return serverForTest({ ...options, connection: one.connection, secretKey: one.secretKey });
}

/** Expects a replay: the bytes of the first response, the replay header, and a request id of its own. */
export function expectReplay(again: ApiResponse, first: ApiResponse): void {
  expect([again.status, again.text]).toEqual([first.status, first.text]);
  const shown = ['service-version', 'content-type', 'service-should-retry', 'retry-after'];
  expect(shown.map((name) => again.headers.get(name))).toEqual(shown.map((name) => first.headers.get(name)));
  expect(again.headers.get('idempotent-replayed')).toBe('true');
  expect(again.headers.get('original-request')).toBe(requestIdOf(first));
  expect(requestIdOf(again)).not.toBe(requestIdOf(first));
}

/** Expects the response of this request itself, not a replay. */
export function expectNoReplay({ headers, text }: ApiResponse): void {
  expect([headers.get('idempotent-replayed'), headers.get('original-request')], text).toEqual([null, null]);
}

/** Expects that the request was executed now, so its key was free. */
export function expectCarriedOut(answer: ApiResponse): void {
  expect(answer.status, answer.text).toBe(200);
  expectNoReplay(answer);
}

/** Expects exactly one execution and returns its response. Each other request was told to retry, or got the same response. */
export function expectOneExecution(answers: ApiResponse[]): ApiResponse {
  const done = answers.filter(({ status }) => status === 200);
  const executed = done.filter(({ headers }) => headers.get('idempotent-replayed') === null);
  expect(executed.length).toBe(1);
  for (const answer of done) if (answer !== executed[0]) expectReplay(answer, executed[0]!);
  for (const answer of answers) if (answer.status !== 200) expectRefusal(answer, refusals.idempotencyInUse);
  return executed[0]!;
}

/** Expects what a request left behind in the API: exactly these event types in order, and its log. With `log: false`, expects no log. */
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

/** Returns a server's context in which `spoil` changes the first customer that is made, and no later one. */
export function withFaultyCustomer(spoil: (record: object) => object): (context: Context) => Context {
  let faults = 1;
  return (context) => ({
    ...context,
    resources: context.resources.map((resource) => {
      const { create } = resource;
      if (resource.object !== 'customer' || !create) return resource;
      const decide: typeof create.decide = (...decided) => {
        const record = create.decide(...decided);
        return faults-- > 0 ? spoil(record) : record;
      };
      return { ...resource, create: { ...create, decide } };
    }),
  });
}

/** Counts statements that wait for a lock on a table of a server's database. Other tests have databases of their own. */
export async function waitingForTables({ context }: TestServer): Promise<number> {
  const { rows } = await context.database.readers.query<{ count: number }>(`
    select count(*)
    from pg_locks
    join pg_database on pg_database.oid = pg_locks.database
    where datname = current_database() and locktype = 'relation' and not granted`);
  return rows[0]!.count;
}
