import { routesOfKeys } from '../support/routes.ts';
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { anyRequest, type AnyRequest } from '../support/any-request.ts';
import { startTestServer, type Api, type ApiResponse, type TestServer } from '../support/server.ts';
import { tracesOf } from '../support/traces.ts';

let server: TestServer;
let api: Api;

beforeAll(async () => {
  server = await startTestServer();
  api = server.api;
});
afterAll(() => server.stop());

describe('random requests', () => {
  const runs = 25;
  // Many at once, because some responses wait until all processes know of a change.
  const requestsPerRun = 64;

  test('never fails with a server error, and leaves no trace of refused requests', async () => {
    const reference = { application: 'app_1', customer: 'cus_1', metadata: { a: '1' } };
    const endpoint = { url: 'http://127.0.0.1:9/hook', enabled_events: ['webhook_endpoint.pinged'] };
    const ids = {
      references: (await api.post('/v1/references', reference)).body.id,
      customers: (await api.post('/v1/customers', { name: 'Ada', email: 'ada@example.org' })).body.id,
      events: (await api.get('/v1/events')).body.data[0].id,
      webhook_endpoints: (await api.post('/v1/webhook_endpoints', endpoint)).body.id,
    };
    const some = fc.array(anyRequest(routesOfKeys(server.context), ids), {
      minLength: requestsPerRun,
      maxLength: requestsPerRun,
    });
    const statuses: number[] = [];
    await fc.assert(
      fc.asyncProperty(some, async (requests) => {
        const before = await tracesOf(server);
        const answered = await Promise.all(requests.map(async (asked) => ({ asked, answer: await send(asked) })));
        for (const { asked, answer } of answered) {
          expect(answer.status, `${JSON.stringify(asked)} ${answer.text}`).toBeLessThan(500);
          expect(answer.headers.get('request-id'), JSON.stringify(asked)).toMatch(/^req_/);
          statuses.push(answer.status);
        }
        const after = await tracesOf(server);
        const carriedOut = answered.filter(
          ({ answer }) => answer.status === 200 && !answer.headers.has('original-request'),
        );
        for (const path of ['references', 'customers']) {
          const created = carriedOut.filter(({ asked }) => asked.method === 'POST' && asked.path === `/v1/${path}`);
          expect(after.records[path]! - before.records[path]!).toBe(created.length);
        }
        const refused = answered.map(({ answer }) => answer).filter(({ status }) => status !== 200);
        expect(await eventsOf(refused)).toBe(0);
        // Every write of a record has its event.
        expect(after.writes.references! + after.writes.customers!).toBe(await writesTold());
      }),
      { numRuns: runs, endOnFailure: true },
    );
    expect(statuses).toHaveLength(runs * requestsPerRun);
    // Requests that never succeed, or always do, would prove nothing.
    const accepted = statuses.filter((status) => status === 200).length / statuses.length;
    expect(accepted).toBeGreaterThan(0.03);
    expect(accepted).toBeLessThan(0.9);
    process.stdout.write(`random requests: ${statuses.length}, ${Math.round(accepted * 100)} % executed\n`);
  });
});

async function eventsOf(refused: ApiResponse[]): Promise<number> {
  const { rows } = await server.context.database.readers.query<{ count: number }>(
    `select count(*) from events where request::json->>'id' = any($1)`,
    [refused.map(({ headers }) => headers.get('request-id'))],
  );
  return rows[0]!.count;
}

/**
 * Counts the writes of references and customers by their events. An erasure that also changes the record has `updated` and `deleted`: one
 * write.
 */
async function writesTold(): Promise<number> {
  const { rows } = await server.context.database.readers.query<{ count: number }>(`
    select count(*)
    from events
    where type ~ '^(reference|customer)\\.(created|updated)$'
       or type ~ '^(reference|customer)\\.deleted$'
      and not exists (
        select from events updated
        where updated.object_id = events.object_id
          and updated.type ~ '\\.updated$'
          and updated.request::json->>'id' = events.request::json->>'id'
      )`);
  return rows[0]!.count;
}

async function send({ method, path, query, body, headers }: AnyRequest): Promise<ApiResponse> {
  const target = query === '' ? path : `${path}?${query}`;
  if (method === 'DELETE') return api.delete(target, headers);
  return method === 'GET' ? api.get(target, headers) : api.post(target, body, headers);
}
