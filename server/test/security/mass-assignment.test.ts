import { afterAll, beforeAll, expect, test } from 'vitest';
import type { WriteRoute } from '../../src/http/route.ts';
import { expectRefusal, unknown } from '../support/refusals.ts';
import { bodies, hasId, inParallel, nameOf, routesOfKeys, takesForm } from '../support/routes.ts';
import { good, startTestServer, type Api, type TestServer } from '../support/server.ts';
import { tracesOf } from '../support/traces.ts';

/* A record shows members that a client may not set. A request that sends such a member is refused with its name, and changes nothing. */

/** Members that exist in the tables or in other APIs, and in no response. */
const hidden = ['account_id', 'revision', 'hash', 'owner', 'role', 'is_admin', 'deleted_at', 'api_key', 'order', '_id'];

let server: TestServer;
let api: Api;
let routes: WriteRoute[];

beforeAll(async () => {
  server = await startTestServer();
  api = server.api;
  routes = routesOfKeys(server.context).filter(
    (route): route is WriteRoute => route.method === 'POST' && !takesForm(route),
  );
});
afterAll(() => server.stop());

test('refuses a member that records show and the operation does not offer', async () => {
  const shown = new Set(hidden);
  for (const route of routes.filter((one) => !hasId(one) && bodies[nameOf(one)])) {
    const { status, body } = await api.post(route.path, bodies[nameOf(route)]);
    if (status === 200) for (const member of Object.keys(body)) shown.add(member);
  }
  expect(shown.size).toBeGreaterThanOrEqual(50);

  const before = await tracesOf(server);
  let refused = 0;
  for (const route of routes) {
    const path = route.path.replace(':id', 'x_1');
    const others = Array.from(shown).filter((member) => !Object.hasOwn(route.body.properties, member));
    await inParallel(others, 16, async (member) => {
      const answer = await api.post(path, { ...bodies[nameOf(route)], [member]: null });
      expectRefusal(answer, unknown(member));
      refused++;
    });
  }
  expect(refused).toBeGreaterThanOrEqual(1_000);
  expect(await tracesOf(server)).toEqual(before);
});

test.each([
  ['status', 'complete'],
  ['outcome', 'accept'],
  ['completed_at', 1],
  ['reference_pdf', 'file_1'],
  ['account', 'acct_1'],
  ['id', 'ref_1'],
  ['created', 1],
  ['deleted', false],
  ['object', 'reference'],
])("refuses a new reference when its body sets the server's %s", async (member, value) => {
  expectRefusal(await api.post('/v1/references', { application: 'app_1', [member]: value }), unknown(member));
});

test.each(['status', 'outcome', 'last_error', 'provider_data'])(
  "refuses a new reference when its body sets the service's %s",
  async (member) => {
    const automatic = { provider: 'provider_a', [member]: null };
    const answer = await api.post('/v1/references', { application: 'app_1', automatic_reference: automatic });
    expectRefusal(answer, unknown(`automatic_reference[${member}]`));
  },
);

test('refuses a change of members that only the server sets', async () => {
  const made = await good(api.post('/v1/references', { application: 'app_1' }));
  const path = `/v1/references/${made.body.id}`;
  for (const member of ['completed_at', 'account', 'id', 'created', 'application', 'customer', 'type'])
    expectRefusal(await api.post(path, { outcome: 'accept', [member]: null }), unknown(member));
  expect((await api.get(path)).text).toBe(made.text);
});
